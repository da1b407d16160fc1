#include "plumb/equations/flow.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "plumb/equations/algebra_lock.h"

namespace plumb {

using GiNaC::ex;

BlockEquations equations_of(const Reduction& r, const SolvedBlock& block) {
  BlockEquations e;
  for (int j : block.unknowns) e.unknowns.push_back(r.top_symbols[static_cast<std::size_t>(j)]);
  for (int i : block.equations) {
    std::vector<ex> row;
    for (int j : block.unknowns) row.push_back(r.jacobian(i, j));
    e.matrix.push_back(row);
    e.right.push_back(block.is_linear ? -r.without(i, block) : r.stabilised[static_cast<std::size_t>(i)]);
  }
  return e;
}

ex solution_of(const Reduction& r, const SolvedBlock& block) {
  const BlockEquations e = equations_of(r, block);
  return cheapest(r, e.right[0]) / cheapest(r, e.matrix[0][0]);
}

namespace {

// Nested by the variable that occurs in the most terms, ties by name.
ex nested(const std::vector<ex>& terms, const std::vector<std::pair<std::string, ex>>& variables) {
  const std::pair<std::string, ex>* best = nullptr;
  std::size_t most = 1;
  for (const auto& v : variables) {
    const auto n =
        static_cast<std::size_t>(std::ranges::count_if(terms, [&](const ex& t) { return t.degree(v.second) > 0; }));
    if (n > most) most = n, best = &v;
  }
  if (!best) {
    ex sum = 0;
    for (const ex& t : terms) sum += t;
    return sum;
  }
  std::vector<ex> with, without;
  for (const ex& t : terms)
    if (t.degree(best->second) > 0)
      with.push_back(t / best->second);
    else
      without.push_back(t);
  return best->second * nested(with, variables) + nested(without, variables);
}

std::size_t cost(const Reduction& r, const ex& e) {
  TapeBuilder builder;
  declare(r, 1, builder);
  for (const ex& s : r.top_symbols) builder.input(s);
  builder.output(e);
  return builder.finish().operations();
}

}  // namespace

ex cheapest(const Reduction& r, const ex& e) {
  std::vector<std::pair<std::string, ex>> variables;
  for (const ex& s : symbols_in(e)) {
    if (!e.is_polynomial(s)) return e;
    if (!r.dae.symbols.is_parameter(s) && !s.is_equal(r.omega))
      variables.emplace_back(GiNaC::ex_to<GiNaC::symbol>(s).get_name(), s);
  }
  std::ranges::sort(variables, {}, [](const auto& v) { return v.first; });
  // Multiplying out is worth a try only where it stays short.
  if (expanded_terms(e) > 500) return e;
  const ex expanded = e.expand();
  if (!GiNaC::is_a<GiNaC::add>(expanded) || expanded.nops() > 60) return e;
  std::vector<ex> terms;
  for (std::size_t i = 0; i < expanded.nops(); ++i) terms.push_back(expanded.op(i));
  const ex candidate = nested(terms, variables);
  return cost(r, candidate) < cost(r, e) ? candidate : e;
}

namespace {

// Solves the blocks in order, then the rates, then what was solved for.
Tape rate_tape(const Reduction& r, double omega, std::vector<std::pair<int, std::size_t>>& pivots) {
  const AlgebraLock lock;
  TapeBuilder builder;
  declare(r, omega, builder);
  std::vector<std::pair<int, ex>> factors;
  for (std::size_t b = 0; b < r.blocks.size(); ++b) {
    const SolvedBlock& block = r.blocks[b];
    if (block.is_linear && block.unknowns.size() == 1) {
      builder.bind(r.top_symbols[static_cast<std::size_t>(block.unknowns[0])], solution_of(r, block));
      factors.emplace_back(static_cast<int>(b), r.jacobian(block.equations[0], block.unknowns[0]));
      continue;
    }
    const BlockEquations e = equations_of(r, block);
    builder.system(e.unknowns, e.matrix, e.right, block.is_linear);
  }
  for (const StateVariable& s : r.states) builder.output(s.rate);
  for (const ex& top : r.top_symbols) builder.output(top);
  for (const auto& [block, factor] : factors) {
    pivots.emplace_back(block, r.states.size() + r.top_symbols.size() + pivots.size());
    builder.output_up_to_sign(cheapest(r, factor));
  }
  return builder.finish();
}

}  // namespace

Flow::Flow(Reduction reduction, double omega)
    : reduction_(make_algebraic(std::move(reduction))),
      omega_(omega),
      n_(static_cast<int>(reduction_->states.size())),
      tape_(rate_tape(*reduction_, omega, pivots_)),
      constraints_(*reduction_, omega) {
  std::size_t system = 0;
  for (const SolvedBlock& b : reduction_->blocks) {
    if (b.is_linear && b.unknowns.size() == 1) continue;
    for (std::size_t k = 0; k < b.unknowns.size() && !b.is_linear; ++k)
      nonlinear_.push_back({b.unknowns[k], tape_.systems()[system].unknowns[k]});
    ++system;
  }
}

void Flow::guess(int top, double value) {
  for (const NonlinearTop& u : nonlinear_)
    if (u.top == top) tape_.set_register(u.place_in_tape, value);
}

bool Flow::is_nonlinear(int top) const { return std::ranges::count(nonlinear_, top, &NonlinearTop::top) > 0; }

void Flow::evaluate(double t, const double* y, double* rate) {
  if (branch_)
    for (const NonlinearTop& u : nonlinear_)
      tape_.set_register(u.place_in_tape, branch_->at(static_cast<std::size_t>(u.top), t));
  double* const in = tape_.inputs();
  in[0] = t;
  for (int i = 0; i < n_; ++i) in[i + 1] = y[i];
  tape_.run();
  for (int i = 0; i < n_; ++i) rate[i] = tape_.output(static_cast<std::size_t>(i));
  if (reduction_->form != Form::ggl) return;
  constraints_.evaluate(t, y);
  constraints_.hold(rate);
}

StepReport Flow::settle(double t, double* y) {
  for (int i = 0; i < n_; ++i)
    if (!(std::abs(y[i]) < bound_)) return {StepReport::Kind::unsolved, std::abs(y[i]), -1};
  if (tape_.singular_system() >= 0) return {StepReport::Kind::unsolved, 0, -1};
  return reduction_->form == Form::projected ? constraints_.project(t, y) : StepReport{};
}

double Flow::regularity() const {
  double smallest = tape_.smallest_pivot();
  for (const auto& [block, output] : pivots_)
    if (!(std::abs(tape_.output(output)) > 0)) smallest = 0;
  return smallest;
}

std::string Flow::fault() {
  const int number = tape_.singular_system();
  if (number < 0) return {};
  tape_.forget_faults();
  int system = -1;
  for (const SolvedBlock& b : reduction_->blocks) {
    if (b.is_linear && b.unknowns.size() == 1) continue;
    if (++system != number) continue;
    std::vector<std::string> unknowns, labels;
    for (int j : b.unknowns)
      unknowns.push_back(reduction_->dae.symbols.name(reduction_->tops[static_cast<std::size_t>(j)]));
    for (int i : b.equations)
      labels.push_back(
          reduction_->dae.equations[static_cast<std::size_t>(reduction_->rest[static_cast<std::size_t>(i)])].label);
    if (unknowns.size() > 8) unknowns.resize(8), unknowns.emplace_back("…");
    if (labels.size() > 8) labels.resize(8), labels.emplace_back("…");
    return fmt::format("{} cannot be found from {}", fmt::join(unknowns, ", "), fmt::join(labels, ", "));
  }
  return "the equations cannot be solved";
}

// With the tops X solved from G(t, y, X) = 0:  dF/dy = f_y + f_X dX/dy,   G_X dX/dy = -G_y.
void Flow::build_jacobian() {
  const AlgebraLock lock;
  const Reduction& r = *reduction_;
  TapeBuilder builder;
  declare(r, omega_, builder);
  for (const ex& s : r.top_symbols) builder.input(s);
  const int m = static_cast<int>(r.top_symbols.size());
  std::vector<GiNaC::symbol> names;  // dX_k/dy_j, m x n by rows
  for (int k = 0; k < m * n_; ++k) names.emplace_back(fmt::format("X{}", k));
  std::vector<std::vector<ex>> matrix;
  for (int i = 0; i < m; ++i) {
    matrix.emplace_back();
    for (int k = 0; k < m; ++k) matrix.back().push_back(r.jacobian(i, k));
  }
  for (int j = 0; j < n_; ++j) {
    const auto& y = GiNaC::ex_to<GiNaC::symbol>(r.states[static_cast<std::size_t>(j)].symbol);
    std::vector<ex> unknowns, right;
    for (int i = 0; i < m; ++i) {
      unknowns.emplace_back(names[static_cast<std::size_t>(i * n_ + j)]);
      right.push_back(-r.stabilised[static_cast<std::size_t>(i)].diff(y));
    }
    if (m > 0) builder.system(unknowns, matrix, right, true);
  }
  for (int i = 0; i < n_; ++i)
    for (int j = 0; j < n_; ++j) {
      const ex& f = r.states[static_cast<std::size_t>(i)].rate;
      ex e = f.diff(GiNaC::ex_to<GiNaC::symbol>(r.states[static_cast<std::size_t>(j)].symbol));
      for (int k = 0; k < m; ++k)
        e += f.diff(GiNaC::ex_to<GiNaC::symbol>(r.top_symbols[static_cast<std::size_t>(k)])) *
             names[static_cast<std::size_t>(k * n_ + j)];
      builder.output(e);
    }
  jacobian_ = builder.finish();
}

void Flow::run_with_tops(Tape& tape, double t, const double* y) {
  double* const in = tape.inputs();
  in[0] = t;
  std::copy_n(y, n_, in + 1);
  for (std::size_t k = 0; k < reduction_->top_symbols.size(); ++k)
    in[1 + n_ + static_cast<int>(k)] = top(static_cast<int>(k));
  tape.run();
}

bool Flow::jacobian(double t, const double* y, double* out) {
  if (reduction_->form == Form::ggl) return false;
  if (!jacobian_) build_jacobian();
  work_.resize(static_cast<std::size_t>(n_));
  evaluate(t, y, work_.data());
  run_with_tops(*jacobian_, t, y);
  for (int i = 0; i < n_ * n_; ++i) out[i] = jacobian_->output(static_cast<std::size_t>(i));
  return true;
}

// Block by block, of G(t, y(t), X(t)) = 0:  G_X X' = -(G_t + G_y y') - G_earlier X'_earlier.
void Flow::build_slopes() {
  const AlgebraLock lock;
  const Reduction& r = *reduction_;
  TapeBuilder builder;
  declare(r, omega_, builder);
  for (const ex& s : r.top_symbols) builder.input(s);
  std::vector<ex> slopes(r.top_symbols.size(), 0);
  std::vector<GiNaC::symbol> names;
  for (const ex& s : r.top_symbols) names.emplace_back("rate_of_" + GiNaC::ex_to<GiNaC::symbol>(s).get_name());
  for (const SolvedBlock& block : r.blocks) {
    std::vector<ex> unknowns, right;
    std::vector<std::vector<ex>> matrix;
    for (int j : block.unknowns) unknowns.emplace_back(names[static_cast<std::size_t>(j)]);
    for (int i : block.equations) {
      const ex& g = r.stabilised[static_cast<std::size_t>(i)];
      matrix.emplace_back();
      for (int j : block.unknowns) matrix.back().push_back(r.jacobian(i, j));
      ex sum = 0;
      for (const ex& s : symbols_in(g)) {
        const auto& symbol = GiNaC::ex_to<GiNaC::symbol>(s);
        const auto is_same = [&](const ex& other) { return other.is_equal(s); };
        if (is_same(r.dae.symbols.time())) sum += g.diff(symbol);
        if (const auto state = std::ranges::find_if(r.states, is_same, &StateVariable::symbol); state != r.states.end())
          sum += g.diff(symbol) * state->rate;
        if (const auto top = std::ranges::find_if(r.top_symbols, is_same); top != r.top_symbols.end())
          sum += g.diff(symbol) * slopes[static_cast<std::size_t>(top - r.top_symbols.begin())];
      }
      right.push_back(-sum);
    }
    builder.system(unknowns, matrix, right, true);
    for (int j : block.unknowns) slopes[static_cast<std::size_t>(j)] = names[static_cast<std::size_t>(j)];
  }
  for (const ex& e : slopes) builder.output(e);
  slopes_ = builder.finish();
  slopes_->hold(modes_);
}

void Flow::look(double t, const double* y, Branch::Point& point) {
  if (!slopes_) build_slopes();
  const std::size_t m = reduction_->top_symbols.size();
  for (std::vector<double>* v : {&point.x, &point.rate, &work_}) v->resize(std::max(m, static_cast<std::size_t>(n_)));
  evaluate(t, y, work_.data());
  run_with_tops(*slopes_, t, y);
  point.t = t;
  for (std::size_t k = 0; k < m; ++k) {
    point.x[k] = top(static_cast<int>(k));
    const double rate = slopes_->output(k);
    point.rate[k] = std::isfinite(rate) ? rate : 0;
  }
}

// ---- what switches

void Flow::hold_switches(const double* modes) {
  modes_ = modes;
  tape_.hold(modes);
  constraints_.hold_switches(modes);
  for (std::optional<Tape>* t : {&jacobian_, &slopes_, &sides_})
    if (*t) (*t)->hold(modes);
}

// The arguments of every switch.
void Flow::build_sides() {
  const AlgebraLock lock;
  TapeBuilder builder;
  declare(*reduction_, omega_, builder);
  for (const ex& s : reduction_->top_symbols) builder.input(s);
  for (const SwitchPoint& s : reduction_->switches) {
    builder.output(s.side.op(0));
    builder.output(s.side.nops() > 1 ? s.side.op(1) : ex(0));
    builder.output(s.side);
  }
  sides_ = builder.finish();
}

void Flow::find_sides(double t, const double* y, const double* modes) {
  if (!sides_) build_sides();
  const double* const before = modes_;
  hold_switches(modes);
  work_.resize(static_cast<std::size_t>(n_));
  evaluate(t, y, work_.data());
  run_with_tops(*sides_, t, y);
  hold_switches(before);
}

void Flow::live_modes(double t, const double* y, double* modes) {
  find_sides(t, y, nullptr);
  for (std::size_t i = 0; i < reduction_->switches.size(); ++i) modes[i] = sides_->output(3 * i + 2);
}

void Flow::indicators(double t, const double* y, const double* modes, double* z) {
  find_sides(t, y, modes);
  for (std::size_t i = 0; i < reduction_->switches.size(); ++i)
    z[i] =
        indicator(sides_->switch_kind(static_cast<int>(i)), modes[i], sides_->output(3 * i), sides_->output(3 * i + 1));
}

double Flow::next_mode(double t, const double* y, int number, const double* modes) {
  find_sides(t, y, modes);
  const std::size_t i = static_cast<std::size_t>(number);
  return plumb::next_mode(sides_->switch_kind(number), modes[i], sides_->output(3 * i), sides_->output(3 * i + 1));
}

}  // namespace plumb
