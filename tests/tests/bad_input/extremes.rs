//! Input at the ends of what numbers, nesting and declarations can be: huge, tiny, deep,
//! or nearly right.

use super::row::{EVENTS, Row, feature, offset, point, polygon};
use hexlane_tests::http::Request;

pub(crate) fn rows() -> Vec<Row> {
    let mut rows = sizes();
    rows.extend(magnitudes());
    rows.extend(shapes());
    rows.extend(heights());
    rows.extend(members());
    rows.extend(declarations());
    rows
}

fn line(id: &str, positions: &str) -> String {
    feature(
        id,
        &format!(r#"{{"type":"LineString","coordinates":[{positions}]}}"#),
    )
}

/// The text over and over, with commas.
fn repeated(text: &str, count: usize) -> String {
    vec![text; count].join(",")
}

/// A feature with a collection in a collection, and so on.
pub(crate) fn nested_collections(depth: usize) -> String {
    let open = r#"{"type":"GeometryCollection","geometries":["#.repeat(depth);
    let close = "]}".repeat(depth);
    let inner = r#"{"type":"Point","coordinates":[1,2]}"#;
    feature("nested", &format!("{open}{inner}{close}"))
}

fn sizes() -> Vec<Row> {
    let rings = |ring: &str| polygon("g", &format!("[{}]", repeated(ring, 40_000)));
    let collections = nested_collections(20_000);
    vec![
        Row::refused(
            "40,000 equal rings",
            422,
            "geometry.self_intersection",
            rings("[[0,0],[1,0],[1,1],[0,0]]"),
        ),
        Row::refused(
            "40,000 rings of nothing",
            422,
            "geometry.empty",
            rings("[]"),
        ),
        Row::refused(
            "collections nested 20,000 deep",
            413,
            "limit.depth",
            collections,
        ),
    ]
}

fn magnitudes() -> Vec<Row> {
    let small = polygon("g", "[[[0,0],[1e-300,0],[1e-300,1e-300],[0,1e-300],[0,0]]]");
    let subnormal = polygon(
        "subnormal",
        "[[[0,0],[5e-324,0],[5e-324,5e-324],[0,5e-324],[0,0]]]",
    );
    let apart = polygon(
        "apart",
        "[[[1,1],[1.0000000000000002,1],[1.0000000000000002,1.0000000000000002],[1,1]]]",
    );
    let huge = polygon("g", "[[[0,0],[1e300,0],[1e300,1e300],[0,0]]]");
    vec![
        Row::accepted(
            "a square of 1e-300 degrees",
            small.replace("\"g\"", "\"small\""),
        ),
        Row::accepted("a square of the least number", subnormal),
        Row::accepted("a triangle of neighbouring numbers", apart),
        Row::refused("1e300", 422, "crs.longitude_out_of_range", huge),
        Row::refused(
            "a bowtie of subnormal differences",
            422,
            "geometry.self_intersection",
            polygon("g", "[[[0,0],[3e-310,3e-310],[3e-310,0],[0,3e-310],[0,0]]]"),
        ),
        Row::refused(
            "a bowtie of 1e-300 degrees",
            422,
            "geometry.self_intersection",
            polygon("g", "[[[0,0],[3e-300,3e-300],[3e-300,0],[0,3e-300],[0,0]]]"),
        ),
        Row::refused(
            "1e-300 beside 1e300",
            422,
            "crs.latitude_out_of_range",
            line("g", "[1e-300,1e-300],[1e-300,1e300]"),
        ),
        Row::accepted("minus zero in every form", point("zeros", "[-0,-0.0e0]")),
        Row::accepted(
            "a ring closed by minus zero",
            polygon("closed", "[[[0,0],[1,0],[1,1],[-0.0,0]]]"),
        ),
    ]
}

fn shapes() -> Vec<Row> {
    let equal = polygon("g", &format!("[[{}]]", repeated("[1,1]", 5)));
    let many = polygon("g", &format!("[[{}]]", repeated("[1,1]", 10_000)));
    let crossings: Vec<String> = (0..1_000)
        .map(|step| {
            let x = if step % 2 == 0 { 180 } else { -180 };
            let y = f64::from(step) / 1_000.0;
            format!("[{x},{y}],[{},{}]", -x, y + 0.0005)
        })
        .collect();
    let crossing = crossings.join(",");
    let ring = format!("[[{crossing},[180,0]]]");
    vec![
        Row::refused("a ring of one place", 422, "geometry.too_few_points", equal),
        Row::refused(
            "a ring of one place, 10,000 times",
            422,
            "geometry.too_few_points",
            many,
        ),
        Row::refused(
            "a line of one place",
            422,
            "geometry.too_few_points",
            line("g", &repeated("[1,1]", 5)),
        ),
        Row::refused(
            "a ring that crosses the antimeridian 1,000 times",
            422,
            "geometry.self_intersection",
            polygon("g", &ring),
        ),
    ]
}

fn heights() -> Vec<Row> {
    vec![
        Row::refused(
            "a ring closed in all but its height",
            422,
            "geometry.not_closed",
            polygon("g", "[[[0,0,1],[1,0,1],[1,1,1],[0,0,2]]]"),
        ),
        Row::accepted(
            "heights here and there",
            line("mixed heights", "[0,0],[1,1,5],[2,2]"),
        ),
        // With a warning: no height is kept, so that none keeps the ring open.
        Row::accepted(
            "a ring whose last position has no height",
            polygon("no last height", "[[[0,0,1],[1,0,1],[1,1,1],[0,0]]]"),
        ),
    ]
}

fn members() -> Vec<Row> {
    let object_id = point("x", "[1,2]").replace("\"x\"", "{}");
    let id = offset(&object_id, "{},");
    let boxed = |id: &str, numbers: &str| {
        point(id, "[1,2]").replacen('{', &format!(r#"{{"bbox":{numbers},"#), 1)
    };
    let foreign = r#"{"x":[{"type":"Feature","id":"no","geometry":null,"properties":{}}],"type":"FeatureCollection","bbox":[0,0,9,9],"features":[@]}"#;
    let foreign = foreign.replace('@', &point("behind a foreign array", "[1,2]"));
    vec![
        Row::refused("an id that is an object", 422, "schema.id_type", object_id).at("/id", id),
        Row::refused(
            "a bbox of three numbers",
            422,
            "schema.bbox",
            boxed("g", "[1,2,3]"),
        )
        .at("/bbox", 8),
        Row::accepted("a bbox that misses", boxed("missed", "[5,5,6,6]")),
        Row::accepted("a foreign array before the features", foreign),
        Row::refused(
            "a lone surrogate in a property",
            400,
            "parse.lone_surrogate",
            point("g", "[1,2]").replace("{}", r#"{"a":"\udc00 b"}"#),
        ),
    ]
}

fn declarations() -> Vec<Row> {
    let member = |name: &'static str, crs: &str| {
        let declared = point("g", "[1,2]").replacen('{', &format!(r#"{{"crs":{crs},"#), 1);
        (name, declared)
    };
    let named = |name: &'static str, crs: &str| {
        member(
            name,
            &format!(r#"{{"type":"name","properties":{{"name":"{crs}"}}}}"#),
        )
    };
    let wkt =
        r#"GEOGCRS[\"WGS 84\",DATUM[\"WGS 84\",ELLIPSOID[\"WGS 84\",6378137,298.257223563]]]"#;
    let projjson =
        r#"{"type":"GeographicCRS","name":"WGS 84","id":{"authority":"EPSG","code":4326}}"#;
    let link = r#"{"type":"link","properties":{"href":"http://127.0.0.1:1/crs","type":"proj4"}}"#;
    let unsupported = [
        named("an EPSG code of no digits", "EPSG:"),
        named("an EPSG code beyond all", "EPSG:99999999999999999999"),
        named("WKT2 for a name", wkt),
        member("WKT2 for a crs", &format!("\"{wkt}\"")),
        member("PROJJSON", projjson),
        member("a link to a crs", link),
    ];
    let refused = |code| move |(name, body)| Row::refused(name, 422, code, body);
    let mut rows: Vec<Row> = unsupported
        .into_iter()
        .map(refused("crs.unsupported"))
        .collect();
    let absent = named("an EPSG code that does not exist", "EPSG:999999");
    rows.extend([absent].map(refused("crs.mismatch")));
    rows.push(Row::refused_request(
        "WKT2 in the header",
        422,
        "crs.unsupported",
        Request::post(EVENTS, point("g", "[1,2]")).with("content-crs", wkt.replace('\\', "")),
    ));
    rows.extend([member("a null crs of a feature", "null")].map(refused("crs.unknown")));
    rows.extend(levels());
    rows
}

/// Declarations of a collection, its feature and the geometry in it.
fn levels() -> Vec<Row> {
    let body = |[outer, feature, inner]: [&str; 3], id: &str| {
        format!(
            r#"{{{outer}"type":"FeatureCollection","features":[{{{feature}"type":"Feature","id":"{id}",
            "properties":{{}},"geometry":{{{inner}"type":"Point","coordinates":[1,2]}}}}]}}"#
        )
    };
    let named =
        |name: &str| format!(r#""crs":{{"type":"name","properties":{{"name":"{name}"}}}},"#);
    let (metres, degrees) = (named("EPSG:25832"), named("OGC:CRS84"));
    let null = r#""crs":null,"#;
    let link = r#""coordRefSys":{"type":"Reference","href":"http://127.0.0.1:1/crs"},"#;
    let projjson = r#""coordRefSys":{"$schema":"https://proj.org/schemas/v0.7/projjson.schema.json","type":"GeographicCRS"},"#;
    let (unknown, unsupported) = ("crs.unknown", "crs.unsupported");
    let refused = |name, code, levels, pointer| {
        let row = Row::refused(name, 422, code, body(levels, "g"));
        let member = if levels.concat().contains("coordRefSys") {
            "coordRefSys\":"
        } else {
            "crs\":"
        };
        let at = body(levels, "g").find(member).expect("a declaration") + member.len();
        row.at(pointer, at as u64)
    };
    let conflicting = Request::post(EVENTS, body(["", "", &degrees], "g"));
    vec![
        refused(
            "a null crs of a collection",
            unknown,
            [null, "", ""],
            "/crs",
        ),
        refused(
            "a null crs of a geometry",
            unknown,
            ["", "", null],
            "/features/0/geometry/crs",
        ),
        refused(
            "a link in coordRefSys",
            unsupported,
            [link, "", ""],
            "/coordRefSys",
        ),
        refused(
            "PROJJSON in coordRefSys",
            unsupported,
            ["", projjson, ""],
            "/features/0/coordRefSys",
        ),
        refused(
            "a collection in metres",
            "crs.mismatch",
            [&metres, "", ""],
            "/crs",
        ),
        Row::accepted(
            "a collection in metres with a feature in degrees",
            body([&metres, &degrees, ""], "nearest feature"),
        ),
        Row::accepted(
            "a null crs with a geometry in degrees",
            body([null, "", &degrees], "nearest geometry"),
        ),
        Row::refused_request(
            "a header in metres and a geometry in degrees",
            422,
            "crs.conflict",
            conflicting.with("content-crs", "EPSG:25832"),
        ),
    ]
}
