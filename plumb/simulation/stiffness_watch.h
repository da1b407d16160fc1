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
  enum class Finding { nothing, stiff, lastingly_stiff };

  // An accepted step whose length is this part of what the method is stable for. Stiff and lastingly stiff are found
  // once each.
  Finding note(double part) {
    if (!(part > 0)) return Finding::nothing;
    if (part > border) {
      others_ = 0;
      ++hits_;
      return hits_ == many ? Finding::stiff : hits_ == lasting ? Finding::lastingly_stiff : Finding::nothing;
    }
    if (++others_ >= few && hits_ < lasting) hits_ = 0;
    return Finding::nothing;
  }

 private:
  static constexpr double border = 0.9;
  // Steps at the border; so many that no contact or blow passes them by; others after which these count no more.
  static constexpr int many = 15, lasting = 400, few = 6;

  int hits_ = 0, others_ = 0;
};

}  // namespace plumb
