// Reading attributes of XML elements, with file and line in every complaint.
#pragma once

#include <tinyxml2.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plumb/convert/import.h"

namespace plumb {

using Element = tinyxml2::XMLElement;

// A pose: R and p of x_outer = R x + p.
struct Pose {
  Mat3 R = Mat3::Identity();
  Vec3 p = Vec3::Zero();

  Pose operator*(const Pose& inner) const { return {R * inner.R, R * inner.p + p}; }
  Vec3 operator*(const Vec3& x) const { return R * x + p; }
};

class XmlSource {
 public:
  explicit XmlSource(std::string file) : file_(std::make_shared<const std::string>(std::move(file))) {}

  Source at(const Element& e) const { return {file_, e.GetLineNum()}; }
  [[noreturn]] void fail(const Element& e, const std::string& label, const std::string& message) const {
    throw InputError(at(e), label, message);
  }

  std::optional<std::string> text(const Element& e, const char* name) const;
  std::string required(const Element& e, const std::string& label, const char* name) const;
  std::optional<std::vector<double>> numbers(const Element& e, const std::string& label, const char* name) const;
  std::optional<double> number(const Element& e, const std::string& label, const char* name) const;
  std::optional<Vec3> vector(const Element& e, const std::string& label, const char* name) const;
  std::vector<double> parse(const Element& e, const std::string& label, const std::string& name,
                            const std::string& text) const;
  std::vector<double> exactly(const Element& e, const std::string& label, const std::string& name,
                              const std::vector<double>& list, std::size_t n) const;

 private:
  std::shared_ptr<const std::string> file_;
};

// A name our models accept: other characters become '_', and a name already taken gets a number.
class NameBook {
 public:
  std::string make(const std::string& wanted);

 private:
  std::vector<std::string> taken_ = {"ground"};
};

Imported import_urdf(const Element& robot, const XmlSource& source, const ImportOptions& options);
Imported import_mjcf(const Element& mujoco, const XmlSource& source);

}  // namespace plumb
