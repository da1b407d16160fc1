#include "plumb/equations/equation_gauge.h"

#include <fmt/format.h>

#include <cmath>

#include "plumb/equations/algebra_lock.h"
#include "plumb/model/parameters.h"

namespace plumb {
namespace {

class WatchNames : public Names {
 public:
  WatchNames(const Model& model, const std::vector<Channel>& channels) : model_(model), channels_(channels) {}
  std::optional<Meaning> find(std::string_view name) const override {
    if (name == "t") return Meaning{std::nullopt, time_slot};
    if (const auto p = model_.parameters.find(std::string(name)); p != model_.parameters.end())
      return Meaning{p->second};
    for (const Channel& c : channels_)
      if (c.kind == Channel::Kind::quantity && c.name == name) return Meaning{std::nullopt, c.index + 1};
    return std::nullopt;
  }
  std::vector<std::string> all() const override {
    std::vector<std::string> names;
    for (const Channel& c : channels_) names.push_back(c.name);
    for (const auto& [name, value] : model_.parameters) names.push_back(name);
    return names;
  }

 private:
  const Model& model_;
  const std::vector<Channel>& channels_;
};

}  // namespace

EquationGauge::EquationGauge(const Model& model, const Flow& flow)
    : model_(model),
      flow_(flow),
      states_(flow.size()),
      tops_(static_cast<int>(flow.reduction().tops.size())),
      rate_(static_cast<std::size_t>(states_)) {
  const AlgebraLock lock;
  const Reduction& r = flow.reduction();
  channels_.push_back({Channel::Kind::time, 0, 0, "t"});
  int index = 0;
  const auto add = [&](const std::string& name) { channels_.push_back({Channel::Kind::quantity, index++, 0, name}); };
  for (const StateVariable& s : r.states) add(r.dae.symbols.name(s.place));
  for (const Symbols::Place& p : r.tops) add(r.dae.symbols.name(p));
  slots_.resize(static_cast<std::size_t>(1 + index));
  for (const WatchedQuantity& w : model.equations->watch) {
    watches_.push_back(
        parse_expression(w.expression, WatchNames(model, channels_), w.source, fmt::format("watch '{}'", w.name)));
    if (find(w.name))
      throw InputError(w.source, fmt::format("watch '{}'", w.name), "is the name of an unknown already");
    if (w.name == "energy") energy_ = index;
    add(w.name);
    watched_.push_back(channels_.back());
  }
  for (int level = 0; level < 3; ++level)
    channels_.push_back({Channel::Kind::violation, 0, level,
                         level == 0   ? "violation.position"
                         : level == 1 ? "violation.velocity"
                                      : "violation.acceleration"});

  TapeBuilder builder;
  declare(r, flow.omega(), builder);
  for (const GiNaC::ex& s : r.top_symbols) builder.input(s);
  for (std::size_t k = 0; k < r.rest.size(); ++k) {
    const bool is_algebraic = model.equations->equations[static_cast<std::size_t>(r.rest[k])].is_algebraic;
    if (!is_algebraic && r.levels[k].size() < 2) continue;  // an implicit differential equation, solved as it is
    for (std::size_t order = 0; order < r.levels[k].size() && order < 3; ++order) {
      builder.output(r.levels[k][order]);
      level_orders_.push_back(static_cast<int>(order));
    }
  }
  levels_ = std::make_unique<Tape>(builder.finish());
}

std::optional<Channel> EquationGauge::find(std::string_view name) const {
  for (const Channel& c : channels_)
    if (c.name == name) return c;
  return std::nullopt;
}

void EquationGauge::look_at(double t, const double* y) {
  t_ = t;
  y_ = y;
  has_rates_ = has_levels_ = has_slots_ = false;
}

void EquationGauge::need_rates() {
  if (has_rates_) return;
  flow_.evaluate(t_, y_, rate_.data());
  has_rates_ = true;
}

double EquationGauge::quantity(int index) {
  if (index < states_) return y_[index];
  need_rates();
  if (index < states_ + tops_) return flow_.top(index - states_);
  if (!has_slots_) {
    slots_[time_slot] = t_;
    for (int i = 0; i < states_ + tops_; ++i)
      slots_[static_cast<std::size_t>(i + 1)] = i < states_ ? y_[i] : flow_.top(i - states_);
    has_slots_ = true;
  }
  return watches_[static_cast<std::size_t>(index - states_ - tops_)].evaluate(slots_.data());
}

double EquationGauge::violation(int level) {
  if (!has_levels_) {
    need_rates();
    double* const in = levels_->inputs();
    in[0] = t_;
    for (int i = 0; i < states_; ++i) in[1 + i] = y_[i];
    for (int i = 0; i < tops_; ++i) in[1 + states_ + i] = flow_.top(i);
    levels_->run();
    has_levels_ = true;
  }
  double square = 0;
  for (std::size_t i = 0; i < level_orders_.size(); ++i)
    if (level_orders_[i] == level) square += levels_->output(i) * levels_->output(i);
  return std::sqrt(square);
}

double EquationGauge::value(const Channel& c) {
  switch (c.kind) {
    case Channel::Kind::time: return t_;
    case Channel::Kind::violation: return violation(c.component);
    default: return quantity(c.index);
  }
}

}  // namespace plumb
