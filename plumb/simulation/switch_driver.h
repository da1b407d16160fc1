// Inputs that switch, on the time line of a run: steps end exactly where those of time alone do, and are cut where the
// state makes others do; in between every input is held in its mode and smooth. Steps are kept short enough to see what
// inputs do (simulation/time_scan.h).
#pragma once

#include <string>
#include <vector>

#include "plumb/simulation/interruption.h"
#include "plumb/simulation/time_scan.h"

namespace plumb {

// Something with inputs that switch.
class SwitchSource {
 public:
  virtual ~SwitchSource() = default;

  virtual int switches() const = 0;
  // How each is known, by number; enters all inputs into the scan.
  virtual std::vector<SwitchTiming> scan(TimeScan& scan) = 0;

  virtual void live_modes(double t, const double* y, double* modes) = 0;
  virtual void indicators(double t, const double* y, const double* modes, double* z) = 0;
  virtual void change_mode(double t, const double* y, int passed, double* modes) = 0;

  // Inputs have switched: what the state must do at once, e.g. follow a drive whose speed jumps.
  virtual Interruption::Change follow(double t, double* y) {
    static_cast<void>(t);
    static_cast<void>(y);
    return {};
  }
  // The element whose input it is, and where it stands.
  virtual std::string describe(int number) const = 0;
  // What to do about one that chatters.
  virtual std::string remedy() const = 0;
  virtual Source source(int number) const = 0;
};

class SwitchDriver final : public Interruption {
 public:
  // `modes` is part of the state of the run. `limits_steps`: steps are chosen to see what inputs do.
  SwitchDriver(SwitchSource& source, std::vector<double>& modes, double duration, bool limits_steps);

  // Nothing switches and nothing depends on time: it has nothing to do.
  bool is_idle() const;

  // The modes just after t: of time alone as they are from there to the next instant, of the state as they are now.
  void choose_modes(double t, const double* y);

  double longest_step(double t) const override;
  double first(Step& step) override;
  Change act(double t, double* y) override;

 private:
  void follow_time(double t, const double* y);
  double passing_of(int number, Step& step);
  void look(double t, const double* y);
  bool chatters(int number, double t);
  Outcome chattering(int number, double t) const;

  SwitchSource& source_;
  std::vector<double>& modes_;
  double duration_;
  bool limits_steps_;
  TimeScan scan_;
  std::vector<SwitchTiming> timing_;
  std::vector<double> z_, last_, sizes_, live_;
  std::vector<char> suspect_;
  std::vector<double> passing_;  // when each is passed in the step at hand
  std::vector<double> passed_at_;
  std::vector<int> in_a_row_;  // times each was passed with next to no time between
};

}  // namespace plumb
