// GiNaC counts references to shared numbers and constants without regard to threads: whoever makes, copies or drops its
// expressions holds this. What runs are made of (tapes) holds none of them, so that runs of equations go on side by
// side; only what prepares them is done one after the other.
#pragma once

#include <memory>
#include <mutex>

namespace plumb {

class AlgebraLock {
 public:
  AlgebraLock() : lock_(mutex()) {}

 private:
  static std::recursive_mutex& mutex() {
    static std::recursive_mutex only;
    return only;
  }
  std::lock_guard<std::recursive_mutex> lock_;
};

// Something made of expressions, to be shared between threads and dropped by any of them.
template <class T>
std::shared_ptr<T> make_algebraic(T value) {
  return std::shared_ptr<T>(new T(std::move(value)), [](T* p) {
    const AlgebraLock lock;
    delete p;
  });
}

}  // namespace plumb
