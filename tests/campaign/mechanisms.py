"""Random mechanisms: trees and loops over all joint and force types, with drives, ropes, limits and contacts, by fixed
and adaptive methods. A good run ends as it should, with a closed account of energy, or with a named reason."""
import math
import random

import model

TREE = ["spherical", "revolute", "prismatic", "universal", "constant-velocity", "cylindrical", "screw", "planar",
        "point-on-line", "point-on-plane", "point-on-curve", "parallel-axes", "perpendicular-axes", "rod", "fixed",
        "rolling"]
FORCES = ["spring", "table-spring", "torsion", "force", "torque", "drag", "bushing", "motor", "torque-between",
          "joint-friction"]


def num(x):
    return round(x, 4)


class Builder:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.bodies, self.joints, self.forces, self.contacts = {}, {}, {}, {}
        self.turning, self.sliding = [], []  # joints that have an angle, a displacement
        self.driven = set()

    def vec(self, size=1.0):
        return [num(self.r.uniform(-size, size)) for _ in range(3)]

    def unit(self):
        if self.r.random() < 0.4:  # what people really build
            return self.r.choice([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
        return [num(self.r.gauss(0, 1)) or 1 for _ in range(3)]

    def add_body(self, name, at, point_mass=False):
        b = {"position": [num(x) for x in at]}
        r = self.r
        if point_mass:
            b["mass"] = num(10 ** r.uniform(-1, 1))
            b["is_point"] = True
        else:
            shape = r.choice(["box", "sphere", "cylinder", "capsule", "inertia"])
            if shape == "box":
                b["box"] = [num(r.uniform(0.05, 0.4)) for _ in range(3)]
            elif shape == "sphere":
                b["sphere"] = num(r.uniform(0.05, 0.2))
            elif shape == "inertia":
                a, c, d = (r.uniform(0.01, 0.1) for _ in range(3))
                b["inertia"] = [num(a + c), num(a + d), num(c + d)]
            else:
                b[shape] = [num(r.uniform(0.03, 0.15)), num(r.uniform(0.1, 0.4))]
            b["mass"] = num(10 ** r.uniform(-1, 1))
            if r.random() < 0.5:
                b["rotation"] = {"axis": self.unit(), "angle": num(r.uniform(0, 3))}
        if r.random() < 0.3:
            b["velocity"] = self.vec()
        self.bodies[name] = b

    def add_joint(self, name, a, b, kind, at):
        r, j = self.r, {"type": kind, "from": a, "to": b}
        if kind in ("rod", "rope", "distance"):
            j["from_point"] = [num(x + 0.3 * y) for x, y in zip(at, self.vec())] if a == "ground" else None
            if j["from_point"] is None:
                del j["from_point"]
            if kind == "rope":
                if r.random() < 0.7:
                    j["restitution"] = r.choice([0, 0.5])
        elif kind not in ("parallel-axes", "perpendicular-axes", "point-on-curve", "rolling"):
            j["point"] = at
        if kind in ("revolute", "prismatic", "cylindrical", "screw", "point-on-line", "universal", "constant-velocity",
                    "parallel-axes", "perpendicular-axes"):
            j["axis"] = self.unit()
        if kind in ("universal", "perpendicular-axes"):
            j["axis"], j["axis_to"] = r.choice([([1, 0, 0], [0, 1, 0]), ([0, 0, 1], [1, 0, 0]), ([0, 1, 0], [0, 0, 1])])
        if kind in ("planar", "point-on-plane"):
            j["normal"] = self.unit()
        if kind == "screw":
            j["pitch"] = num(r.choice([-1, 1]) * r.uniform(0.05, 0.5))
        if kind == "point-on-curve":
            p = self.bodies[b]["position"]
            if a != "ground":
                return False
            j["curve"] = [f"{p[0]} + s", f"{p[1]} + {num(r.uniform(0.2, 1))}*sin(s)", f"{p[2]} + {num(r.uniform(0.1, 0.6))}*s^2"]
            j["range"] = [-0.4, 0.4]
        if kind == "rolling":
            if a != "ground" or "position" not in self.bodies[b]:
                return False
            j["normal"] = [0, 0, 1]
            j["radius"] = num(r.uniform(0.1, 0.4))
            self.bodies[b].pop("rotation", None)
            if r.random() < 0.5:
                j["axis"] = [0, 1, 0]
        if kind in ("revolute", "prismatic", "screw") and r.random() < 0.25:
            j["limits"] = [num(-r.uniform(0.2, 1.5)), num(r.uniform(0.2, 1.5))]
            if r.random() < 0.5:
                j["restitution"] = r.choice([0, 0.3, 0.8])
        elif kind in ("revolute", "prismatic") and r.random() < 0.15:
            w = num(r.uniform(0.5, 4))
            j["angle" if kind == "revolute" else "displacement"] = r.choice(
                [f"{num(r.uniform(0.1, 1))}*sin({w}*t)", f"{num(r.uniform(0.1, 0.5))}*t"])
            self.driven.add(name)
        self.joints[name] = j
        if kind in ("revolute", "cylindrical", "screw"):
            self.turning.append(name)
        if kind in ("prismatic", "cylindrical", "point-on-line"):
            self.sliding.append(name)
        return True

    def add_force(self, name):
        r = self.r
        kind = r.choice(FORCES)
        names = list(self.bodies)
        rigid = [n for n in names if set(self.bodies[n]) & {"box", "sphere", "cylinder", "capsule", "inertia"}]
        a = r.choice(names)
        others = [n for n in names if n != a] + ["ground"]
        b = r.choice(others)
        free = [j for j in self.turning + self.sliding if j not in self.driven]
        f = {"type": kind}
        if kind in ("spring", "table-spring"):
            f = {"type": "spring", "from": b, "to": a}
            if b == "ground":
                f["from_point"] = self.vec(2)
            if kind == "spring":
                f["stiffness"] = num(10 ** r.uniform(0, 3))
                f["damping"] = r.choice([0, num(r.uniform(0, 5))])
                if r.random() < 0.5:
                    f["length"] = num(r.uniform(0.1, 1))
            else:
                f["table"] = [[-0.5, -40.0], [-0.1, -5.0], [0, 0], [0.2, 10.0], [0.6, 50.0]]
        elif kind == "torsion":
            revolute = [j for j in self.turning if self.joints[j]["type"] == "revolute"]
            if not revolute:
                return
            f.update(joint=r.choice(revolute), stiffness=num(r.uniform(1, 50)), damping=r.choice([0, num(r.uniform(0, 2))]))
        elif kind == "force":
            f.update(on=a, force=r.choice([[f"-2*{a}.vx", 0, "3*sin(4*t)"], [0, num(r.uniform(-5, 5)), 0],
                                           [f"-20*{a}.x", f"-5*{a}.vy", 0], ["t > 0.4 && t < 0.6 ? 20 : 0", 0, 0]]))
        elif kind == "torque":
            if not rigid:
                return
            f.update(on=r.choice(rigid), torque=[0, f"{num(r.uniform(0.1, 1))}*cos(3*t)", 0.1], axes=r.choice(["world", "body"]))
        elif kind == "drag":
            f.update(linear=num(r.uniform(0, 1)), quadratic=r.choice([0, num(r.uniform(0, 1))]))
        elif kind == "bushing":
            if a not in rigid or (b != "ground" and b not in rigid):
                return
            f = {"type": "bushing", "from": b, "to": a, "point": self.bodies[a]["position"],
                 "stiffness_matrix": [num(r.uniform(10, 300)) for _ in range(3)] + [num(r.uniform(1, 20)) for _ in range(3)],
                 "damping_matrix": [num(r.uniform(0, 3)) for _ in range(6)]}
        elif kind == "motor":
            if not free:
                return
            j = r.choice(free)
            f.update(joint=j)
            f.update(r.choice([{"effort": f"{num(r.uniform(-2, 2))}*sin(5*t)"}, {"effort": num(r.uniform(-3, 3))},
                               {"table": [[-5.0, 2.0], [0.0, 1.0], [5.0, 0.0]]}]))
        elif kind == "torque-between":
            if a not in rigid or (b != "ground" and b not in rigid):
                return
            f.update({"from": b, "to": a, "axis": self.unit(), "effort": f"{num(r.uniform(-1, 1))}*cos(2*t)"})
        elif kind == "joint-friction":
            if not free:
                return
            f.update(joint=r.choice(free), coulomb=num(r.uniform(0, 3)), damping=r.choice([0, num(r.uniform(0, 1))]))
        self.forces[name] = f


def generate(seed):
    b = Builder(seed)
    r = b.r
    n = r.randint(1, 6)
    at = [0.0, 0.0, 0.0]
    names = []
    for i in range(n):
        name = f"b{i}"
        kind = r.choice(TREE)
        parent = "ground" if not names or r.random() < 0.25 else r.choice(names)
        if parent != "ground" and "is_point" in b.bodies[parent]:
            kind = "rod"
        base = [0.0, 0.0, 0.0] if parent == "ground" else b.bodies[parent]["position"]
        at = [x + y for x, y in zip(base, r.choice([[0.5, 0, 0], [0, 0, -0.5], [0.4, 0.3, 0], b.vec(0.7)]))]
        point_mass = kind in ("rod", "spherical", "prismatic", "point-on-plane", "point-on-line", "point-on-curve") and r.random() < 0.3
        b.add_body(name, at, point_mass)
        middle = [num((x + y) / 2) for x, y in zip(base, at)]
        place = [num(x) for x in at] if point_mass else middle
        if not b.add_joint(f"j{i}", parent, name, kind, place):
            b.add_joint(f"j{i}", parent, name, "rod" if point_mass else "spherical", place)
        names.append(name)
    if n >= 2 and r.random() < 0.3:  # a loop
        x, y = r.sample(names, 2)
        if math.dist(b.bodies[x]["position"], b.bodies[y]["position"]) > 1e-3:
            b.add_joint("loop", x, y, "rod", None)
    if n >= 3 and r.random() < 0.1:
        b.add_joint("loop2", "ground", names[-1], "point-on-plane", b.bodies[names[-1]]["position"])
    if r.random() < 0.2:
        x = r.choice(names)
        if r.random() < 0.5:
            b.add_joint("rope", "ground", x, "rope", b.bodies[x]["position"])
            p, q = b.joints["rope"]["from_point"], b.bodies[x]["position"]
            b.joints["rope"]["length"] = num(math.dist(p, q) * r.choice([1.0001, 1.2]) + 1e-4)
        else:
            b.add_joint("gap", "ground", x, "distance", b.bodies[x]["position"])
            d = math.dist(b.joints["gap"]["from_point"], b.bodies[x]["position"])
            b.joints["gap"]["limits"] = [num(0.7 * d), num(1.3 * d + 0.01)]
    coordinates = [j for j in b.turning if b.joints[j]["type"] == "revolute" and j not in b.driven]
    if len(coordinates) >= 2 and r.random() < 0.4:
        x, y = r.sample(coordinates, 2)
        b.joints["gears"] = {"type": "gear", "joints": [x, y], "ratio": num(r.choice([-1, 1]) * r.uniform(0.3, 3))}
    for i in range(r.randint(0, 3)):
        b.add_force(f"f{i}")
    if r.random() < 0.35:
        low = min(x["position"][2] for x in b.bodies.values())
        law = {"restitution": r.choice([0, 0.5, num(r.uniform(0, 1))]), "friction": r.choice([0, 0, num(r.uniform(0, 1))])}
        b.contacts["floor"] = dict({"plane": {"point": [0, 0, num(low - r.uniform(0.5, 1.5))], "normal": [0, 0, 1]}}, **law)
        b.contacts["floor"]["bodies"] = [x for x in names if "inertia" not in b.bodies[x]] or names[:1]
    for body in b.bodies.values():
        body.pop("is_point", None)
    simulation = {"duration": r.choice([1, 2, 4])}
    if r.random() < 0.2:
        method = r.choice(["index1/rk4", "projected/rk4", "projected/dopri5", "baumgarte/rk4", "projected/midpoint"] +
                          (["moreau"] if b.contacts else []))
        simulation["method"] = method
        if method != "projected/dopri5":
            simulation["step"] = r.choice([1e-3, 2e-3, 1e-2])
    elif r.random() < 0.3:
        simulation["tolerance"] = r.choice([1e-6, 1e-8, 1e-12])
    sections = {k: v for k, v in (("bodies", b.bodies), ("joints", b.joints), ("forces", b.forces),
                                  ("contacts", b.contacts)) if v}
    return model.Model(**sections, simulation=simulation)


def judge(summary, text):
    e = summary["energy"]
    # Every end but these has a name and a reason; what matters is that none claims to be right and is not.
    grade = summary["verdict"]["grade"]
    scale = max(e["scale"], 1e-6)
    if grade == "trusted" and not e["max_drift"] <= 1e-3 * scale:
        return "trusted with an open account"
    if grade == "trusted" and summary.get("penetration", 0) > 1e-6 and "moreau" not in text:
        return "trusted with overlaps"
    if summary["outcome"] not in ("completed", "stopped by event"):
        return summary["outcome"] + ": " + summary.get("reason", "")
    return None
