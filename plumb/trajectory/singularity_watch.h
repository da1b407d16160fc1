// Finds singular positions along a run: instants at which the constraints lose rank. The volume spanned by their rows
// (row_rank.h) is looked at after every step, and within long ones; a minimum between three looks is sought out on the
// cubic through their states, and counts if the volume vanishes there.
#pragma once

#include <array>
#include <vector>

#include "plumb/simulation/observer.h"
#include "plumb/system/dynamics.h"
#include "plumb/system/row_rank.h"
#include "plumb/trajectory/result.h"

namespace plumb {

// Only closed loops can be singular.
bool has_loops(const System& system);

class SingularityWatch : public Observer {
 public:
  explicit SingularityWatch(const System& system);
  void on_step(const Moment& moment) override;
  const std::vector<SingularPosition>& found() const { return found_; }

 private:
  struct Look {
    double t = 0, volume = 0;
    std::vector<double> y, rate;
  };
  double volume(double t, const double* y);
  double volume_between(double t);
  Look& next_look();  // the oldest, to be filled
  void look(Look& at);
  void interpolate(const Look& a, const Look& b, double t, Look& out) const;
  void search();

  System system_;
  Dynamics dynamics_;
  RowRank rank_;
  std::array<Look, 3> looks_;
  int seen_ = 0, best_rank_ = 0;
  Look last_, now_, between_;  // ends of the step, and a place inside it
  std::vector<SingularPosition> found_;
};

}  // namespace plumb
