// How far a run is: a bar with the time left on a terminal, a line now and then elsewhere.
#pragma once

#include <chrono>
#include <stop_token>
#include <string>

namespace plumb::cli {

class Progress {
 public:
  // `what` is done, e.g. "crank.toml".
  explicit Progress(std::string what);
  ~Progress();

  void show(double fraction);
  void say(const std::string& message);

 private:
  using Clock = std::chrono::steady_clock;
  void clear();

  std::string what_;
  bool is_terminal_;
  Clock::time_point began_ = Clock::now(), last_ = began_;
  int width_ = 0;  // of the line on the terminal
};

// Ctrl-C and SIGTERM ask the run to stop, so that what was computed is kept; a second one ends the program at once.
std::stop_token stop_on_signals();

}  // namespace plumb::cli
