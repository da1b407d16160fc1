// The plots everyone wants to see first, the same in the page and in the report; and figures of any channels.
#pragma once

#include <optional>
#include <string>
#include <vector>
#include <nlohmann/json_fwd.hpp>

#include "plumb/figure/figure.h"
#include "plumb/system/system.h"
#include "plumb/trajectory/stored_run.h"

namespace plumb {

struct ChannelPlot {
  std::string title;
  std::vector<std::string> channels;
  std::string x = "t";
  bool log = false;
};

// The compiled model, for units and shapes; none where there is no model, or one without bodies.
std::optional<System> system_of(const StoredRun& run);

// Motion, energy, its balance, violations; contacts where there are any; of equations their unknowns.
std::vector<ChannelPlot> standard_plots(const StoredRun& run);
nlohmann::ordered_json standard_plots_json(const StoredRun& run);

// Throws InputError, with the nearest names, for channels that do not exist.
Figure figure_of(const StoredRun& run, const ChannelPlot& plot);

// "m/s"; empty where the model, and so the meaning of the channel, is not known.
std::string unit_of(const std::optional<System>& system, const std::string& channel);

}  // namespace plumb
