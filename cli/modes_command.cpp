// plumb modes MODEL and plumb run MODEL --static
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "plumb/plumb.h"
#include "commands.h"
#include "model_arguments.h"
#include "text.h"

namespace plumb::cli {
namespace {

using Json = nlohmann::ordered_json;

Json vector(const Vec3& v) { return Json::array({v.x(), v.y(), v.z()}); }

// The bodies that move most, and how: the largest component of each.
std::string what_moves(const System& system, const Mode& mode) {
  std::vector<std::pair<double, std::string>> parts;
  for (const ModeShape& s : mode.shape)
    for (int k = 0; k < 6; ++k) {
      const std::complex<double> c = k < 3 ? s.translation[k] : s.rotation[k - 3];
      if (std::abs(c) < 0.2) continue;
      const char axis = "xyz"[k % 3];
      parts.emplace_back(std::abs(c), fmt::format("{} {}{} {:+.3g}", system.bodies[s.body].name, k < 3 ? "" : "about ",
                                                  axis, c.real()));
    }
  std::ranges::stable_sort(parts, [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(parts.size(), 3); ++i) text += (i ? ", " : "") + parts[i].second;
  return text;
}

Json mode_json(const System& system, const Mode& mode) {
  Json shape = Json::object();
  const auto parts = [](const Eigen::Vector3cd& v) { return Json{{"re", vector(v.real())}, {"im", vector(v.imag())}}; };
  for (const ModeShape& s : mode.shape) {
    Json body = {{"translation", parts(s.translation)}};
    if (system.bodies[s.body].kind == BodyKind::rigid) body["rotation"] = parts(s.rotation);
    shape[system.bodies[s.body].name] = body;
  }
  return {{"eigenvalue", {mode.eigenvalue.real(), mode.eigenvalue.imag()}},
          {"frequency", mode.frequency()},
          {"damping_ratio", mode.damping_ratio()},
          {"shape", shape}};
}

void print_modes(const System& system, const Linearisation& l) {
  TextTable table({"mode", "frequency", "damping", "eigenvalue", "what moves"});
  int number = 0;
  for (const Mode& m : l.modes) {
    const bool oscillates = m.eigenvalue.imag() > 0;
    table.add(
        {fmt::format("{}", ++number), oscillates ? fmt::format("{:.10g} Hz", m.frequency()) : "–",
         oscillates ? fmt::format("{:.3g}", m.damping_ratio() + 0.0) : (m.eigenvalue.real() > 0 ? "grows" : "decays"),
         fmt::format("{:.6g}{:+.6g}i", m.eigenvalue.real(), m.eigenvalue.imag()), what_moves(system, m)});
  }
  fmt::print("{}", table.str());
  if (l.neutral > 0)
    fmt::print("\n{} eigenvalues are zero: coordinates on which nothing depends, and their rates\n", l.neutral);
  if (l.residual > 1e-8)
    fmt::print(
        "\nthe state is neither at rest nor in steady motion (acceleration {:.2g}); eigenvalues about it hold only "
        "for times in which it hardly changes; --static linearises about the equilibrium\n",
        l.residual);
}

}  // namespace

int equilibrium(const ModelArguments& arguments, bool json) {
  const Model model = read(arguments);
  const Equilibrium e = find_equilibrium(model);
  for (const std::string& m : e.messages) fmt::print(stderr, "plumb: {}\n", m);
  if (json) {
    Json bodies = Json::object(), reactions = Json::object();
    for (const BodyPose& b : e.bodies) {
      bodies[b.name] = {{"position", vector(b.position)}, {"moved", b.moved}};
      if (!b.rigid) continue;
      bodies[b.name]["rotation"] = {b.rotation.w, b.rotation.x, b.rotation.y, b.rotation.z};
      bodies[b.name]["turned"] = b.turned;
    }
    for (const JointReaction& r : e.reactions)
      reactions[r.name] = {{"force", vector(r.force)}, {"moment", vector(r.moment)}};
    const Json out = {{"found", e.found},
                      {"fault", e.fault},
                      {"iterations", e.iterations},
                      {"residual", e.residual},
                      {"potential", e.potential},
                      {"degrees_of_freedom", e.degrees_of_freedom},
                      {"least_stiffness", e.least_stiffness},
                      {"stable", e.found && e.least_stiffness > 0},
                      {"final", bodies},
                      {"reactions", reactions},
                      {"messages", e.messages},
                      {"model_hash", model_hash(model)}};
    fmt::print("{}\n", out.dump(2));
  } else if (e.found) {
    const auto text = [](const Vec3& v) { return fmt::format("({:.9g}, {:.9g}, {:.9g})", v.x(), v.y(), v.z()); };
    fmt::print("{}{}static equilibrium, {} iterations, accelerations below {:.1e}; potential energy {:.10g} J; {}\n\n",
               model.title, model.title.empty() ? "" : "  ·  ", e.iterations, e.residual, e.potential,
               e.degrees_of_freedom == 0   ? "nothing can move"
               : e.least_stiffness > 1e-9  ? "stable"
               : e.least_stiffness > -1e-9 ? "neutral in some direction"
                                           : "unstable");
    TextTable poses({"body", "position", "moved", "turned"});
    for (const BodyPose& b : e.bodies)
      poses.add({b.name, text(b.position), fmt::format("{:.4g} m", b.moved),
                 b.rigid ? fmt::format("{:.4g} rad", b.turned) : ""});
    TextTable reactions({"joint", "force on `to` (N)", "moment (N m)"});
    for (const JointReaction& r : e.reactions) reactions.add({r.name, text(r.force), text(r.moment)});
    fmt::print("{}\n{}", poses.str(), reactions.str());
  }
  if (e.found) return done;
  fmt::print(stderr, "{}\n", e.fault);
  return e.bodies.empty() ? bad_input : not_completed;
}

int modes(const ModelArguments& arguments, bool about_equilibrium, bool json) {
  Model model = read(arguments);
  if (!model.simulation.duration) model.simulation.duration = 1;  // nothing will run
  std::vector<double> y;
  System system;
  if (about_equilibrium) {
    const Equilibrium e = find_equilibrium(model);
    for (const std::string& m : e.messages) fmt::print(stderr, "plumb: {}\n", m);
    if (!e.found) {
      fmt::print(stderr, "{}\n", e.fault);
      return e.bodies.empty() ? bad_input : not_completed;
    }
    y = e.y;
    system = e.system;
  } else {
    const Simulation simulation(model);
    if (simulation.outcome()) {
      fmt::print(stderr, "{}\n", simulation.outcome()->describe());
      return bad_input;
    }
    system = simulation.written();
    y = simulation.written_state();
  }
  const Linearisation l = linearise_about(system, y);
  if (!about_equilibrium && !model.contacts.empty())
    fmt::print(stderr, "contacts are not part of the linearisation: they count as open\n");
  if (!json) {
    if (!model.title.empty()) fmt::print("{}\n\n", model.title);
    print_modes(system, l);
    return done;
  }
  Json list = Json::array();
  for (const Mode& m : l.modes) list.push_back(mode_json(system, m));
  const Json out = {{"title", model.title},           {"positions", l.positions}, {"velocities", l.velocities},
                    {"zero_eigenvalues", l.neutral},  {"residual", l.residual},   {"modes", list},
                    {"model_hash", model_hash(model)}};
  fmt::print("{}\n", out.dump(2));
  return done;
}

}  // namespace plumb::cli
