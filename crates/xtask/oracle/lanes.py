"""Holds verdicts and cells in wasm to the native ones, and cells of points to H3's own C library.

    lanes.py NATIVE NODE FOLDER --seed SEED --points COUNT --shapes COUNT

NATIVE is the program `oracle`, NODE runs `ask.mjs` with FOLDER, where the glue and the wasm of the same crate are. All
answers must be the same bytes. A point of the earth must have H3's cell at each resolution, but for one on the border of
two cells to a tenth of a micrometre, which either may claim (their last bits differ there; those are counted); one beyond ±90 or ±180 must
be refused before H3, which would take it. Shapes are lines, polygons with holes and collections, also across ±180 and
round a pole, some of them invalid; those have reports that must be the same bytes, too. So have the outside cases, where
HEXLANE_CASES names their folder.
"""

import argparse
import json
import math
import os
import random
import subprocess
import sys
import warnings

import h3
import shapely

BATCH = 10_000
TOLD_MAX = 10
# About a tenth of a micrometre on the ground.
BORDER_DEGREES = 1e-12
SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ask.mjs")
# S2 and quadkeys are held to their makers' libraries by golden vectors; here to themselves.
GRIDS = [("h3", level) for level in range(16)] + [("s2", 11), ("s2", 30), ("quadkey", 13), ("quadkey", 30)]


# --- inputs -----------------------------------------------------------------------------------------------------------


def place(rng):
    """A longitude and a latitude: anywhere, at ±180, at a pole, at 0, near a cell's border, or rounded."""
    choice = rng.random()
    longitude, latitude = rng.uniform(-180, 180), math.degrees(math.asin(rng.uniform(-1, 1)))
    if choice < 0.55:
        return longitude, latitude
    if choice < 0.65:
        return rng.choice([-180.0, 180.0, 179.9999999, -179.9999999]), latitude
    if choice < 0.72:
        return longitude, rng.choice([-90.0, 90.0, 89.9999999, -89.9999999, 0.0])
    if choice < 0.85:
        return round(longitude, rng.randint(0, 7)), round(latitude, rng.randint(0, 7))
    corners = h3.cell_to_boundary(h3.latlng_to_cell(latitude, longitude, rng.randint(0, 15)))
    (u, v), (x, y) = rng.sample(corners, 2)
    return (v + y) / 2, (u + x) / 2


def beyond(rng):
    """Just out of range, or far."""
    far = rng.choice([1e-9, 0.5, 5, 20, 180, 1e6])
    longitude, latitude = place(rng)
    if rng.random() < 0.5:
        return rng.choice([-1, 1]) * (180 + far), latitude
    return longitude, rng.choice([-1, 1]) * (90 + far)


def ring(rng, center, reach):
    corners = rng.randint(3, 30)
    angles = sorted(rng.random() * 2 * math.pi for _ in range(corners))
    at = lambda a, far: [min(180, max(-180, center[0] + math.cos(a) * far)), min(90, max(-90, center[1] + math.sin(a) * far))]
    vertices = [at(a, reach * rng.uniform(0.5, 1)) for a in angles]
    return [*vertices, vertices[0]]


def polygon(rng):
    center, reach = place(rng), 10 ** rng.uniform(-4, 1.3)
    center = (min(180, max(-180, center[0])), min(90, max(-90, center[1])))
    holes = [ring(rng, center, reach * 0.3)] if rng.random() < 0.3 else []
    return [ring(rng, center, reach), *holes]


def shape(rng):
    choice = rng.random()
    if choice < 0.5:
        return {"type": "Polygon", "coordinates": polygon(rng)}
    if choice < 0.7:
        return {"type": "MultiPolygon", "coordinates": [polygon(rng) for _ in range(rng.randint(1, 4))]}
    if choice < 0.8:
        return {"type": "LineString", "coordinates": [place(rng) for _ in range(rng.randint(2, 9))]}
    if choice < 0.87:
        return {"type": "MultiPoint", "coordinates": [place(rng) for _ in range(rng.randint(1, 4))]}
    if choice < 0.94:
        pole = rng.choice([-89.5, 89.5])
        return {"type": "Polygon", "coordinates": [[[x, pole] for x in range(-180, 181, 30)] + [[180, -pole / 2], [-180, -pole / 2], [-180, pole]]]}
    return {"type": "GeometryCollection", "geometries": [shape(rng) for _ in range(rng.randint(1, 3))]}


def feature(number, geometry):
    return json.dumps({"type": "Feature", "id": number, "geometry": geometry, "properties": {}})


def point(number, position):
    return feature(number, {"type": "Point", "coordinates": position})


def lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def outside(folder):
    """Bodies that nobody here wrote, each on one line: what is no GeoJSON yet becomes it, however invalid."""
    bodies = [case["body"] for case in lines(os.path.join(folder, "structure.jsonl"))]
    with open(os.path.join(folder, "quirks.json"), encoding="utf-8") as file:
        bodies += [case["body"] for case in json.load(file)]
    for name in ("validity.jsonl", "repair.jsonl"):
        for number, case in enumerate(lines(os.path.join(folder, name))):
            try:
                # GEOS says of NaN what it is.
                warnings.simplefilter("ignore", RuntimeWarning)
                geometry = shapely.geometry.mapping(shapely.from_wkt(case["wkt"]))
            except shapely.errors.GEOSException:
                continue
            bodies.append(feature(number, geometry))
    # A body is a line here; the reader takes any white space for the same.
    plain = [body.replace("\r", " ").replace("\n", " ") for body in bodies]
    return [body for body in plain if body.strip()]


# --- answers ----------------------------------------------------------------------------------------------------------


def ask(command, settings, bodies):
    text = "\n".join([json.dumps(settings), *bodies])
    done = subprocess.run([*command, "verdicts"], input=text.encode(), capture_output=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{command}: {done.stderr.decode().strip()}")
    return done.stdout


def on_border(position, *cells):
    """Whether the point lies on the common border of neighbours, as near as doubles can say."""
    rings = [shapely.LinearRing([(v, u) for u, v in h3.cell_to_boundary(cell)]) for cell in cells]
    return h3.are_neighbor_cells(*cells) and all(ring.distance(shapely.Point(position)) <= BORDER_DEGREES for ring in rings)


class Run:
    def __init__(self, native, wasm):
        self.native, self.wasm, self.differing, self.on_borders = native, wasm, [], 0

    def both(self, grid, level, bodies):
        """The native answers, once wasm has given the same bytes."""
        settings = {"auth": "none", "grid": grid, "resolution": level}
        native, wasm = (ask(command, settings, bodies) for command in (self.native, self.wasm))
        answers = native.splitlines()
        if native != wasm:
            pairs = zip(bodies, answers, wasm.splitlines())
            self.differing += [f"{body}\n  native {a}\n  wasm   {b}" for body, a, b in pairs if a != b] or ["wasm said more or less"]
        if len(answers) != len(bodies):
            sys.exit(f"{len(answers)} answers to {len(bodies)} bodies")
        return map(json.loads, answers)

    def points(self, rng, grid, level, count):
        positions = [place(rng) for _ in range(count)]
        bodies = [point(number, position) for number, position in enumerate(positions)]
        for position, answer in zip(positions, self.both(grid, level, bodies)):
            cell = answer["events"][0] and answer["events"][0]["cell"]
            theirs = h3.latlng_to_cell(position[1], position[0], level) if grid == "h3" else cell
            if cell and cell != theirs and on_border(position, cell, theirs):
                self.on_borders += 1
            elif cell is None or cell != theirs:
                self.differing.append(f"{grid} {level} of {position}: {answer} and not {theirs}")

    def refusals(self, rng, grid, level, count):
        positions = [beyond(rng) for _ in range(count)]
        bodies = [point(number, position) for number, position in enumerate(positions)]
        for position, answer in zip(positions, self.both(grid, level, bodies)):
            axis = "longitude" if abs(position[0]) > 180 else "latitude"
            codes = [json.loads(violation)["code"] for violation in answer["violations"]]
            if answer["events"] != [None] or f"crs.{axis}_out_of_range" not in codes:
                self.differing.append(f"{position}: {answer}")

    def cases(self, folder):
        """Every outside case, and how many there are."""
        bodies = outside(folder)
        for start in range(0, len(bodies), BATCH):
            list(self.both("h3", 6, bodies[start : start + BATCH]))
        return len(bodies)

    def shapes(self, rng, grid, level, count):
        bodies = [feature(number, shape(rng)) for number in range(count)]
        return sum(answer["events"][0] is not None for answer in self.both(grid, level, bodies))


def shares(count, pieces):
    """Sizes of so many pieces, none over a batch."""
    for at in range(pieces):
        left = count // pieces + (at < count % pieces)
        while left > 0:
            yield at, min(left, BATCH)
            left -= BATCH


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("native")
    parser.add_argument("node")
    parser.add_argument("folder")
    for name in ("seed", "points", "shapes"):
        parser.add_argument(f"--{name}", type=int, required=True)
    asked = parser.parse_args()
    print(f"HEXLANE_SEED={asked.seed} runs this again")
    run, rng = Run([asked.native], [asked.node, SCRIPT, asked.folder]), random.Random(asked.seed)
    for at, size in shares(asked.points, len(GRIDS)):
        run.points(rng, *GRIDS[at], size)
    refused = max(1, asked.points // 100)
    run.refusals(rng, *GRIDS[6], refused)
    accepted = sum(run.shapes(rng, *GRIDS[at], size) for at, size in shares(asked.shapes, len(GRIDS)))
    folder = os.environ.get("HEXLANE_CASES")
    cases = run.cases(folder) if folder else 0
    if accepted * 2 < asked.shapes:
        run.differing.append(f"only {accepted} shapes were accepted: the inputs are bad")
    print("\n".join(run.differing[:TOLD_MAX]))
    print(
        f"{asked.points} points, {refused} beyond the ranges, {asked.shapes} shapes ({accepted} accepted), {cases} outside cases native, in wasm "
        f"and beside H3 {h3.versions()['c']}: {len(run.differing)} differ, "
        f"{run.on_borders} on a border"
    )
    failed = bool(run.differing)
    print(f"test result: {'FAILED' if failed else 'ok'}. {1 - failed} passed; {int(failed)} failed")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
