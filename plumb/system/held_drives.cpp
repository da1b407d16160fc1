#include "plumb/system/held_drives.h"

#include "plumb/system/dynamics.h"

namespace plumb {

System hold_drives(System system, const std::vector<double>& y) {
  for (Expression& e : system.drivers) e = Expression(e.evaluate_in_time(0).value);
  // Where rates are prescribed the driver is zero and g the place itself.
  std::vector<std::pair<int, int>> places;  // driver and row
  const auto hold_place = [&](auto& parts) {
    for (auto& p : parts)
      if (p.velocity_only) {
        p.velocity_only = false;
        places.emplace_back(p.driver, p.place.row);
      }
  };
  hold_place(system.parts.driven_angles);
  hold_place(system.parts.points_in_plane);
  system.rate_drivers.clear();
  if (places.empty()) return system;
  for (const auto& [driver, row] : places) system.drivers[driver] = Expression(0.0);
  std::vector<double> g(static_cast<std::size_t>(system.rows));
  Dynamics dynamics(system);
  dynamics.place(0, y.data());
  dynamics.residual(g.data());
  for (const auto& [driver, row] : places) system.drivers[driver] = Expression(g[row]);
  return system;
}

}  // namespace plumb
