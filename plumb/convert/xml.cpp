#include "plumb/convert/xml.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <sstream>

namespace plumb {

std::optional<std::string> XmlSource::text(const Element& e, const char* name) const {
  const char* value = e.Attribute(name);
  return value ? std::optional<std::string>(value) : std::nullopt;
}

std::string XmlSource::required(const Element& e, const std::string& label, const char* name) const {
  const auto value = text(e, name);
  if (!value || value->empty()) fail(e, label, fmt::format("<{}> needs the attribute '{}'", e.Name(), name));
  return *value;
}

std::vector<double> XmlSource::parse(const Element& e, const std::string& label, const std::string& name,
                                     const std::string& text) const {
  std::vector<double> list;
  const char *at = text.data(), *const end = at + text.size();
  for (;;) {
    while (at < end && (std::isspace(static_cast<unsigned char>(*at)) || *at == '+')) ++at;
    if (at == end) return list;
    double value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc() || !std::isfinite(value))
      fail(e, label, fmt::format("{}=\"{}\" of <{}> must be finite numbers separated by blanks", name, text, e.Name()));
    list.push_back(value);
    at = next;
  }
}

std::vector<double> XmlSource::exactly(const Element& e, const std::string& label, const std::string& name,
                                       const std::vector<double>& list, std::size_t n) const {
  if (list.size() != n)
    fail(e, label,
         fmt::format("{} of <{}> must be {} number{}, not {}", name, e.Name(), n, n == 1 ? "" : "s", list.size()));
  return list;
}

std::optional<std::vector<double>> XmlSource::numbers(const Element& e, const std::string& label,
                                                      const char* name) const {
  const auto value = text(e, name);
  return value ? std::optional(parse(e, label, name, *value)) : std::nullopt;
}

std::optional<double> XmlSource::number(const Element& e, const std::string& label, const char* name) const {
  const auto list = numbers(e, label, name);
  return list ? std::optional(exactly(e, label, name, *list, 1)[0]) : std::nullopt;
}

std::optional<Vec3> XmlSource::vector(const Element& e, const std::string& label, const char* name) const {
  const auto list = numbers(e, label, name);
  if (!list) return std::nullopt;
  const std::vector<double> v = exactly(e, label, name, *list, 3);
  return Vec3(v[0], v[1], v[2]);
}

std::string NameBook::make(const std::string& wanted) {
  std::string name;
  for (char c : wanted) {
    const bool fine = std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-';
    name += fine ? c : '_';
  }
  while (!name.empty() && name.back() == '-') name.back() = '_';
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) || name[0] == '-') name = "n" + name;
  name.resize(std::min<std::size_t>(name.size(), 90));
  std::string unique = name;
  for (int i = 2; std::ranges::count(taken_, unique) > 0; ++i) unique = fmt::format("{}_{}", name, i);
  taken_.push_back(unique);
  return unique;
}

Imported import_text(const std::string& text, const std::string& file_name, const ImportOptions& options) {
  const XmlSource source(file_name);
  tinyxml2::XMLDocument document;
  if (document.Parse(text.c_str(), text.size()) != tinyxml2::XML_SUCCESS)
    throw InputError({std::make_shared<const std::string>(file_name), document.ErrorLineNum()}, "",
                     fmt::format("not an XML file: {}", tinyxml2::XMLDocument::ErrorIDToName(document.ErrorID())));
  const Element* root = document.RootElement();
  const std::string name = root ? root->Name() : "";
  Imported result;
  if (name == "robot")
    result = import_urdf(*root, source, options);
  else if (name == "mujoco")
    result = import_mjcf(*root, source);
  else
    throw InputError({std::make_shared<const std::string>(file_name), root ? root->GetLineNum() : 0}, "",
                     fmt::format("the root element <{}> is neither <robot> (URDF) nor <mujoco> (MJCF)", name));
  std::ranges::stable_sort(result.left_out, {}, &NotImported::line);
  return result;
}

Imported import_model(const std::string& path, const ImportOptions& options) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw InputError({std::make_shared<const std::string>(path), 0}, "", "there is no such file");
  std::ostringstream text;
  text << in.rdbuf();
  return import_text(text.str(), path, options);
}

}  // namespace plumb
