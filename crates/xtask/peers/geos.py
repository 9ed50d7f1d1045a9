"""The peer of `cargo xtask bench validity`: GEOS by shapely, on the WKB that ours wrote.

In `open FILE`, out the vertices; in `time TIMES SECONDS`, out the least time of `is_valid_reason` in nanoseconds and the
reason's first word. After SECONDS it judges no more, so that a slow row is judged once.
"""

import sys
import time

import shapely

shape = None
for line in sys.stdin:
    words = line.split()
    if words[0] == "open":
        with open(words[1], "rb") as file:
            shape = shapely.from_wkb(file.read())
        print(shapely.get_num_coordinates(shape), flush=True)
    else:
        least, spent = None, 0
        for _ in range(int(words[1])):
            start = time.perf_counter_ns()
            reason = shapely.is_valid_reason(shape)
            took = time.perf_counter_ns() - start
            spent += took
            least = took if least is None else min(least, took)
            if spent > float(words[2]) * 1e9:
                break
        print(least, "valid" if reason == "Valid Geometry" else "invalid", flush=True)
