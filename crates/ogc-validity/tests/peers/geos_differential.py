"""Judges random geometries with GEOS (shapely) and with ours, and lists every disagreement.

    geos_differential.py BINARY SEED COUNT      random geometries
    geos_differential.py BINARY FILE.geojson    the features of a file

BINARY is the built example `judge_lines`. Exit 0 when every verdict is the same, every reason of GEOS is among our kinds
and every intersection point of GEOS is among our locations. The exceptions are `STOPPED`, `geos_cannot_tell`, and the
place in a flat ring, of whose overlaps ours tells the turns only.
"""

import collections
import json
import math
import random
import re
import subprocess
import sys
from fractions import Fraction

import shapely

KINDS = {
    "Self-intersection": "self_intersection",
    "Ring Self-intersection": "self_intersection",
    "Too few points in geometry component": "too_few_points",
    "Hole lies outside shell": "hole_outside_shell",
    "Holes are nested": "nested_holes",
    "Nested shells": "nested_shells",
    "Interior is disconnected": "disconnected_interior",
}
# GEOS stops looking for intersections at the first pair of rings that touch twice, and may then tell what follows from
# an intersection that it has not seen.
STOPPED = {"hole_outside_shell", "nested_holes", "nested_shells", "disconnected_interior"}
BATCH = 5000


# --- geometries -------------------------------------------------------------------------------------------------------


def around(rng, center, reach, corners):
    """A ring round a centre by angle, on the grid: simple or nearly so."""
    angles = sorted(rng.random() * 2 * math.pi for _ in range(corners))
    return [
        (center[0] + round(math.cos(a) * reach * rng.uniform(0.3, 1)), center[1] + round(math.sin(a) * reach * rng.uniform(0.3, 1)))
        for a in angles
    ]


def box(rng, low, high):
    x = sorted(rng.sample(range(low, high + 1), 2))
    y = sorted(rng.sample(range(low, high + 1), 2))
    return [(x[0], y[0]), (x[1], y[0]), (x[1], y[1]), (x[0], y[1])]


def any_ring(rng, low, high):
    choice = rng.random()
    middle = lambda: rng.randint(low, high)
    if choice < 0.5:
        return box(rng, low, high)
    if choice < 0.8:
        return around(rng, (middle(), middle()), max(1, (high - low) // rng.randint(2, 3)), rng.randint(4, 9))
    if choice < 0.9:
        return [(middle(), middle()) for _ in range(3)]
    return [(middle(), middle()) for _ in range(rng.randint(3, 8))]


def diamond(center, reach):
    x, y = center
    return [(x + reach, y), (x, y + reach), (x - reach, y), (x, y - reach)]


def harm(rng, ring, low, high):
    """Repeats, spikes, another start, another direction."""
    ring = list(ring)
    if rng.random() < 0.15:
        at = rng.randrange(len(ring))
        ring[at:at] = [ring[at]] * rng.randint(1, 2)
    if rng.random() < 0.06:
        at = rng.randrange(len(ring))
        ring[at + 1 : at + 1] = [(rng.randint(low, high), rng.randint(low, high)), ring[at]]
    if rng.random() < 0.1:
        at = rng.randrange(len(ring))
        (x, y), (u, v) = ring[at - 1], ring[at]
        ring.insert(at, ((x + u) / 2, (y + v) / 2))
    if rng.random() < 0.5:
        ring.reverse()
    turn = rng.randrange(len(ring))
    ring = ring[turn:] + ring[:turn]
    return ring + [ring[0]]


def polygon(rng, low, high):
    span = high - low
    if rng.random() < 0.6:
        shell = [(low, low), (high, low), (high, high), (low, high)]
    else:
        shell = any_ring(rng, low, high)
    rings = [shell]
    for _ in range(rng.choice([0, 0, 1, 1, 2, 2, 3, 4, 6])):
        choice = rng.random()
        if choice < 0.08:
            rings.append(list(rng.choice(rings)))
        elif choice < 0.4:
            center = rng.randint(low + 1, max(low + 1, high - 1)), rng.randint(low + 1, max(low + 1, high - 1))
            rings.append(diamond(center, rng.randint(1, max(1, span // 4))))
        else:
            a = rng.randint(low, high - 2)
            rings.append(any_ring(rng, a, min(high, a + rng.randint(2, max(2, span // 2)))))
    return [harm(rng, ring, low, high) for ring in rings]


def geometry(rng):
    high = rng.choice([3, 4, 6, 8, 12, 20])
    if rng.random() < 0.55:
        parts = [polygon(rng, 0, high)]
    else:
        parts = []
        for _ in range(rng.randint(1, 5)):
            if parts and rng.random() < 0.08:
                parts.append([list(ring) for ring in rng.choice(parts)])
            elif rng.random() < 0.5:
                low = rng.randint(0, high - 2)
                parts.append(polygon(rng, low, min(high, low + rng.randint(2, 6))))
            else:
                parts.append(polygon(rng, 0, high))
    move = rng.random()
    if move < 0.6:
        change = lambda x, y: (float(x), float(y))
    elif move < 0.75:
        factor = 2.0 ** rng.randint(-200, 200)
        change = lambda x, y: (x * factor, y * factor)
    elif move < 0.85:
        far = float(rng.randint(1, 2**40))
        change = lambda x, y: (x + far, y - far)
    else:
        turn, k = rng.random(), 10.0 ** rng.randint(-6, 6)
        c, s, u, v = math.cos(turn), math.sin(turn), rng.random(), rng.random()
        change = lambda x, y: (k * (c * x - s * y + u), k * (s * x + c * y + v))
    return [[[change(*point) for point in ring] for ring in part] for part in parts]


# --- the two judges ---------------------------------------------------------------------------------------------------


def as_geos(parts):
    polygons = [shapely.Polygon(part[0], part[1:]) for part in parts]
    return polygons[0] if len(polygons) == 1 else shapely.MultiPolygon(polygons)


def as_line(parts):
    coordinates, ring_ends, part_ends, vertices = [], [], [], 0
    for part in parts:
        for ring in part:
            coordinates += [repr(ordinate) for point in ring for ordinate in point[:2]]
            vertices += len(ring)
            ring_ends.append(str(vertices))
        part_ends.append(str(len(ring_ends)))
    kind = "Polygon" if len(parts) == 1 else "MultiPolygon"
    return ";".join([kind, "2", ",".join(coordinates), ",".join(ring_ends), ",".join(part_ends)])


def ask_ours(binary, cases):
    done = subprocess.run([binary], input="\n".join(map(as_line, cases)) + "\n", capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def near(a, b, size):
    return all(abs(p - q) <= 1e-9 * size for p, q in zip(a, b))


def disagreement(parts, reason, ours):
    """None, or what differs."""
    verdict, *faults = ours.split(";")
    if (reason == "Valid Geometry") != (verdict == "valid"):
        if geos_cannot_tell(parts):
            return None
        return f"verdict: GEOS {reason!r}, ours {ours!r}"
    if verdict == "valid":
        return None
    name, x, y = re.fullmatch(r"(.*)\[(\S+) (\S+)\]", reason).groups()
    faults = [fault.split(",") for fault in faults]
    kind, kinds = KINDS[name], {fault[0].removeprefix("ring_") for fault in faults}
    if kind in STOPPED and "self_intersection" in kinds:
        return None
    if kind not in kinds:
        return f"kind: GEOS {reason!r}, ours {ours!r}"
    if kind != "self_intersection" or any(fault[0] == "collapsed" for fault in faults):
        return None
    size = max(abs(ordinate) for part in parts for ring in part for point in ring for ordinate in point)
    point = float(x), float(y)
    if not any(is_of(fault, point, parts, size) for fault in faults) and not geos_cannot_tell(parts):
        return f"place: GEOS {reason!r}, ours {ours!r}"
    return None


def geos_cannot_tell(parts):
    """Whether a vertex lies exactly on an edge, and double-double cannot hold the differences that say so."""
    rings = [ring for part in parts for ring in part]
    edges = [edge for ring in rings for edge in zip(ring, ring[1:])]
    return any(lies_on(point, *edge) for ring in rings for point in ring for edge in edges if point not in edge)


def lies_on(point, start, end):
    p, a, b = (tuple(map(Fraction, position)) for position in (point, start, end))
    differences = [q[axis] - p[axis] for q in (a, b) for axis in (0, 1)]
    exact = differences[0] * differences[3] == differences[1] * differences[2]
    return exact and any(difference != Fraction(float(difference)) for difference in differences)


def is_of(fault, point, parts, size):
    """A point is one of the fault's locations, or (GEOS rounds where edges are nearly parallel) on both its edges."""
    places = [fault[i : i + 2] for i in (1, 3) if fault[i] != "-"]
    if any(near(point, map(float, place), size) for place in places):
        return True
    edges = [list(map(int, fault[i : i + 3])) for i in (6, 9) if fault[i] != "-"]
    return len(edges) == 2 and all(is_on(point, *parts[p][r][v : v + 2], size) for p, r, v in edges)


def is_on(point, start, end, size):
    gap = shapely.LineString([start[:2], end[:2]]).distance(shapely.Point(point))
    return gap <= 1e-9 * size


def compare(binary, cases):
    reasons = shapely.is_valid_reason([as_geos(parts) for parts in cases])
    found = collections.Counter()
    for parts, reason, ours in zip(cases, reasons, ask_ours(binary, cases), strict=True):
        found[reason.split("[")[0]] += 1
        if text := disagreement(parts, reason, ours):
            found["DISAGREEMENT"] += 1
            if found["DISAGREEMENT"] <= 10:
                print(text, "\n  ", as_geos(parts).wkt[:3000])
    return found


def features(path):
    with open(path, encoding="utf-8") as file:
        for feature in json.load(file)["features"]:
            shape = feature["geometry"]
            yield [shape["coordinates"]] if shape["type"] == "Polygon" else shape["coordinates"]


def main():
    binary, source = sys.argv[1:3]
    total = collections.Counter()
    if len(sys.argv) == 3:
        total = compare(binary, list(features(source)))
    else:
        rng, left = random.Random(int(source)), int(sys.argv[3])
        while left > 0:
            total += compare(binary, [geometry(rng) for _ in range(min(left, BATCH))])
            left -= BATCH
    print(dict(total))
    return 1 if total["DISAGREEMENT"] else 0


if __name__ == "__main__":
    sys.exit(main())
