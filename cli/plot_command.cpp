// plumb plot RESULTS CHANNEL… -o FILE
#include <fmt/format.h>

#include <filesystem>

#include "plumb/figure/svg.h"
#include "plumb/report/standard_plots.h"
#include "plumb/trajectory/writers.h"
#include "commands.h"
#include "page_file.h"
#include "png.h"

namespace plumb::cli {

int plot(const PlotArguments& a) {
  ChannelPlot plot{a.title, a.channels, a.x, a.log};
  plot.channels.insert(plot.channels.end(), a.y.begin(), a.y.end());
  if (plot.channels.empty()) throw InputError("plumb plot: name at least one channel, e.g. energy.total");
  const std::string kind = std::filesystem::path(a.out).extension().string();
  if (kind != ".svg" && kind != ".png") throw InputError(fmt::format("-o {}: must end in .svg or .png", a.out));
  const auto size = [](const char* option, double x) {
    if (!(x >= 100 && x <= 10000)) throw InputError(fmt::format("{} {}: must lie between 100 and 10000", option, x));
  };
  size("--width", a.width), size("--height", a.height);
  const StoredRun run = read_results(a.results);
  Figure figure = figure_of(run, plot);
  figure.x.log = a.log_x;
  if (a.log_x) figure.x.range.reset();
  require_writable("-o", a.out);
  const std::string drawing = svg(figure, {a.width, a.height, true});
  write_file(a.out, kind == ".svg" ? drawing : png(drawing, 2));
  if (!a.quiet) fmt::print("{}\n", a.out);
  return done;
}

}  // namespace plumb::cli
