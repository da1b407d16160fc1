// The command `plumb`.
#include <fmt/format.h>

#include <exception>
#include <CLI/CLI.hpp>

#include "plumb/model/input_error.h"
#include "commands.h"

namespace {

using namespace plumb::cli;

void add_model(CLI::App& command, ModelArguments& a) {
  command.add_option("MODEL", a.path, "Model file (TOML)")->required();
  command.add_option("--set", a.set, "Set a parameter of the model: name=value (repeatable)")->type_name("NAME=VALUE");
}

int dispatch(int argc, char** argv) {
  CLI::App app("Plumb simulates constrained mechanical systems and says how far the answer can be trusted.", "plumb");
  app.set_version_flag("--version", "plumb " PLUMB_VERSION);
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);

  RunArguments run_arguments;
  CLI::App* run_command = app.add_subcommand("run", "Simulate a model and audit the result");
  add_model(*run_command, run_arguments.model);
  run_command->add_option("--method", run_arguments.method, "formulation/integrator, see `plumb methods`");
  run_command->add_option("--tolerance", run_arguments.tolerance, "Adaptive step with this tolerance");
  run_command->add_option("--step", run_arguments.step, "Fixed step, s");
  run_command->add_option("--duration", run_arguments.duration, "Simulated time, s");
  run_command->add_option("--output-every", run_arguments.output_every, "Interval of the output grid, s");
  run_command->add_option("--omega", run_arguments.omega, "Damping of the baumgarte formulation, 1/s");
  run_command->add_option("--out", run_arguments.out, "Write trajectory.csv, events.csv and summary.json there")
      ->type_name("DIR");
  run_command
      ->add_option("--format", run_arguments.format, "Further result files: csv (always) or iftomm (six columns)")
      ->check(CLI::IsMember({"csv", "iftomm"}))
      ->delimiter(',');
  run_command->add_option("--html", run_arguments.html, "Write one self-contained page: animation, plots, audit")
      ->type_name("FILE");
  run_command->add_flag("--json", run_arguments.json, "Print the summary as JSON and nothing else");
  run_command->add_flag("--error", run_arguments.error, "Estimate the global error by a second, finer run");
  run_command->add_flag("--static", run_arguments.at_rest, "Find the static equilibrium instead of running");
  run_command->add_flag("--strict", run_arguments.strict, "Exit with 1 unless the verdict is `trusted`");
  run_command->add_flag("--quiet", run_arguments.quiet, "Print nothing but warnings and errors");

  run_command->add_flag(
      "--fix-start", run_arguments.fix_start,
      "Begin at the nearest start that is possible: equations onto their constraints, joints within their limits");

  DeriveArguments derive_arguments;
  bool latex = false, html = false, c = false, toml = false;
  CLI::App* derive_command =
      app.add_subcommand("derive", "Show how equations are differentiated, reduced, stabilised, solved and stepped");
  add_model(*derive_command, derive_arguments.model);
  derive_command->add_option("--method", derive_arguments.method, "form/integrator, e.g. index0/midpoint");
  auto* kinds = derive_command->add_option_group("format", "");
  kinds->add_flag("--latex", latex, "As a LaTeX document");
  kinds->add_flag("--html", html, "As a page with rendered mathematics, self-contained");
  kinds->add_flag("--c", c, "As C functions: the right-hand side and a whole step");
  kinds->add_flag("--toml", toml, "The equations as a model file (of a mechanism: its DAE)");
  kinds->require_option(0, 1);
  derive_command->add_option("-o,--output", derive_arguments.out, "Write there instead of standard output")
      ->type_name("FILE");

  ModelArguments check_arguments;
  bool check_json = false;
  CLI::App* check_command = app.add_subcommand("check", "Report freedom, rank, redundancy and consistency of a model");
  add_model(*check_command, check_arguments);
  check_command->add_flag("--json", check_json, "Print JSON");

  ModelArguments modes_arguments;
  bool modes_json = false, modes_static = false;
  CLI::App* modes_command =
      app.add_subcommand("modes", "Eigenvalues and mode shapes about the start, constraints eliminated");
  add_model(*modes_command, modes_arguments);
  modes_command->add_flag("--static", modes_static, "About the static equilibrium instead of the start");
  modes_command->add_flag("--json", modes_json, "Print JSON");

  ConvertArguments convert_arguments;
  CLI::App* convert_command = app.add_subcommand("convert", "Turn a URDF or MJCF file into a model file");
  convert_command->add_option("FILE", convert_arguments.path, "URDF (<robot>) or MJCF (<mujoco>)")->required();
  convert_command->add_option("--out,-o", convert_arguments.out, "Write the model there instead of printing it");
  convert_command->add_flag("--overwrite", convert_arguments.overwrite, "Replace an existing file");
  convert_command->add_flag("--fix-base", convert_arguments.fix_base, "URDF: the root link is fixed to the ground");

  bool methods_json = false;
  CLI::App* methods_command = app.add_subcommand("methods", "List the methods with their orders");
  methods_command->add_flag("--json", methods_json, "Print JSON");

  ValidateArguments validate_arguments;
  CLI::App* validate_command =
      app.add_subcommand("validate", "Run the published cases: target, published, ours, ratio");
  validate_command->add_option("CASE", validate_arguments.cases, "Cases to run; all if none is named");
  validate_command->add_option("--out", validate_arguments.out, "Write the result files of the cases there")
      ->type_name("DIR");
  validate_command
      ->add_option("--report", validate_arguments.report, "Write a report with figures and animations there")
      ->type_name("DIR");
  validate_command->add_flag("--json", validate_arguments.json, "Print JSON");

  PlotArguments plot_arguments;
  CLI::App* plot_command = app.add_subcommand("plot", "Draw channels of stored results as SVG or PNG");
  plot_command->add_option("RESULTS", plot_arguments.results, "Directory written by `plumb run --out`")->required();
  plot_command->add_option("CHANNEL", plot_arguments.channels, "Channels to draw, e.g. bob.x energy.total");
  plot_command->add_option("-o,--output", plot_arguments.out, "File to write")->required()->type_name("FILE.svg|png");
  plot_command->add_option("--x", plot_arguments.x, "Channel of the horizontal axis (default t)")->type_name("CHANNEL");
  plot_command->add_option("--y", plot_arguments.y, "Channels to draw, as above")->type_name("CHANNEL");
  plot_command->add_option("--title", plot_arguments.title, "Title above the plot");
  plot_command->add_option("--width", plot_arguments.width, "Width, default 640");
  plot_command->add_option("--height", plot_arguments.height, "Height, default 400");
  plot_command->add_flag("--log", plot_arguments.log, "Logarithmic vertical axis");
  plot_command->add_flag("--log-x", plot_arguments.log_x, "Logarithmic horizontal axis");
  plot_command->add_flag("--quiet", plot_arguments.quiet, "Print nothing but errors");

  ViewArguments view_arguments;
  CLI::App* view_command = app.add_subcommand("view", "Make the page of stored results");
  view_command->add_option("RESULTS", view_arguments.results, "Directory written by `plumb run --out`")->required();
  view_command->add_option("--html", view_arguments.html, "File to write (default RESULTS/result.html)")
      ->type_name("FILE");

  ServeArguments serve_arguments;
  CLI::App* serve_command =
      app.add_subcommand("serve", "Show a model in the browser of this machine, with sliders that run it again");
  add_model(*serve_command, serve_arguments.model);
  serve_command->add_option("--port", serve_arguments.port, "Port to listen on (default: any free one)");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? done : bad_input;
  }
  if (*run_command && run_arguments.at_rest) return equilibrium(run_arguments.model, run_arguments.json);
  if (*run_command) return run(run_arguments);
  if (*derive_command) {
    derive_arguments.format = latex  ? DeriveFormat::latex
                              : html ? DeriveFormat::html
                              : c    ? DeriveFormat::c
                              : toml ? DeriveFormat::toml
                                     : DeriveFormat::text;
    return derive(derive_arguments);
  }
  if (*convert_command) return convert(convert_arguments);
  if (*modes_command) return modes(modes_arguments, modes_static, modes_json);
  if (*check_command) return check(check_arguments, check_json);
  if (*methods_command) return methods(methods_json);
  if (*plot_command) return plot(plot_arguments);
  if (*view_command) return view(view_arguments);
  if (*serve_command) return serve(serve_arguments);
  return validate(validate_arguments);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return dispatch(argc, argv);
  } catch (const plumb::InputError& e) {
    fmt::print(stderr, "{}\n", e.what());
  } catch (const std::exception& e) {
    fmt::print(stderr, "plumb: {}\n", e.what());
  }
  return bad_input;
}
