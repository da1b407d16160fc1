// Contacts that can act on each other: those of bodies that joints or contacts connect, not through the ground.
#pragma once

#include <vector>

#include "plumb/contact/scene.h"

namespace plumb {

class Islands {
 public:
  explicit Islands(const Scene& scene);

  // The places of each island, in the order given.
  const std::vector<std::vector<ContactPlace>>& split(const std::vector<ContactPlace>& places);

 private:
  int find(int body);
  void join(int a, int b);

  const Scene& scene_;
  std::vector<int> joined_, parent_, island_;  // bodies joined by joints alone; with contacts; island of each root
  std::vector<std::vector<ContactPlace>> islands_;
};

}  // namespace plumb
