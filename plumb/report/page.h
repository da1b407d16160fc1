// One self-contained page about one run: animation, plots, audit, ledger, provenance. It opens from disk in any modern
// browser and asks nothing of the network.
#pragma once

#include <string>
#include <vector>
#include <nlohmann/json_fwd.hpp>

#include "plumb/trajectory/stored_run.h"

namespace plumb {

struct PageOptions {
  // Long runs are thinned for display: at most about this many numbers are carried.
  std::size_t max_values = 260000;
  // Where all rows are when not all are carried: a file beside the page.
  std::string full_data{};
};

// Which rows of the trajectory the page carries; fewer than all of them when the run is thinned.
std::vector<std::size_t> displayed_rows(const Trajectory& trajectory, const PageOptions& options);

// What the page is made from, as JSON; see web/src/data.ts for the reading side.
nlohmann::ordered_json page_data(const StoredRun& run, const PageOptions& options = {});

std::string result_page(const StoredRun& run, const PageOptions& options = {});

// The page around data from elsewhere: `plumb serve` adds its controls. `connects`: the page may ask its own server.
std::string page_around(const nlohmann::ordered_json& data, bool connects = false);

// JSON that may stand in a <script> element whatever texts it holds.
std::string embedded_json(const nlohmann::ordered_json& data);

}  // namespace plumb
