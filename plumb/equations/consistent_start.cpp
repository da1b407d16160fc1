#include "plumb/equations/consistent_start.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <Eigen/Core>

#include "plumb/equations/start_definitions.h"
#include "plumb/expression/nearest_name.h"
#include "plumb/solver/least_norm.h"

namespace plumb {
namespace {

constexpr double close = 1e-9;  // a start this near to a consistent one is consistent
using Origin = StartValue::Origin;

class Starter {
 public:
  Starter(const Model& model, Flow& flow)
      : model_(model),
        flow_(flow),
        r_(flow.reduction()),
        h_(flow.constraints()),
        n_(static_cast<std::size_t>(flow.size())) {
    y_.assign(n_, 0);
    rate_.assign(n_, 0);
    held_.assign(n_, 0);
    guessed_.assign(n_, 0);
    for (const InitialValue& v : model.equations->initial) take(v);
  }

  ConsistentStart find() {
    given_ = y_;
    evaluate_definitions(r_, flow_.omega(), held_or_guessed(), y_);
    const std::vector<double> from = y_;
    if (!satisfy_all_stages()) {
      const std::vector<double> reached = y_;
      y_ = from;
      // What is given may fix more than its own stage: then all that is free moves at once.
      if (!search(HiddenConstraints::all_stages, &held_)) {
        y_ = reached;
        blame(failed_stage_);
        find_nearest();
      }
    }
    solve_for_tops();
    start_.y = y_;
    report();
    return start_;
  }

 private:
  void take(const InitialValue& v) {
    const auto place = r_.dae.symbols.find_place(v.name);
    const auto same = [&](const Symbols::Place& p) {
      return place && p.unknown == place->unknown && p.order == place->order;
    };
    for (std::size_t i = 0; i < n_; ++i)
      if (same(r_.states[i].place)) {
        y_[i] = v.value;
        (v.is_guess ? guessed_ : held_)[i] = 1;
        return;
      }
    for (std::size_t k = 0; k < r_.tops.size(); ++k)
      if (same(r_.tops[k])) {
        flow_.guess(static_cast<int>(k), v.value);
        if (!v.is_guess) given_tops_.emplace_back(static_cast<int>(k), v);
        return;
      }
    std::vector<std::string> known;
    for (const StateVariable& s : r_.states) known.push_back(r_.dae.symbols.name(s.place));
    for (const Symbols::Place& p : r_.tops) known.push_back(r_.dae.symbols.name(p));
    if (place)
      throw InputError(v.source, "initial",
                       fmt::format("{} follows from the equations and is not given; values that may be given: {}",
                                   v.name, fmt::join(known, ", ")));
    throw InputError(v.source, "initial",
                     fmt::format("'{}' is no unknown of the equations{} (unknowns: {})", v.name,
                                 did_you_mean(v.name, known), fmt::join(known, ", ")));
  }

  std::vector<char> held_or_guessed() const {
    std::vector<char> either(n_);
    for (std::size_t i = 0; i < n_; ++i) either[i] = held_[i] || guessed_[i];
    return either;
  }

  bool satisfy_all_stages() {
    for (int stage = h_.first_stage(); stage <= h_.last_stage(); ++stage) {
      failed_stage_ = stage;
      if (!satisfy(stage)) return false;
    }
    return true;
  }

  bool is_of(int row, int stage) const {
    return stage == HiddenConstraints::all_stages || h_.invariant(row).stage == stage;
  }

  // How far the variables of the stage are from satisfying its constraints; constraints that none of them can change
  // count as far away.
  double distance(int stage) {
    h_.evaluate(0, y_.data());
    double residual = 0;
    for (int i = 0; i < h_.rows(); ++i)
      if (is_of(i, stage)) residual = std::max(residual, std::abs(h_.value(i)));
    std::vector<double> y = y_;
    const double d = h_.correct(stage, nullptr, 1, y.data());
    const bool helpless = residual > 1e-6 && d < 1e-12 * residual;
    return std::isfinite(d) && !helpless ? d : 1e300;
  }

  // Newton's method on the free variables; shorter steps where a whole one does not help.
  bool search(int stage, const std::vector<char>* held) {
    double last = 1e300;
    const auto residual = [&] {
      double sum = 0;
      h_.evaluate(0, y_.data());
      for (int i = 0; i < h_.rows(); ++i)
        if (is_of(i, stage)) sum += h_.value(i) * h_.value(i);
      return std::sqrt(sum);
    };
    for (int iteration = 0; iteration < 100; ++iteration) {
      const double before = residual();
      if (!std::isfinite(before)) return false;
      const std::vector<double> from = y_;
      double change = h_.correct(stage, held, 1, y_.data());
      if (change < 1e-15) break;
      for (double fraction = 0.5; fraction > 1e-4 && !(residual() <= before); fraction /= 2) {
        y_ = from;
        h_.evaluate(0, y_.data());
        h_.correct(stage, held, fraction, y_.data());
        change = std::max(change * fraction, 1e-300);
      }
      if (change < 1e-12 && change > 0.5 * last) break;
      last = change;
    }
    return distance(stage) <= close;
  }

  bool satisfy(int stage) {
    const std::vector<double> from = y_;
    if (search(stage, &held_)) return true;
    // From where nothing was given other places are tried, always the same ones.
    for (int attempt = 0; attempt < 24; ++attempt) {
      y_ = from;
      bool any = false;
      const double size = 0.5 * (1 + attempt / 4) * (attempt % 2 ? -1 : 1);
      for (std::size_t i = 0; i < n_; ++i)
        if (r_.states[i].stage == stage && !held_[i] && !guessed_[i])
          y_[i] += size * (attempt < 2 ? 1 : std::sin(12.9898 * static_cast<double>(i + 1) + 78.233 * attempt)),
              any = true;
      if (!any) break;
      if (search(stage, &held_)) return true;
    }
    y_ = from;
    return false;
  }

  void blame(int stage) {
    start_.consistent = false;
    h_.evaluate(0, y_.data());
    int worst = -1;
    for (int i = 0; i < h_.rows(); ++i)
      if (h_.invariant(i).stage == stage && (worst < 0 || !(std::abs(h_.value(i)) <= std::abs(h_.value(worst)))))
        worst = i;
    const HiddenConstraints::Row& bad = h_.invariant(worst);
    name(bad.equation, bad.order, h_.value(worst));
  }

  void name(int equation, int order, double residual) {
    const DaeEquation& e = r_.dae.equations[static_cast<std::size_t>(equation)];
    const char* times[] = {"", ", differentiated once", ", differentiated twice"};
    start_.equation = e.label + (order < 3 ? times[order] : fmt::format(", differentiated {} times", order));
    start_.text = e.text;
    start_.source = e.source;
    start_.residual = residual;
  }

  void find_nearest() {
    start_.has_nearest = true;
    y_ = given_;
    for (int stage = h_.first_stage(); stage <= h_.last_stage(); ++stage)
      start_.has_nearest = start_.has_nearest && (search(stage, &held_) || search(stage, nullptr));
    if (!start_.has_nearest) y_ = given_;
  }

  void solve_for_tops() {
    start_.is_regular = is_regular_at(y_, &start_.irregular);
    if (!start_.is_regular) {
      // Is it this place, or the equations?
      start_.is_singular_everywhere = true;
      for (int k = 1; k <= 3; ++k) {
        std::vector<double> elsewhere = y_;
        for (std::size_t i = 0; i < n_; ++i)
          elsewhere[i] += 0.7 * std::sin(1.3 * static_cast<double>(i) + 2.1 * k) + 0.1;
        if (is_regular_at(elsewhere, nullptr)) start_.is_singular_everywhere = false;
      }
      return;
    }
    if (start_.consistent && !meets_given_tops() && !search_for_tops()) flow_.evaluate(0, y_.data(), rate_.data());
    for (const auto& [top, v] : given_tops_) {
      const double found = flow_.top(top);
      if (std::abs(found - v.value) <= close * (1 + std::abs(found)) || !start_.consistent) continue;
      start_.consistent = false;
      start_.has_nearest = true;
      start_.equation = fmt::format("{} = {:g}", v.name, v.value);
      start_.text = fmt::format("the equations make it {:.10g}", found);
      start_.source = v.source;
      start_.residual = v.value - found;
    }
  }

  // How far what is solved for is from what was given, then the constraints.
  Eigen::VectorXd distance_to_given(const std::vector<double>& y) {
    Eigen::VectorXd r(static_cast<Eigen::Index>(given_tops_.size()) + h_.rows());
    flow_.evaluate(0, y.data(), rate_.data());
    h_.evaluate(0, y.data());
    Eigen::Index i = 0;
    for (const auto& [top, v] : given_tops_) r[i++] = flow_.top(top) - v.value;
    for (int k = 0; k < h_.rows(); ++k) r[i++] = h_.value(k);
    return r;
  }

  bool meets_given_tops() {
    for (const auto& [top, v] : given_tops_)
      if (!(std::abs(flow_.top(top) - v.value) <= close * (1 + std::abs(v.value)))) return false;
    return true;
  }

  // States that were not given are moved until what is solved for is what was given; derivatives by differences.
  bool search_for_tops() {
    std::vector<std::size_t> free;
    for (std::size_t i = 0; i < n_; ++i)
      if (!held_[i]) free.push_back(i);
    if (free.empty() || !start_.is_regular) return false;
    const std::vector<double> from = y_;
    for (int iteration = 0; iteration < 50; ++iteration) {
      const Eigen::VectorXd r = distance_to_given(y_);
      if (!r.allFinite()) break;
      if (meets_given_tops() && distance(HiddenConstraints::all_stages) <= close) return true;
      Eigen::MatrixXd slopes(r.size(), static_cast<Eigen::Index>(free.size()));
      for (std::size_t j = 0; j < free.size(); ++j) {
        std::vector<double> beside = y_;
        const double step = 1e-6 * (1 + std::abs(y_[free[j]]));
        beside[free[j]] += step;
        slopes.col(static_cast<Eigen::Index>(j)) = (distance_to_given(beside) - r) / step;
      }
      if (!slopes.allFinite()) break;
      const Eigen::MatrixXd normal = slopes * slopes.transpose();
      Eigen::VectorXd shares(r.size());
      solve_least_norm(static_cast<int>(r.size()), normal.data(), r.data(), shares.data(), 1e-14);
      const Eigen::VectorXd move = slopes.transpose() * shares;
      double part = 1;
      std::vector<double> next = y_;
      for (; part > 1e-4; part /= 2) {
        for (std::size_t j = 0; j < free.size(); ++j)
          next[free[j]] = y_[free[j]] - part * move[static_cast<Eigen::Index>(j)];
        if (distance_to_given(next).norm() < r.norm()) break;
      }
      if (part <= 1e-4) break;
      y_ = next;
    }
    y_ = from;
    return false;
  }

  bool is_regular_at(const std::vector<double>& y, std::string* fault) {
    std::vector<double>& rate = rate_;
    flow_.evaluate(0, y.data(), rate.data());
    const std::string found = flow_.fault();
    if (fault) *fault = found;
    return found.empty() && flow_.regularity() > 1e-13 &&
           std::ranges::all_of(rate, [](double x) { return std::isfinite(x); });
  }

  void report() {
    for (std::size_t i = 0; i < n_; ++i) {
      StartValue v{r_.dae.symbols.name(r_.states[i].place), y_[i], Origin::given, given_[i]};
      const bool same = std::abs(y_[i] - given_[i]) <= 1e-12 * (1 + std::abs(y_[i]));
      if (held_[i])
        v.origin = same ? Origin::given : Origin::moved;
      else
        v.origin = same ? Origin::by_default : Origin::completed;
      start_.values.push_back(v);
    }
    if (!start_.is_regular) return;
    for (std::size_t k = 0; k < r_.tops.size(); ++k)
      start_.values.push_back({r_.dae.symbols.name(r_.tops[k]), flow_.top(static_cast<int>(k)), Origin::solved, 0});
  }

  const Model& model_;
  Flow& flow_;
  const Reduction& r_;
  HiddenConstraints& h_;
  std::size_t n_;
  std::vector<double> y_, given_, rate_;
  int failed_stage_ = 0;
  std::vector<char> held_, guessed_;
  std::vector<std::pair<int, InitialValue>> given_tops_;
  ConsistentStart start_;
};

}  // namespace

std::string ConsistentStart::describe() const {
  std::string message = fmt::format("the start violates it by {:.6g}\n    {}", residual, text);
  if (!has_nearest) return message + "\n  and no consistent start was found near the given one";
  std::vector<std::string> changes;
  for (const StartValue& v : values)
    if (v.origin == Origin::moved || v.origin == Origin::completed)
      changes.push_back(fmt::format("{} = {:.16g}", v.name, v.value));
  if (changes.empty()) return message + "\n  leave it out, or give --fix-start to have it replaced";
  return message +
         fmt::format("\n  the nearest consistent start has {}; --fix-start takes it", fmt::join(changes, ", "));
}

ConsistentStart find_start(const Model& model, Flow& flow) { return Starter(model, flow).find(); }

}  // namespace plumb
