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
  run_command->add_flag("--json", run_arguments.json, "Print the summary as JSON and nothing else");
  run_command->add_flag("--error", run_arguments.error, "Estimate the global error by a second, finer run");
  run_command->add_flag("--quiet", run_arguments.quiet, "Print nothing but warnings and errors");

  run_command->add_flag("--fix-start", run_arguments.fix_start,
                        "Equations: move an inconsistent start onto the constraints");

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

  bool methods_json = false;
  CLI::App* methods_command = app.add_subcommand("methods", "List the methods with their orders");
  methods_command->add_flag("--json", methods_json, "Print JSON");

  ValidateArguments validate_arguments;
  CLI::App* validate_command =
      app.add_subcommand("validate", "Run the published cases: target, published, ours, ratio");
  validate_command->add_option("CASE", validate_arguments.cases, "Cases to run; all if none is named");
  validate_command->add_option("--out", validate_arguments.out, "Write the result files of the cases there")
      ->type_name("DIR");
  validate_command->add_flag("--json", validate_arguments.json, "Print JSON");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? done : bad_input;
  }
  if (*run_command) return run(run_arguments);
  if (*derive_command) {
    derive_arguments.format = latex  ? DeriveFormat::latex
                              : html ? DeriveFormat::html
                              : c    ? DeriveFormat::c
                              : toml ? DeriveFormat::toml
                                     : DeriveFormat::text;
    return derive(derive_arguments);
  }
  if (*check_command) return check(check_arguments, check_json);
  if (*methods_command) return methods(methods_json);
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
