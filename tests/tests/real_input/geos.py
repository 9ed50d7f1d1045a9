"""What GEOS says of each feature of a file: one JSON line a feature, its reason."""

import json
import sys

import shapely

with open(sys.argv[1], encoding="utf-8") as file:
    for feature in json.load(file)["features"]:
        geometry = shapely.geometry.shape(feature["geometry"])
        print(json.dumps(shapely.is_valid_reason(geometry)))
