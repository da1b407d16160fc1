// plumb view RESULTS
#include <fmt/format.h>

#include <filesystem>

#include "commands.h"
#include "page_file.h"

namespace plumb::cli {

int view(const ViewArguments& a) {
  const std::string page = a.html ? *a.html : (std::filesystem::path(a.results) / "result.html").string();
  const StoredRun run = read_results(a.results);
  require_writable(a.html ? "--html" : "plumb view", page);
  PageOptions options;
  // All rows lie beside the page already.
  if (!a.html) options.full_data = "trajectory.csv";
  fmt::print("page in {}\n", write_page(run, page, options));
  return done;
}

}  // namespace plumb::cli
