# The lines of all drivers as one table: a row per engine, method and joint of the chain. Plumb's file comes
# first; ratios are time over Plumb's time.
BEGIN {
  FS = "\t"
  count = split("10 100 1000", sizes, " ")
}

# The row of this engine, method and joint. What has no joint (A01) shares the row of the first one.
function row_of(method, joint,    r) {
  for (r = 1; r <= rows; ++r)
    if (engine[r] == current && name[r] == method && (joint == "" || joints[r] == "" || joints[r] == joint)) {
      if (joint != "") joints[r] = joint
      return r
    }
  engine[++rows] = current
  name[rows] = method
  joints[rows] = joint
  return rows
}

$1 == "engine" { current = $2 }
$1 == "a01" {
  r = row_of($2, "")
  steps[r] = $3; a01[r] = $4; drift[r] = $5; error[r] = $6
  if (FILENAME ~ /^plumb/ && (best_a01 == "" || $4 < best_a01)) best_a01 = $4
}
$1 == "chain" {
  chain[row_of($2, $3), $4] = $5
  if (FILENAME ~ /^plumb/) best_chain[$3, $4] = $5
}
$1 == "wall" {
  ++walls
  wall_of[walls] = sprintf("%-13s %-17s %9s", current, $2, $3); wall_time[walls] = $4; wall_error[walls] = $5
  if (FILENAME ~ /^plumb/) best_wall = $4
}
$1 == "library" {
  ++mechanisms
  library_of[mechanisms] = sprintf("%-13s %-17s %-13s %-13s", current, $3, $2, $4)
  library_name[mechanisms] = $2; library_time[mechanisms] = $5; library_drift[mechanisms] = $6
  if (FILENAME ~ /^plumb/) best_library[$2] = $5
}
$1 == "pile" {
  ++piles
  pile_of[piles] = sprintf("%-13s %-17s %5d", current, $2, $3); pile_size[piles] = $3; pile_time[piles] = $4
  pile_depth[piles] = $5
  if (FILENAME ~ /^plumb/) best_pile[$3] = $4
}
$1 == "failed" { reason[row_of("FAILED", "")] = $2 }

function number(x, form, scale) { return x == "" ? "" : sprintf(form, x * scale) }
function ratio(x, base) {
  return x == "" || base == "" ? "" : sprintf(x / base < 99.95 ? "%.2f" : "%.0f", x / base)
}
# Four digits, as times differ by five orders of magnitude.
function time(x) {
  return number(x, x < 9.9995e-6 ? "%.3f" : x < 99.995e-6 ? "%.2f" : x < 999.95e-6 ? "%.1f" : "%.0f", 1e6)
}

END {
  print ""
  print "A01: 10 s in the fewest steps with an energy drift below 5e-5 J; error: of the position at 10 s."
  print "Chain of N links, 4th order, h = 1e-3 s: µs per link and step. Ratio: to Plumb's fastest."
  print ""
  printf "%-13s %-17s %5s %8s %7s %8s %8s  %-9s", "", "", "A01", "", "", "", "", "chain"
  for (i = 1; i <= count; ++i) printf "%s %9s", (i > 1 ? "        " : ""), "N=" sizes[i]
  # µ takes two bytes, which awk may count as two columns: no padding around it.
  printf "\n%-13s %-17s %5s", "engine", "method", "steps"
  printf "       µs %7s %8s %8s  %-9s", "ratio", "drift J", "error m", "joint"
  for (i = 1; i <= count; ++i) printf "        µs %7s", "ratio"
  print ""
  for (r = 1; r <= rows; ++r) {
    if (reason[r] != "") {
      printf "%-13s FAILED, %s\n", engine[r], reason[r]
      continue
    }
    line = sprintf("%-13s %-17s %5s", engine[r], name[r], steps[r])
    line = line sprintf(" %8s %7s", time(a01[r]), ratio(a01[r], best_a01))
    line = line sprintf(" %8s %8s  %-9s", number(drift[r], "%.2e", 1), number(error[r], "%.1e", 1), joints[r])
    for (i = 1; i <= count; ++i) {
      t = chain[r, sizes[i]]
      line = line sprintf(" %9s %7s", time(t), ratio(t, best_chain[joints[r], sizes[i]]))
    }
    sub(/ +$/, "", line)
    print line
  }
  print ""
  print "Double pendulum and wall: 2.5 s, five impacts, each at the loosest tolerance that gets their times to 1e-9 s."
  printf "%-13s %-17s %9s       µs %7s  %s\n", "engine", "method", "tolerance", "ratio", "error s"
  for (r = 1; r <= walls; ++r)
    printf "%s %8s %7s  %.1e\n", wall_of[r], time(wall_time[r]), ratio(wall_time[r], best_wall), wall_error[r]
  print ""
  print "IFToMM mechanisms with loops: the cheapest setting with an energy drift below 1e-6 J, or else the one that drifts least."
  printf "%-13s %-17s %-13s %-13s       µs %7s  %s\n", "engine", "method", "mechanism", "setting", "ratio", "drift J"
  for (r = 1; r <= mechanisms; ++r)
    if (library_drift[r] > 1e98)
      printf "%s  stops before the end at every setting\n", library_of[r]
    else
      printf "%s %8s %7s  %.1e%s\n", library_of[r], time(library_time[r]),
        ratio(library_time[r], best_library[library_name[r]]), library_drift[r],
        (library_drift[r] > 1e-6 ? "  (too much)" : "")
  print ""
  print "Pile of spheres, radius 100 mm: 500 steps of 1 ms."
  printf "%-13s %-17s %5s  ms/step %7s  %s\n", "engine", "method", "N", "ratio", "deepest mm"
  for (r = 1; r <= piles; ++r)
    printf "%s %8.2f %7s  %.3f\n", pile_of[r], 1e3 * pile_time[r], ratio(pile_time[r], best_pile[pile_size[r]]),
      1e3 * pile_depth[r]
}
