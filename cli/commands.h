// The commands: arguments -> library -> text, JSON, files. Each returns the exit code.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace plumb::cli {

// 0 done; 1 the run ended in another outcome than completed or stopped, or must be trusted (--strict) and is not; 2 bad
// input; 3 a validation target missed
enum ExitCode { done = 0, not_completed = 1, bad_input = 2, target_missed = 3 };

// Overrides of the model that several commands share.
struct ModelArguments {
  std::string path;
  std::vector<std::string> set;  // name=value
};

struct RunArguments {
  ModelArguments model;
  std::optional<std::string> method;
  std::optional<double> tolerance, step, duration, omega, output_every;
  std::optional<std::string> out, html;
  std::vector<std::string> format;
  bool json = false, error = false, quiet = false, fix_start = false, at_rest = false, strict = false;
};
int run(const RunArguments& arguments);

int check(const ModelArguments& arguments, bool json);

enum class DeriveFormat { text, latex, html, c, toml };
struct DeriveArguments {
  ModelArguments model;
  std::optional<std::string> method;
  std::optional<std::string> out;  // a file; standard output otherwise
  DeriveFormat format = DeriveFormat::text;
};
int derive(const DeriveArguments& arguments);

// Static equilibrium: plumb run --static
int equilibrium(const ModelArguments& arguments, bool json);

int modes(const ModelArguments& arguments, bool about_equilibrium, bool json);

struct ConvertArguments {
  std::string path;
  std::optional<std::string> out;
  bool fix_base = false, overwrite = false;
};
int convert(const ConvertArguments& arguments);

int methods(bool json);

struct PlotArguments {
  std::string results, out, x = "t", title;
  std::vector<std::string> channels, y;
  double width = 640, height = 400;
  bool log = false, log_x = false, quiet = false;
};
int plot(const PlotArguments& arguments);

struct ViewArguments {
  std::string results;
  std::optional<std::string> html;
};
int view(const ViewArguments& arguments);

struct ServeArguments {
  ModelArguments model;
  int port = 0;
};
int serve(const ServeArguments& arguments);

struct ValidateArguments {
  std::vector<std::string> cases;
  std::optional<std::string> out, report;
  bool json = false;
};
int validate(const ValidateArguments& arguments);

}  // namespace plumb::cli
