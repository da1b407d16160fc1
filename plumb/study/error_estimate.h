// The global error of a run, estimated by running it again more finely.
#pragma once

#include "plumb/model/model.h"
#include "plumb/trajectory/result.h"

namespace plumb {

// A fixed step is divided by 2.618 and the difference extrapolated by the order of the method; a tolerance is divided
// by 100. Compares the positions of all bodies on the output grid. The steps of the second run share no pattern with
// those of the first: what one steps over the other meets.
ErrorEstimate estimate_error(const Model& model, const Result& result, const RunOptions& options = {});

}  // namespace plumb
