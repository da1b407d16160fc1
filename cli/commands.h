// The commands: arguments -> library -> text, JSON, files. Each returns the exit code.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace plumb::cli {

// 0 done, 1 the run ended in another outcome than completed or stopped, 2 bad input, 3 a validation target missed
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
  std::optional<std::string> out;
  std::vector<std::string> format;
  bool json = false, error = false, quiet = false, at_rest = false;
};
int run(const RunArguments& arguments);

int check(const ModelArguments& arguments, bool json);

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

struct ValidateArguments {
  std::vector<std::string> cases;
  std::optional<std::string> out;
  bool json = false;
};
int validate(const ValidateArguments& arguments);

}  // namespace plumb::cli
