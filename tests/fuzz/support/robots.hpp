// Small robots of every kind, made once: what sweeps, loops, limbs side by side and rows meet.
#pragma once

#include "tenon.h"

namespace tenon::fuzz {

inline constexpr int robot_count = 12;
// Number `index` of them.
const tenon_model* robot(int index);

}  // namespace tenon::fuzz
