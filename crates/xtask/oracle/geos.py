"""Judges seeded geometries with GEOS (shapely) and with ours, and tells every disagreement.

    geos.py BINARY --seed SEED --count COUNT [--modes auto,tree,sweep]    seeded geometries
    geos.py BINARY --file FILE.geojson [--modes …]                        the features of a file

BINARY is the built example `judge_lines` of `ogc-validity`, started once a mode with the mode as its argument. Exit 0
when every verdict is the same, every reason of GEOS is among our kinds (both self-intersections count as one), and
every intersection point of GEOS is among the ends of our faults. The exceptions are those of the crate's table, here
`STOPPED` and `geos_cannot_tell`, and the place in a flat ring, of whose overlaps ours tells the turns only. Those that
an exception excused are counted.

Batches are seeded one by one, so that a run draws the same whatever the number of processes.
"""

import argparse
import collections
import concurrent.futures
import itertools
import json
import os
import random
import re
import subprocess
import sys
from fractions import Fraction

import numpy
import shapely

from shapes import GENERATORS

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
BATCH = 4000
TOLD_MAX = 10


# --- the two judges ---------------------------------------------------------------------------------------------------


def as_geos(cases):
    """All cases at once: one array of positions and the ends of rings, parts and geometries."""
    rings = [ring for parts in cases for part in parts for ring in part]
    positions = numpy.array([point[:2] for ring in rings for point in ring])
    ends = lambda groups: numpy.cumsum([0, *map(len, groups)])
    offsets = ends(rings), ends([part for parts in cases for part in parts]), ends(cases)
    shapes = shapely.from_ragged_array(shapely.GeometryType.MULTIPOLYGON, positions, offsets)
    single = shapely.get_num_geometries(shapes) == 1
    return numpy.where(single, shapely.get_geometry(shapes, 0), shapes)


def as_line(parts):
    rings = [ring for part in parts for ring in part]
    coordinates = ",".join([f"{x!r},{y!r}" for ring in rings for x, y, *_ in ring])
    ends = lambda groups: ",".join(map(str, itertools.accumulate(map(len, groups))))
    kind = "Polygon" if len(parts) == 1 else "MultiPolygon"
    return f"{kind};2;{coordinates};{ends(rings)};{ends(parts)}"


def ask_ours(binary, mode, lines):
    done = subprocess.run([binary, mode], input=lines, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{os.path.basename(binary)} {mode} failed: {done.stderr.strip()}")
    return done.stdout.splitlines()


def judge_batch(binary, modes, cases):
    """Counts by verdict, and (number, what differs) of each disagreement."""
    shapes = as_geos(cases)
    reasons = shapely.is_valid_reason(shapes)
    counts = collections.Counter(reason.split("[")[0] for reason in reasons)
    lines = "\n".join(map(as_line, cases)) + "\n"
    differing = []
    for mode in modes:
        answers = ask_ours(binary, mode, lines)
        for number, (parts, reason, ours) in enumerate(zip(cases, reasons, answers, strict=True)):
            found = compare(parts, reason, ours)
            if found in EXCUSES:
                counts[found] += 1
            elif found:
                differing.append((number, f"{found} ({mode}): GEOS {reason!r}, ours {ours!r}\n  {shapely.to_wkt(shapes[number], -1)}"))
    return counts, differing


# --- what counts as the same ------------------------------------------------------------------------------------------

STOPPED_EARLY = "(GEOS stopped before an intersection)"
ROUNDS = "(a vertex exactly on an edge, beyond double-double)"
FLAT = "(an overlap within a flat ring)"
EXCUSES = {STOPPED_EARLY, ROUNDS, FLAT}


def compare(parts, reason, ours):
    """None, one of the excuses, or what differs."""
    verdict, *faults = ours.split(";")
    if verdict not in ("valid", "invalid"):
        return "no verdict"
    if (reason == "Valid Geometry") != (verdict == "valid"):
        return ROUNDS if geos_cannot_tell(parts) else "verdict"
    if verdict == "valid":
        return None
    name, x, y = re.fullmatch(r"(.*)\[(\S+) (\S+)\]", reason).groups()
    faults = [fault.split(",") for fault in faults]
    kind, kinds = KINDS[name], {fault[0].removeprefix("ring_") for fault in faults}
    if kind not in kinds:
        stopped = kind in STOPPED and "self_intersection" in kinds
        return STOPPED_EARLY if stopped else "kind"
    if kind != "self_intersection":
        return None
    size = max(abs(ordinate) for part in parts for ring in part for point in ring for ordinate in point[:2])
    point = float(x), float(y)
    if any(is_of(fault, point, parts, size) for fault in faults):
        return None
    if "collapsed" in kinds:
        return FLAT
    return ROUNDS if geos_cannot_tell(parts) else "place"


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


def near(a, b, size):
    return all(abs(p - q) <= 1e-9 * size for p, q in zip(a, b))


def is_of(fault, point, parts, size):
    """A point is one of the fault's ends, or (GEOS rounds where edges are nearly parallel) on both its edges."""
    places = [fault[i : i + 2] for i in (1, 3) if fault[i] != "-"]
    if any(near(point, map(float, place), size) for place in places):
        return True
    edges = [list(map(int, fault[i : i + 3])) for i in (6, 9) if fault[i] != "-"]
    return len(edges) == 2 and all(is_on(point, *parts[p][r][v : v + 2], size) for p, r, v in edges)


def is_on(point, start, end, size):
    gap = shapely.LineString([start[:2], end[:2]]).distance(shapely.Point(point))
    return gap <= 1e-9 * size


# --- runs -------------------------------------------------------------------------------------------------------------


def run_batch(binary, modes, name, seed, batch, count):
    rng = random.Random(f"{seed}/{name}/{batch}")
    cases = [GENERATORS[name](rng) for _ in range(count)]
    counts, differing = judge_batch(binary, modes, cases)
    place = lambda number: f"seed {seed}, {name}, batch {batch}, number {number}"
    return name, counts, [f"{place(number)}\n  {text}" for number, text in differing]


def batches(count):
    """(generator, batch, size) so that the generators share the count evenly."""
    for at, name in enumerate(GENERATORS):
        left = count // len(GENERATORS) + (at < count % len(GENERATORS))
        for batch in itertools.count():
            if left <= 0:
                break
            yield name, batch, min(left, BATCH)
            left -= BATCH


def run_seeded(binary, modes, seed, count):
    found = {name: collections.Counter() for name in GENERATORS}
    differing = {name: [] for name in GENERATORS}
    with concurrent.futures.ProcessPoolExecutor() as pool:
        runs = [pool.submit(run_batch, binary, modes, name, seed, batch, size) for name, batch, size in batches(count)]
        for run in concurrent.futures.as_completed(runs):
            name, counts, texts = run.result()
            found[name] += counts
            differing[name] += texts
    return found, differing


def run_file(binary, modes, path):
    with open(path, encoding="utf-8") as file:
        shapes = [feature["geometry"] for feature in json.load(file)["features"]]
    cases = [[shape["coordinates"]] if shape["type"] == "Polygon" else shape["coordinates"] for shape in shapes]
    counts, texts = judge_batch(binary, modes, cases)
    return {"features": counts}, {"features": [f"feature {number}: {text[:3000]}" for number, text in texts]}


def tell(found, differing, modes):
    total = sum(found.values(), collections.Counter())
    for name, counts in found.items():
        judged = sum(count for word, count in counts.items() if word not in EXCUSES)
        print(f"  {judged:>8} {name}, {counts['Valid Geometry']} valid, {len(differing[name])} disagreements")
    for word, count in total.most_common():
        print(f"  {count:>8} {word}")
    for text in [text for texts in differing.values() for text in texts][:TOLD_MAX]:
        print(text)
    judged = sum(count for word, count in total.items() if word not in EXCUSES)
    failed = sum(map(bool, differing.values()))
    disagreements = sum(map(len, differing.values()))
    print(f"{judged} geometries beside GEOS {shapely.geos_version_string}, modes {','.join(modes)}: {disagreements} disagreements")
    # A generator counts as one test.
    print(f"test result: {'FAILED' if failed else 'ok'}. {len(found) - failed} passed; {failed} failed")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--count", type=int)
    parser.add_argument("--file")
    parser.add_argument("--modes", default="auto", type=lambda text: text.split(","))
    asked = parser.parse_args()
    if asked.file:
        return tell(*run_file(asked.binary, asked.modes, asked.file), asked.modes)
    print(f"HEXLANE_SEED={asked.seed} runs this again")
    return tell(*run_seeded(asked.binary, asked.modes, asked.seed, asked.count), asked.modes)


if __name__ == "__main__":
    sys.exit(main())
