"""The peer of `cargo xtask bench intake`: json, shapely and h3 put together as guides show it.

In `open FILE`, out its bytes; in `time TIMES SECONDS`, out the least time in nanoseconds and how many features came of
it. After SECONDS it takes in no more, so that a slow row runs once. What it leaves out: places of faults, reference
systems, duplicate members, versions, and writing the event.
"""

import hashlib
import json
import sys
import time

import h3
from shapely.geometry import shape
from shapely.validation import explain_validity

body = b""


def take_in():
    document = json.loads(body)
    features = document["features"] if document["type"] == "FeatureCollection" else [document]
    events = []
    for feature in features:
        geometry = shape(feature["geometry"])
        if not geometry.is_valid:
            raise ValueError(explain_validity(geometry))
        center = geometry.centroid
        cell = h3.latlng_to_cell(center.y, center.x, 6)
        key = feature["properties"].get("event_id") or hashlib.sha256(body).hexdigest()
        shard = int.from_bytes(hashlib.sha256(cell.encode()).digest()[:8], "big") % 64
        events.append({"key": key, "cell": cell, "shard": shard, "entity": feature["id"], "bbox": geometry.bounds})
    return len(events)


for line in sys.stdin:
    words = line.split()
    if words[0] == "open":
        with open(words[1], "rb") as file:
            body = file.read()
        print(len(body), flush=True)
    else:
        least, spent, count = None, 0, 0
        for _ in range(int(words[1])):
            start = time.perf_counter_ns()
            count = take_in()
            took = time.perf_counter_ns() - start
            spent += took
            least = took if least is None else min(least, took)
            if spent > float(words[2]) * 1e9:
                break
        print(least, count, flush=True)
