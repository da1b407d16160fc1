// plumb convert FILE [--out MODEL]
#include <fmt/format.h>

#include <filesystem>

#include "plumb/convert/import.h"
#include "plumb/model/check.h"
#include "plumb/plumb.h"
#include "commands.h"

namespace plumb::cli {

int convert(const ConvertArguments& arguments) {
  const Imported imported = import_model(arguments.path, {arguments.fix_base});
  check(imported.model);
  std::string text = fmt::format("# Converted from {}.\n", std::filesystem::path(arguments.path).filename().string());
  for (const NotImported& n : imported.left_out)
    text += fmt::format("# Not converted: line {}: {}: {}.\n", n.line, n.element, n.reason);
  text += write_model(imported.model);
  if (arguments.out) {
    if (std::filesystem::exists(*arguments.out) && !arguments.overwrite)
      throw InputError(fmt::format("{}: exists already; --overwrite replaces it", *arguments.out));
    write_file(*arguments.out, text);
  } else {
    fmt::print("{}", text);
  }
  for (const NotImported& n : imported.left_out)
    fmt::print(stderr, "{}:{}: not converted: {}: {}\n", arguments.path, n.line, n.element, n.reason);
  fmt::print(stderr, "{} bodies, {} joints, {} forces; {} elements or attributes not converted\n",
             imported.model.bodies.size(), imported.model.joints.size(), imported.model.forces.size(),
             imported.left_out.size());
  return done;
}

}  // namespace plumb::cli
