// plumb check MODEL
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <nlohmann/json.hpp>

#include "plumb/plumb.h"
#ifdef PLUMB_EQUATIONS
#include "plumb/equations/equation_check.h"
#endif
#include "commands.h"
#include "model_arguments.h"
#include "text.h"

namespace plumb::cli {
namespace {

nlohmann::ordered_json to_json(const Model& model, const Diagnosis& d) {
  nlohmann::ordered_json redundancies = nlohmann::ordered_json::array();
  for (const Redundancy& r : d.redundancies) redundancies.push_back(r.joints);
  nlohmann::ordered_json open = nlohmann::ordered_json::object(), unreachable = nlohmann::ordered_json::array();
  for (const OpenReaction& r : d.open_reactions) open[r.joint] = r.components;
  for (const UnreachableDrive& u : d.unreachable)
    unreachable.push_back({{"joint", u.joint}, {"time", u.time}, {"residual", u.residual}});
  nlohmann::ordered_json overlaps = nlohmann::ordered_json::array();
  for (const Overlap& o : d.overlaps)
    overlaps.push_back({{"contact", o.contact}, {"bodies", o.bodies}, {"depth", o.depth}});
  return {{"title", model.title},
          {"bodies", d.bodies},
          {"point_masses", d.point_masses},
          {"rigid_bodies", d.rigid_bodies},
          {"mass", d.mass},
          {"joints", d.joints},
          {"forces", d.forces},
          {"events", d.events},
          {"coordinates", d.coordinates},
          {"constraints", d.constraints},
          {"rank", d.rank},
          {"redundant", d.constraints - d.rank},
          {"degrees_of_freedom", d.degrees_of_freedom},
          {"degrees_of_freedom_by_count", d.freedom_by_count()},
          {"nonholonomic", d.nonholonomic},
          {"redundancies", redundancies},
          {"reactions_not_unique", open},
          {"singular_start", d.singular_start},
          {"suspicions", d.suspicions},
          {"unheld", d.unheld},
          {"unreachable", unreachable},
          {"overlaps", overlaps},
          {"consistent", d.consistent},
          {"fault", d.fault},
          {"start",
           {{"violation", {{"position", d.position_violation}, {"velocity", d.velocity_violation}}},
            {"energy", d.energy},
            {"messages", d.start_messages}}},
          {"solver", d.solver},
          {"model_hash", model_hash(model)}};
}

void print(const Model& model, const Diagnosis& d) {
  if (!model.title.empty()) fmt::print("{}\n\n", model.title);
  TextTable table({"check", "", ""});
  table.add({"bodies", fmt::format("{}", d.bodies),
             fmt::format("{} point masses, {} rigid bodies", d.point_masses, d.rigid_bodies)});
  table.add({"mass", fmt::format("{:.10g}", d.mass), "kg, all bodies"});
  table.add({"joints", fmt::format("{}", d.joints), ""});
  table.add({"velocity coordinates", fmt::format("{}", d.coordinates), "3 per point mass, 6 per rigid body"});
  table.add({"constraints", fmt::format("{}", d.constraints), "scalar equations of the joints"});
  table.add({"rank", fmt::format("{}", d.rank),
             d.rank == d.constraints ? "all independent" : fmt::format("{} redundant", d.constraints - d.rank)});
  table.add({"degrees of freedom", fmt::format("{}", d.degrees_of_freedom),
             d.degrees_of_freedom == d.freedom_by_count() ? "by count and by rank"
                                                          : fmt::format("by rank; {} by count", d.freedom_by_count())});
  if (d.nonholonomic > 0)
    table.add(
        {"nonholonomic", fmt::format("{}", d.nonholonomic), "equations of velocity only: they restrict no place"});
  table.add({"energy at the start", fmt::format("{:.10g}", d.energy), "J"});
  table.add({"start as given", fmt::format("{:.2e}", d.position_violation),
             d.position_violation < 1e-12 ? "violation of position: consistent" : "violation of position"});
  table.add({"", fmt::format("{:.2e}", d.velocity_violation),
             d.velocity_violation < 1e-12 ? "violation of velocity: consistent"
                                          : "violation of velocity; completed by the joints"});
  fmt::print("{}", table.str());
  for (const std::string& m : d.start_messages) fmt::print("\n{}\n", m);
  for (const Overlap& o : d.overlaps)
    fmt::print("\noverlap: {} by {:.3g} m at the start (contact '{}')\n", fmt::join(o.bodies, " and "), o.depth,
               o.contact);
  std::map<std::vector<std::string>, int> redundant;  // joints that share redundant equations, and how many
  for (const Redundancy& r : d.redundancies) ++redundant[r.joints];
  for (const auto& [joints, count] : redundant) {
    const std::string equations = count == 1 ? "one equation" : fmt::format("{} equations", count);
    if (d.consistent)
      fmt::print(
          "\nredundant: {} of {} follow{} from the others; the motion is unaffected, but how the reaction is shared "
          "between them is not determined by rigid-body mechanics\n",
          equations, fmt::join(joints, ", "), count == 1 ? "s" : "");
    else
      fmt::print("\nconflicting: {} of {} hold{} the same directions as the others, and not all can be satisfied\n",
                 equations, fmt::join(joints, ", "), count == 1 ? "s" : "");
  }
  if (d.consistent && !d.open_reactions.empty()) {
    fmt::print("\nreactions that are not unique:");
    std::size_t shown = 0;
    for (const OpenReaction& r : d.open_reactions) {
      if (++shown > 12) break;
      fmt::print(" {} ({})", r.joint, fmt::join(r.components, " "));
    }
    fmt::print("{}\n", d.open_reactions.size() > 12 ? fmt::format(" and {} more", d.open_reactions.size() - 12) : "");
  }
  if (d.singular_start > 0)
    fmt::print(
        "\nsingular start: close by {} more of the equations {} independent; the mechanism can leave this pose on "
        "several branches, and it takes the one its velocities point along\n",
        d.singular_start, d.singular_start == 1 ? "is" : "are");
  for (const std::string& s : d.suspicions) fmt::print("\nsuspicious: {}\n", s);
  if (!d.unheld.empty())
    fmt::print("\nnothing holds {}: no joint, spring or contact leads to the ground\n", fmt::join(d.unheld, ", "));
}

#ifdef PLUMB_EQUATIONS
nlohmann::ordered_json to_json(const Model& model, const EquationDiagnosis& d) {
  nlohmann::ordered_json j = {{"title", model.title},
                              {"unknowns", d.unknowns},
                              {"index", d.index},
                              {"degrees_of_freedom", d.degrees_of_freedom},
                              {"method", d.method},
                              {"states", d.states},
                              {"solved", d.solved},
                              {"signature", d.signature},
                              {"unknown_offsets", d.orders},
                              {"equations", nlohmann::ordered_json::array()}};
  for (const auto& e : d.equations)
    j["equations"].push_back({{"label", e.label}, {"text", e.text}, {"differentiations", e.differentiations}});
  j["constraints"] = nlohmann::ordered_json::array();
  for (const auto& c : d.constraints)
    j["constraints"].push_back({{"label", c.label}, {"text", c.text}, {"residual", c.residual}});
  j["consistent"] = d.fault.empty();
  j["fault"] = d.fault;
  for (const StartValue& v : d.start.values) j["start"][v.name] = v.value;
  j["model_hash"] = model_hash(model);
  return j;
}

std::string origin_of(const StartValue& v) {
  switch (v.origin) {
    case StartValue::Origin::given: return "given";
    case StartValue::Origin::by_default: return "not given";
    case StartValue::Origin::completed: return "completed from the constraints";
    case StartValue::Origin::solved: return "follows from the equations";
    case StartValue::Origin::moved: return fmt::format("given as {:.10g}", v.given);
  }
  return {};
}

void print(const Model& model, const EquationDiagnosis& d) {
  if (!model.title.empty()) fmt::print("{}\n\n", model.title);
  TextTable table({"check", "", ""});
  table.add({"unknowns", fmt::format("{}", d.unknowns.size()), fmt::format("{}", fmt::join(d.unknowns, ", "))});
  table.add({"equations", fmt::format("{}", d.equations.size()), ""});
  table.add({"structural index", fmt::format("{}", d.index), d.index == 0 ? "ordinary differential equations" : ""});
  table.add({"degrees of freedom", fmt::format("{}", d.degrees_of_freedom), "independent start values"});
  table.add(
      {"states", fmt::format("{}", d.states.size()), fmt::format("{}, of {}", fmt::join(d.states, ", "), d.method)});
  table.add({"solved for", fmt::format("{}", d.solved.size()), fmt::format("{}", fmt::join(d.solved, ", "))});
  fmt::print("{}", table.str());
  TextTable differentiated({"equation", "differentiated", ""});
  for (const auto& e : d.equations)
    differentiated.add(
        {e.label, fmt::format("{}×", e.differentiations), e.text.size() > 90 ? e.text.substr(0, 87) + "…" : e.text});
  fmt::print("\n{}", differentiated.str());
  if (!d.constraints.empty()) {
    TextTable constraints({"the start must satisfy", "violated by", ""});
    for (const auto& c : d.constraints)
      constraints.add(
          {c.label, fmt::format("{:.2e}", c.residual), c.text.size() > 90 ? c.text.substr(0, 87) + "…" : c.text});
    fmt::print("\n{}", constraints.str());
  }
  TextTable start({"start", "value", ""});
  for (const StartValue& v : d.start.values) start.add({v.name, fmt::format("{:.10g}", v.value), origin_of(v)});
  fmt::print("\n{}\n{}\n", start.str(), d.fault.empty() ? "the start is consistent" : "");
}
#endif

int check_equations(const Model& model, bool json) {
#ifdef PLUMB_EQUATIONS
  const EquationDiagnosis d = diagnose_equations(model);
  if (json)
    fmt::print("{}\n", to_json(model, d).dump(2));
  else
    print(model, d);
  if (d.fault.empty()) return done;
  fmt::print(stderr, "{}\n", d.fault);
  return bad_input;
#else
  static_cast<void>(json);
  throw InputError(model.equations->source, "equations", no_equations);
#endif
}

}  // namespace

int check(const ModelArguments& arguments, bool json) {
  const Model model = read(arguments);
  if (model.equations) return check_equations(model, json);
  const Diagnosis d = diagnose(model);
  if (json)
    fmt::print("{}\n", to_json(model, d).dump(2));
  else
    print(model, d);
  for (const UnreachableDrive& u : d.unreachable)
    fmt::print(stderr,
               "joint '{}': the driven motion cannot be followed beyond t = {:.4g} s; it stays open by {:.3g}\n",
               u.joint, u.time, u.residual);
  if (d.consistent) return d.unreachable.empty() ? done : bad_input;
  fmt::print(stderr, "{}\n", d.fault);
  return bad_input;
}

}  // namespace plumb::cli
