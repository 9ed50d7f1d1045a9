"""The peer of `cargo xtask bench validity`: GEOS by shapely, on the WKB that ours wrote.

In `open FILE`, out the vertices; in `convert GEOJSON FILE`, the geometries of its features go to FILE as a WKB
collection, and out comes `done`; in `time TIMES SECONDS`, out the least time of `is_valid_reason` in nanoseconds and how
many of how many are valid. After SECONDS it judges no more, so that a slow row is judged once.
"""

import sys
import time

import shapely

shapes = []
for line in sys.stdin:
    words = line.rstrip("\n").split(" ")
    if words[0] == "open":
        with open(words[1], "rb") as file:
            shape = shapely.from_wkb(file.read())
        collected = shape.geom_type == "GeometryCollection"
        shapes = shapely.get_parts(shape) if collected else [shape]
        print(shapely.get_num_coordinates(shape), flush=True)
    elif words[0] == "convert":
        with open(words[1], encoding="utf-8") as file:
            collection = shapely.from_geojson(file.read())
        with open(words[2], "wb") as file:
            file.write(shapely.to_wkb(collection, output_dimension=2, byte_order=1))
        print("done", flush=True)
    else:
        least, spent = None, 0
        for _ in range(int(words[1])):
            start = time.perf_counter_ns()
            reasons = shapely.is_valid_reason(shapes)
            took = time.perf_counter_ns() - start
            spent += took
            least = took if least is None else min(least, took)
            if spent > float(words[2]) * 1e9:
                break
        valid = sum(reason == "Valid Geometry" for reason in reasons)
        print(f"{least} {valid}/{len(reasons)}", flush=True)
