// Contacts of two bodies that share a normal form a patch. Its gap is a linear function over it, so that the corners of
// the patch say all: what lies between them adds unknowns, not information.
#pragma once

#include <vector>

#include "plumb/contact/touch.h"

namespace plumb {

// Of these touching candidates, those that are not corners of a patch: places in the list, ascending.
std::vector<int> inside_patches(const std::vector<const Candidate*>& candidates, const std::vector<Touch>& touches);

}  // namespace plumb
