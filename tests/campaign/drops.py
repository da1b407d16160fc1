"""Random drops: 1 to 10 boxes, capsules, spheres, cylinders and hulls above a floor, with random restitution and
friction, some of them exactly aligned, equal or at rest on each other."""
import math
import random

import model


def shape(r):
    kind = r.choice(["box", "capsule", "sphere", "cylinder", "hull"])
    if kind == "box":
        s = [round(r.uniform(0.1, 0.5), 3) for _ in range(3)]
        return {"box": s}, math.hypot(*s) / 2
    if kind == "sphere":
        s = round(r.uniform(0.05, 0.25), 3)
        return {"sphere": s}, s
    if kind == "hull":
        points = [[round(r.uniform(-0.25, 0.25), 3) for _ in range(3)] for _ in range(r.randint(5, 14))]
        # The mass centre of a hull is the origin of its points only if they say so: half a box around it.
        return {"hull": points}, max(math.hypot(*p) for p in points) * 2
    radius, height = round(r.uniform(0.05, 0.2), 3), round(r.uniform(0.1, 0.5), 3)
    reach = radius + height / 2 if kind == "capsule" else math.hypot(radius, height / 2)
    return {kind: [radius, height]}, reach


def generate(seed):
    r = random.Random(seed)
    n = r.randint(1, 10)
    aligned = r.random() < 0.3
    bodies, placed = {}, []
    tower = r.random() < 0.2
    z = 0.0
    first, first_reach = shape(r)
    for i in range(n):
        s, reach = (first, first_reach) if aligned else shape(r)
        if tower:
            z += reach + (0.05 if i else 0.1)
            at = [0, 0, round(z, 3)]
            z += reach
        else:
            for _ in range(1000):
                side = 0.3 + 0.25 * n ** 0.5
                at = [round(r.uniform(-side, side), 3), round(r.uniform(-side, side), 3),
                      round(r.uniform(reach + 0.01, reach + 1.5), 3)]
                if aligned:
                    at = [round(x * 4) / 4 for x in at[:2]] + [max(round(at[2] * 4) / 4, reach + 0.01)]
                if all(math.dist(at, p) > reach + q + 0.001 for p, q in placed):
                    break
            else:
                continue
        placed.append((at, reach))
        b = dict(s, mass=round(r.uniform(0.2, 3), 3), position=at)
        if not aligned and r.random() < 0.8:
            b["rotation"] = {"axis": [round(r.gauss(0, 1), 3) or 1 for _ in range(3)], "angle": round(r.uniform(0, 3), 3)}
        elif r.random() < 0.3:
            b["rotation"] = {"axis": r.choice([[1, 0, 0], [0, 1, 0], [0, 0, 1]]), "angle": r.choice(["90 deg", "45 deg"])}
        if r.random() < 0.5:
            b["velocity"] = [round(r.gauss(0, 1), 3) for _ in range(3)]
        if r.random() < 0.4 and "sphere" not in s:
            b["angular_velocity"] = [round(r.gauss(0, 3), 3) for _ in range(3)]
        bodies[f"b{i}"] = b
    law = lambda: {"restitution": r.choice([0, 0, round(r.uniform(0, 0.9), 2)]), "friction": r.choice([0, round(r.uniform(0, 1), 2)])}
    contacts = {"floor": dict({"plane": {"point": [0, 0, 0], "normal": [0, 0, 1]}}, **law())}
    if len(bodies) > 1:
        contacts["each"] = dict({"between": list(bodies)}, **law())
    return model.Model(bodies=bodies, contacts=contacts, simulation={"duration": 2})


def judge(summary, text):
    """What is wrong with a run, or None."""
    if summary["outcome"] != "completed":
        return summary["outcome"]
    e = summary["energy"]
    scale = max(abs(e["initial"]), 1)
    if not e["max_drift"] <= 1e-8 * scale:
        return "drift"
    if not summary.get("penetration", 0) <= 1e-9:
        return "penetration"
    if summary.get("verdict", {"grade": "trusted"})["grade"] == "do not use":
        return "do not use"
    return None
