"""Writes the list of supported EPSG codes, and the points it is tested on.

How to run, from the root of the repository:

    cargo build --release -p hexlane-reproject --example measure
    python3 -m venv target/pyproj
    target/pyproj/bin/pip install pyproj==3.7.2
    target/pyproj/bin/python crates/reproject/data/generate.py target/release/examples/measure

It needs no network once pyproj is installed and uses no datum grid: the wheel carries none.

For every horizontal system of the EPSG dataset in two dimensions that is not deprecated:

1. The projection is PROJ's own PROJ 4 text of it, the datum shift is taken from the datum
   operations of the dataset (geocentric translations, Helmert, Molodensky-Badekas, chains of
   them) instead of the `towgs84` that lists of PROJ 4 texts carry and that are wrong for many.
2. Points spread over its area of use are transformed by PROJ: by the definition in the
   dataset, where PROJ picks the operation for each point, and by the text.
3. `measure`, which is this crate, transforms the same points by each possible text. The text
   nearest to the dataset wins. Where the dataset has operations for parts of the area, that is
   one of them, and the distance to the others is what the accuracy says.

A code enters the list when the crate is within 1 cm of PROJ by the same text, within 20 m of
the dataset at every point, and when the dataset does not call the datum operation worse than
20 m. Where the dataset has an operation with a grid, 10 m are asked instead of 20. Of the
others those for which the dataset has an operation with a grid go to `needs_grid.txt`.
"""

import math
import statistics
import subprocess
import sys
import warnings
from pathlib import Path

from pyproj import CRS, Transformer, network
from pyproj.aoi import AreaOfInterest
from pyproj.database import get_codes, get_database_metadata
from pyproj.enums import PJType
from pyproj.exceptions import CRSError, ProjError
from pyproj.transformer import TransformerGroup

warnings.simplefilter("ignore")
network.set_network_enabled(False)

HERE = Path(__file__).parent
CLASSES_M = [0.001, 0.01, 0.1, 1, 10, 20]
DATUM_ACCURACY_MAX_M = 20
# Where a grid would do better, a text must be this near.
BESIDE_GRID_MAX_M = 10
SAME_TEXT_MAX_M = 0.01
SPREAD = [0.02, 0.26, 0.5, 0.74, 0.98]
POINTS_KEPT = 5
CANDIDATES_MAX = 12
# What is left out of a text: it changes nothing in two dimensions without grids.
IDLE = {"no_defs", "type", "wktext", "nadgrids", "vunits"}
DATUM_KEYS = ["ellps", "a", "b", "rf", "R", "towgs84", "pm", "units", "to_meter"]
ELLIPSOID_OF_DATUM = {"WGS84": "WGS84", "NAD83": "GRS80", "NAD27": "clrk66"}
ARC_SECOND = math.pi / 180 / 3600


def parse(text):
    """A PROJ text as an ordered dict; flags have the value None."""
    parts = (part.lstrip("+").partition("=") for part in text.split())
    return {name: value if equals else None for name, equals, value in parts}


def multiplied(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(3)) for j in range(3)] for i in range(3)]


def applied(a, v):
    return [sum(a[i][k] * v[k] for k in range(3)) for i in range(3)]


def inverted(a):
    """The inverse of a matrix that is nearly the unit matrix, by Newton's iteration."""
    x = [[2.0 * (i == j) - a[i][j] for j in range(3)] for i in range(3)]
    for _ in range(4):
        ax = multiplied(a, x)
        x = multiplied(x, [[2.0 * (i == j) - ax[i][j] for j in range(3)] for i in range(3)])
    return x


def affine(step):
    """A Helmert step as matrix and translation."""
    number = lambda name: float(step.get(name, 0) or 0)
    sign = -1 if step.get("convention") == "coordinate_frame" else 1
    rx, ry, rz = (sign * number(name) * ARC_SECOND for name in ("rx", "ry", "rz"))
    scale = 1 + number("s") * 1e-6
    m = [[1, -rz, ry], [rz, 1, -rx], [-ry, rx, 1]]
    m = [[scale * each for each in row] for row in m]
    t = [number("x"), number("y"), number("z")]
    if step["proj"] == "molobadekas":
        pivot = [number("px"), number("py"), number("pz")]
        turned = applied(m, pivot)
        t = [t[i] + pivot[i] - turned[i] for i in range(3)]
    if "inv" in step:
        m = inverted(m)
        t = [-each for each in applied(m, t)]
    return m, t


def shift(definition):
    """The `towgs84` of an operation: "" for none at all, None for one that has no such form."""
    if "proj=noop" in definition.split():
        return ""
    steps = [parse(step) for step in definition.split(" step ")]
    known = {"pipeline", "unitconvert", "axisswap", "push", "pop", "cart", "longlat", "noop"}
    helmerts = []
    for step in steps:
        if step.get("proj") in ("helmert", "molobadekas"):
            helmerts.append(step)
        elif step.get("proj") not in known:
            return None
    if not helmerts:
        return ""
    if len(helmerts) == 1 and helmerts[0]["proj"] == "helmert" and "inv" not in helmerts[0]:
        step = helmerts[0]
        xyz = [step.get(name) or "0" for name in ("x", "y", "z")]
        sign = -1 if step.get("convention") == "coordinate_frame" else 1
        turns = [sign * float(step.get(name) or 0) for name in ("rx", "ry", "rz")]
        scale = float(step.get("s") or 0)
        if not any(turns) and not scale:
            return ",".join(xyz)
        return ",".join(xyz + [f"{each + 0:.15g}" for each in turns + [scale]])
    m, t = [[1, 0, 0], [0, 1, 0], [0, 0, 1]], [0, 0, 0]
    for step in helmerts:
        m2, t2 = affine(step)
        t = [each + other for each, other in zip(applied(m2, t), t2)]
        m = multiplied(m2, m)
    scale = (m[0][0] + m[1][1] + m[2][2]) / 3
    turn = lambda i, j: (m[i][j] - m[j][i]) / 2 / scale / ARC_SECOND
    numbers = [round(each, 4) for each in t]
    numbers += [round(each, 7) for each in (turn(2, 1), turn(0, 2), turn(1, 0), (scale - 1) * 1e6)]
    return ",".join(f"{each + 0:.15g}" for each in numbers)


def projection(crs):
    """The text of a system without its datum shift; None when PROJ has none."""
    try:
        parts = parse(crs.to_proj4())
    except CRSError:
        return None
    if "proj" not in parts or parts["proj"] == "geocent":
        return None
    datum = parts.pop("datum", None)
    if datum is not None:
        parts["ellps"] = ELLIPSOID_OF_DATUM[datum]
    parts.pop("towgs84", None)
    if parts.get("units") == "m":
        parts.pop("units")
    return {name: value for name, value in parts.items() if name not in IDLE}


def text_of(parts):
    return " ".join(f"+{name}" if value is None else f"+{name}={value}" for name, value in parts.items())


def metres(one, other):
    turn = (one[0] - other[0] + 540) % 360 - 180
    return 111319.5 * math.hypot(turn * math.cos(math.radians(one[1])), one[1] - other[1])


def points(crs, code):
    """x, y and, by the dataset, longitude and latitude."""
    west, south, east, north = crs.area_of_use.bounds
    width = east - west if east >= west else east - west + 360
    lons, lats = [], []
    for along in SPREAD:
        for up in SPREAD:
            lons.append((west + along * width + 180) % 360 - 180)
            lats.append(south + up * (north - south))
    there = Transformer.from_crs(4326, code, always_xy=True, allow_ballpark=False)
    back = Transformer.from_crs(code, 4326, always_xy=True, allow_ballpark=False)
    digits = 9 if crs.is_geographic else 3
    xs, ys = there.transform(lons, lats)
    placed = [
        (round(x, digits), round(y, digits), lon, lat)
        for x, y, lon, lat in zip(xs, ys, lons, lats)
        if math.isfinite(x) and math.isfinite(y)
    ]
    if not placed:
        return []
    lon2, lat2 = back.transform([p[0] for p in placed], [p[1] for p in placed])
    # Where the way back leads elsewhere, the area of use is wider than the projection.
    return [
        (p[0], p[1], lon, lat)
        for p, lon, lat in zip(placed, lon2, lat2)
        if math.isfinite(lon) and math.isfinite(lat) and metres((lon, lat), (p[2], p[3])) < 1000
    ]


class Candidate:
    def __init__(self, parts, accuracy):
        self.parts, self.accuracy = parts, accuracy
        self.text = text_of(parts)
        self.distances = None


class System:
    def __init__(self, code):
        self.code = code
        self.crs = CRS.from_epsg(code)
        self.candidates, self.points, self.grids = [], [], False
        area = self.crs.area_of_use
        base = projection(self.crs) if area else None
        if base is None:
            return
        try:
            group = TransformerGroup(
                self.crs.geodetic_crs, 4326, always_xy=True, allow_ballpark=False,
                area_of_interest=AreaOfInterest(*area.bounds),
            )
        except IndexError:  # so pyproj says that there is no operation
            return
        self.grids = bool(group.unavailable_operations)
        seen = set()
        for operation in group.transformers:
            towgs84 = shift(operation.definition)
            if towgs84 is None or towgs84 in seen or len(seen) >= CANDIDATES_MAX:
                continue
            seen.add(towgs84)
            parts = dict(base, towgs84=towgs84) if towgs84 else dict(base)
            self.candidates.append(Candidate(parts, operation.accuracy))
        try:
            self.points = points(self.crs, code) if self.candidates else []
        except ProjError as error:  # PROJ has no operation at all
            print(f"{code}: {str(error)[:100]}")

    def accuracy_class(self, distance):
        return next((each for each in CLASSES_M if distance <= each), None)

    def best(self):
        """The candidate nearest to the dataset at its worst point, by class, then at its median
        point; of equals the one that PROJ puts first; and its class. None is good enough: None."""
        good = []
        for rank, candidate in enumerate(self.candidates):
            worst = max(candidate.distances, default=math.inf)
            accuracy = self.accuracy_class(worst)
            if accuracy is not None and self.grids and accuracy > BESIDE_GRID_MAX_M:
                continue
            if accuracy is not None and candidate.accuracy <= DATUM_ACCURACY_MAX_M:
                usual = round(statistics.median(candidate.distances), 3)
                good.append((accuracy, usual, rank, candidate))
        nearest = min(good, default=None, key=lambda each: each[:3])
        return nearest and (nearest[0], nearest[3])

    def northing_first(self):
        first = self.crs.axis_info[0].direction if self.crs.axis_info else ""
        second = self.crs.axis_info[1].direction if len(self.crs.axis_info) > 1 else ""
        return first in ("north", "south") and second in ("east", "west")


def measure(program, systems):
    """The distances of every candidate at every point, by the crate itself."""
    asked = [(system, candidate) for system in systems for candidate in system.candidates]
    lines = []
    for system, candidate in asked:
        numbers = (f"{x:.15g} {y:.15g} {lon:.17g} {lat:.17g}" for x, y, lon, lat in system.points)
        lines.append(f"{candidate.text}\t{' '.join(numbers)}\n")
    answer = subprocess.run([program], input="".join(lines), capture_output=True, text=True, check=True)
    answers = answer.stdout.splitlines()
    assert len(answers) == len(asked)
    for (_, candidate), line in zip(asked, answers):
        failed = line.startswith("error") or not line
        candidate.distances = [math.inf] if failed else [float(each) for each in line.split()]


class Running:
    """`measure`, kept running and asked line by line."""

    def __init__(self, program):
        self.run = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def distances(self, text, given, expected):
        numbers = (f"{p[0]:.15g} {p[1]:.15g} {q[0]:.17g} {q[1]:.17g}" for p, q in zip(given, expected))
        self.run.stdin.write(f"{text}\t{' '.join(numbers)}\n")
        self.run.stdin.flush()
        line = self.run.stdout.readline()
        return [] if line.startswith("error") else [float(each) for each in line.split()]

    def end(self):
        self.run.stdin.close()
        self.run.wait()


class Dictionary:
    """Texts by number, in the order of first use."""

    def __init__(self):
        self.numbers = {}

    def number(self, text):
        return self.numbers.setdefault(text, len(self.numbers))

    def write(self, name):
        lines = (f"{number} {text}\n" for text, number in self.numbers.items())
        (HERE / name).write_text("".join(lines))


def split(parts):
    """Shape, values and datum of a text."""
    shape, values = [], []
    for name, value in parts.items():
        if name in DATUM_KEYS:
            continue
        literal = value is None or name in ("proj", "axis")
        shape.append((name if value is None else f"{name}={value}") if literal else f"{name}=$")
        if not literal:
            values.append(value)
    datum = (f"{name}={parts[name]}" for name in DATUM_KEYS if name in parts)
    return " ".join(shape), " ".join(values), " ".join(datum)


def by_text(text, kept):
    """The points by PROJ and the same text."""
    way = Transformer.from_crs(CRS.from_string(text + " +type=crs"), 4326, always_xy=True)
    lons, lats = way.transform([p[0] for p in kept], [p[1] for p in kept])
    return list(zip(lons, lats))


def kept_points(system, candidate):
    """The point that is worst, and others."""
    order = sorted(range(len(system.points)), key=lambda i: -candidate.distances[i])
    count = len(system.points)
    spread = [round(i * (count - 1) / (POINTS_KEPT - 1)) for i in range(POINTS_KEPT)]
    chosen = list(dict.fromkeys([order[0]] + spread))[:POINTS_KEPT]
    return [system.points[i] for i in chosen]


def number(value, digits):
    return f"{value:.{digits}f}".rstrip("0").rstrip(".")


def main(program):
    codes = set()
    for kind in (PJType.PROJECTED_CRS, PJType.GEOGRAPHIC_2D_CRS):
        codes.update(int(code) for code in get_codes("EPSG", kind, allow_deprecated=False))
    systems = [System(code) for code in sorted(codes)]
    measure(program, systems)
    running = Running(program)

    shapes, datums, areas = Dictionary(), Dictionary(), Dictionary()
    rows, needs_grid, table, apart = [], [], [], []
    for system in systems:
        best = system.best()
        if best is not None:
            accuracy, candidate = best
            # Web Mercator is computed by its own formula.
            if system.code != 3857:
                same = by_text(candidate.text, system.points)
                ours = running.distances(candidate.text, system.points, same)
                if not ours or max(ours) > SAME_TEXT_MAX_M:
                    apart.append(system.code)
                    best = None
        if best is None:
            computed = any(min(c.distances, default=math.inf) < math.inf for c in system.candidates)
            if system.grids and (computed or not system.candidates):
                needs_grid.append(system.code)
            continue
        shape, values, datum = split(candidate.parts)
        area = " ".join(number(each, 2) for each in system.crs.area_of_use.bounds)
        known = "?" if candidate.accuracy < 0 else f"{candidate.accuracy:g}"
        rows.append(
            f"{system.code} {accuracy:g} {known} {'n' if system.northing_first() else 'e'} "
            f"{areas.number(area)} {shapes.number(shape)} {datums.number(datum)} {values}".rstrip() + "\n"
        )
        kept = kept_points(system, candidate)
        same = by_text(candidate.text, kept) if system.code != 3857 else [p[2:] for p in kept]
        fields = []
        for (x, y, lon, lat), (lon2, lat2) in zip(kept, same):
            field = f"{number(x, 9)} {number(y, 9)} {number(lon, 9)} {number(lat, 9)}"
            if metres((lon, lat), (lon2, lat2)) > 0.002:
                field += f" {number(lon2, 9)} {number(lat2, 9)}"
            fields.append(field)
        table.append(f"{system.code}\t" + "\t".join(fields) + "\n")

    running.end()
    (HERE / "systems.txt").write_text("".join(rows))
    (HERE / "needs_grid.txt").write_text("".join(f"{code}\n" for code in needs_grid))
    shapes.write("shapes.txt")
    datums.write("datums.txt")
    areas.write("areas.txt")
    (HERE.parent / "tests" / "points.tsv").write_text("".join(table))
    print(f"EPSG {get_database_metadata('EPSG.VERSION')}: {len(systems)} codes, {len(rows)} supported,")
    print(f"{len(needs_grid)} need a grid, {len(apart)} apart from PROJ by the same text: {apart}")
    for accuracy in CLASSES_M:
        print(f"{accuracy:g} m: {sum(row.split()[1] == f'{accuracy:g}' for row in rows)}")


if __name__ == "__main__":
    main(sys.argv[1])
