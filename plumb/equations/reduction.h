// Index reduction: from f(t, x, x', …) = 0 to y' = F(t, y), with every step kept so that it can be shown.
//
// An equation that gives one highest derivative by itself (x' = u, u' = -x mu) is a definition: wherever that
// derivative turns up it is replaced. The other equations are differentiated as often as their offsets say; then they
// determine the remaining highest derivatives and algebraic unknowns, the `tops`:
//   index1              f_i^(c_i) = 0, or (d/dt + omega)^(c_i) f_i = 0, solved for x_j^(d_j), which are no states
//   index0              (d/dt + omega)^(c_i + 1) f_i = 0, solved for x_j^(d_j + 1); algebraic unknowns are states
//   projected, ggl      as index1, bare; the f_i^(k), k < c_i, are kept as invariants
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "plumb/equations/dae.h"

namespace plumb {

enum class Form { index0, index1, projected, ggl };
struct FormInfo {
  Form form;
  const char* name;
  const char* description;
};
const std::vector<FormInfo>& forms();

struct Definition {
  int equation, unknown, order;
  GiNaC::ex value;
};

// f_i^(order) = 0. Stage -k, k > 0: it restricts the derivatives x_j^(d_j - k), given those of lower stages.
struct Invariant {
  int equation, order, stage;
  GiNaC::ex value;
};

struct StateVariable {
  Symbols::Place place;
  int stage;
  GiNaC::ex symbol, rate;
};

// What is solved in one piece: equations (of `stabilised`) for unknowns (of `tops`).
struct SolvedBlock {
  std::vector<int> equations, unknowns;
  bool is_linear = true;
};

// Something that switches, and the equation it first stands in.
struct SwitchPoint {
  GiNaC::ex side;  // equations/functions.h
  int equation;
};

struct Reduction {
  Dae dae;
  Signature signature{0, 0};
  Structure structure;
  Form form = Form::index1;
  bool is_stabilised = false;
  GiNaC::symbol omega;

  std::vector<Definition> definitions;
  std::vector<int> rest;                       // equations that are no definitions
  std::vector<std::vector<GiNaC::ex>> levels;  // of each of these: f, f', f'', …
  std::vector<GiNaC::ex> stabilised;           // of each: what is solved
  std::vector<Symbols::Place> tops;            // for these
  std::vector<GiNaC::ex> top_symbols;
  std::vector<SolvedBlock> blocks;  // in the order in which they can be solved

  std::vector<StateVariable> states;
  std::vector<Invariant> invariants;
  std::vector<SwitchPoint> switches;  // inner ones first

  int times(int rest_equation) const {  // it is differentiated
    return structure.c[static_cast<std::size_t>(rest[static_cast<std::size_t>(rest_equation)])] +
           (form == Form::index0);
  }
  // d f_i / d X_j of the equations to be solved.
  GiNaC::ex jacobian(int equation, int top) const;
  // What remains of an equation with the tops of its block set to zero.
  GiNaC::ex without(int equation, const SolvedBlock& block) const;
};

// How many terms an expression would have if it were multiplied out, at most.
double expanded_terms(const GiNaC::ex& e);

// Throws InputError where the system cannot be solved for its highest derivatives whatever their values.
Reduction reduce(const Model& model, Form form, bool is_stabilised);
Reduction reduce(const Model& model, Dae dae, Form form, bool is_stabilised);

}  // namespace plumb
