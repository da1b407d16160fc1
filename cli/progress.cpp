#include "progress.h"

#include <fmt/format.h>

#include <csignal>
#include <ctime>
#include <cstdio>

#include "text.h"

namespace plumb::cli {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds patience(500), refresh(100), between_lines(30000);
constexpr int width = 30;

std::string time_left(double seconds) {
  if (seconds < 60) return fmt::format("{:.0f} s", seconds);
  if (seconds < 5400) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::string state(double fraction, double elapsed) {
  std::string text = fmt::format("{:3.0f} %", 100 * fraction);
  if (fraction > 0) text += fmt::format(", about {} left", time_left(elapsed * (1 - fraction) / fraction));
  return text;
}

}  // namespace

Progress::Progress(std::string what) : what_(std::move(what)), is_terminal_(is_terminal(2)) {}

Progress::~Progress() { clear(); }

void Progress::clear() {
  if (width_ > 0) fmt::print(stderr, "\r{:{}}\r", "", width_);
  width_ = 0;
}

void Progress::say(const std::string& message) {
  clear();
  fmt::print(stderr, "plumb: {}\n", message);
}

void Progress::show(double fraction) {
  const auto now = Clock::now();
  const double elapsed = std::chrono::duration<double>(now - began_).count();
  if (now - last_ < (is_terminal_ ? refresh : between_lines) || now - began_ < patience) return;
  last_ = now;
  if (!is_terminal_) {
    fmt::print(stderr, "plumb: {}: {}\n", what_, state(fraction, elapsed));
    return;
  }
  std::string bar;
  for (int i = 0; i < width; ++i) bar += i < static_cast<int>(width * fraction) ? "█" : "░";
  const std::string line = fmt::format("  {} {}", bar, state(fraction, elapsed));
  const int taken = static_cast<int>(display_width(line));
  fmt::print(stderr, "\r{}{:{}}", line, "", std::max(0, width_ - taken));
  width_ = std::max(width_, taken);
  std::fflush(stderr);
}

namespace {

std::stop_source stopping;

volatile std::sig_atomic_t asked = 0;
std::time_t asked_at = 0;

// The first asks the run to stop; another one, later, ends the program. Some senders send every signal twice at once.
extern "C" void stop_run(int signal) {
  stopping.request_stop();  // only sets a flag: nothing is registered to be called
  if (asked && std::time(nullptr) > asked_at + 1) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  if (!asked) asked_at = std::time(nullptr);
  asked = 1;
}

}  // namespace

std::stop_token stop_on_signals() {
  std::signal(SIGINT, stop_run);
  std::signal(SIGTERM, stop_run);
  return stopping.get_token();
}

}  // namespace plumb::cli
