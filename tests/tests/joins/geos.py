"""Joins the points of one GeoJSON file with the features of another, by GEOS.

Features that are not valid are left out, or mended: each polygon by itself, then united.
Prints a line for each point: its id, and the A3 codes of what it meets in file order.
"""

import json
import sys

import shapely


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)["features"]


def whole(feature, faulty):
    shape = shapely.geometry.shape(feature["geometry"])
    if shape.is_valid:
        return shape
    if faulty == "leave_out":
        return None
    return shapely.unary_union([shapely.make_valid(part) for part in shapely.get_parts(shape)])


features, points, faulty = read(sys.argv[1]), read(sys.argv[2]), sys.argv[3]
shapes = [(each["properties"]["A3"], whole(each, faulty)) for each in features]
shapes = [(name, shape) for name, shape in shapes if shape is not None]
tree = shapely.STRtree([shape for _, shape in shapes])
for point in points:
    x, y = point["geometry"]["coordinates"][:2]
    found = sorted(tree.query(shapely.Point(x, y), predicate="intersects"))
    print(json.dumps([point["id"], [shapes[index][0] for index in found]]))
