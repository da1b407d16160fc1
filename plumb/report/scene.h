// What the animation shows: the shapes of bodies and surfaces, and which points of which bodies joints, rods and
// springs hold together. Where the bodies are comes from the trajectory.
#pragma once

#include <vector>
#include <nlohmann/json_fwd.hpp>

#include "plumb/model/model.h"
#include "plumb/report/packed_columns.h"
#include "plumb/system/system.h"

namespace plumb {

// {"gravity", "bodies": [...], "links": [...], "joints": [...], "surfaces": [...]}
//
// An end is {"body": index or -1 (ground), "at": [x, y, z]}: body axes from the mass centre, world axes on the ground.
// An anchor that moves by itself has "track" in place of "at": the first of three columns, which are added to `tracks`
// for the given times.
nlohmann::ordered_json scene(const Model& model, const System& system, const std::vector<double>& times,
                             PackedColumns& tracks);

}  // namespace plumb
