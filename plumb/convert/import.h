// Models written for other programs, turned into models of ours. What is not understood is listed, element by element;
// nothing is dropped silently.
#pragma once

#include <string>
#include <vector>

#include "plumb/model/model.h"

namespace plumb {

// An element, or an attribute of one, that has no counterpart here.
struct NotImported {
  int line = 0;
  std::string element;  // "link 'arm': <visual>"
  std::string reason;
};

struct Imported {
  Model model;
  std::vector<NotImported> left_out;
};

struct ImportOptions {
  bool fix_base = false;  // URDF: the root link is part of the ground although it has a mass
};

// By the root element: <robot> is URDF, <mujoco> is MJCF. Throws InputError with file and line for what is wrong.
Imported import_model(const std::string& path, const ImportOptions& options = {});
Imported import_text(const std::string& text, const std::string& file_name, const ImportOptions& options = {});

// The model as a file of our own; reading it gives the same model.
std::string write_model(const Model& model);

}  // namespace plumb
