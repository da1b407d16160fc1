// Tells when steps are as long as the method is stable and no longer, though accuracy would let them be.
//
// Two evaluations at the end of a step, at its result and at its last stage, see how fast the equations answer a
// change: |f(Y) - f(Y')|/|Y - Y'| is about the size of the fastest eigenvalue. If the step times that stays at the
// border of stability for many steps, stability limits it (E. Hairer, G. Wanner, Solving Ordinary Differential
// Equations II, IV.2).
#pragma once

namespace plumb {

class StiffnessWatch {
 public:
  // An accepted step whose length is this part of what the method is stable for. True, once: the equations are stiff.
  bool note(double part) {
    if (is_stiff_ || !(part > 0)) return false;
    if (part > border) {
      others_ = 0;
      is_stiff_ = ++hits_ >= many;
      return is_stiff_;
    }
    if (++others_ >= few) hits_ = 0;
    return false;
  }

  bool is_stiff() const { return is_stiff_; }

 private:
  static constexpr double border = 0.9;
  static constexpr int many = 15, few = 6;  // steps at the border; others after which these count no more

  int hits_ = 0, others_ = 0;
  bool is_stiff_ = false;
};

}  // namespace plumb
