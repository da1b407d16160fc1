// plumb derive MODEL
#include <fmt/format.h>

#include "plumb/plumb.h"
#ifdef PLUMB_EQUATIONS
#include "plumb/equations/c_code.h"
#include "plumb/equations/derivation.h"
#include "plumb/equations/from_mechanism.h"
#endif
#include "commands.h"
#include "model_arguments.h"

namespace plumb::cli {

int derive(const DeriveArguments& a) {
  Model model = read(a.model);
  if (a.method) model.simulation.method = *a.method;
#ifdef PLUMB_EQUATIONS
  const bool is_mechanism = !model.equations;
  if (is_mechanism) model = equations_of_mechanism(model);
  std::string text;
  switch (a.format) {
    case DeriveFormat::text:
      if (is_mechanism) text = "The mechanism as equations:\n\n" + as_model_file(model) + "\n";
      text += as_text(plumb::derive(model));
      break;
    case DeriveFormat::latex: text = as_latex(plumb::derive(model)); break;
    case DeriveFormat::html: text = as_html(plumb::derive(model)); break;
    case DeriveFormat::c: text = c_code(model); break;
    case DeriveFormat::toml: text = as_model_file(model); break;
  }
  if (a.out)
    write_file(*a.out, text);
  else
    fmt::print("{}", text);
  return done;
#else
  throw InputError(model.source, "", no_equations);
#endif
}

}  // namespace plumb::cli
