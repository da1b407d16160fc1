#include "plumb/contact/islands.h"

#include <algorithm>
#include <numeric>

namespace plumb {

Islands::Islands(const Scene& scene) : scene_(scene), parent_(scene.system().bodies.size()) {
  std::iota(parent_.begin(), parent_.end(), 0);
  for (const SystemJoint& j : scene.system().joints) {
    int first = -1;
    for (const Attachment& a : scene.system().attachments(j)) {
      if (first < 0) first = a.body;
      join(first, a.body);
    }
  }
  joined_ = parent_;
}

int Islands::find(int body) {
  while (parent_[body] != body) {
    parent_[body] = parent_[parent_[body]];
    body = parent_[body];
  }
  return body;
}

void Islands::join(int a, int b) { parent_[find(b)] = find(a); }

const std::vector<std::vector<ContactPlace>>& Islands::split(const std::vector<ContactPlace>& places) {
  parent_ = joined_;
  for (const ContactPlace& p : places)
    if (scene_.from(p).body >= 0) join(scene_.from(p).body, scene_.to(p).body);
  islands_.clear();
  island_.assign(parent_.size(), -1);
  for (const ContactPlace& p : places) {
    int& island = island_[find(scene_.to(p).body)];
    if (island < 0) {
      island = static_cast<int>(islands_.size());
      islands_.emplace_back();
    }
    islands_[island].push_back(p);
  }
  return islands_;
}

}  // namespace plumb
