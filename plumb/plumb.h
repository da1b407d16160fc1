// Everything a user of the library needs.
#pragma once

#include "plumb/model/model.h"
#include "plumb/model/reader.h"
#include "plumb/report/page.h"
#include "plumb/simulation/simulation.h"
#include "plumb/study/diagnosis.h"
#include "plumb/study/equilibrium.h"
#include "plumb/study/error_estimate.h"
#include "plumb/study/linearisation.h"
#include "plumb/time_stepping/method.h"
#include "plumb/trajectory/result.h"
#include "plumb/trajectory/writers.h"
