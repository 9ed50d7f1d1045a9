//! JSON whose geometry is no geometry, no valid one, or not where it says.

use super::row::{EVENTS, Row, feature, offset, point, polygon};
use hexlane_tests::http::Request;

pub(crate) fn rows() -> Vec<Row> {
    let mut rows = numbers();
    rows.extend(nesting());
    rows.extend(absent());
    rows.extend(rings());
    rows.extend(places());
    rows.extend(systems());
    rows
}

fn refused(
    name: &'static str,
    code: &'static str,
    body: &str,
    pointer: &'static str,
    near: &str,
) -> Row {
    Row::refused(name, 422, code, body).at(pointer, offset(body, near))
}

fn numbers() -> Vec<Row> {
    let all = "/geometry/coordinates";
    let line = feature("g", r#"{"type":"LineString","coordinates":[[1,2],[3]]}"#);
    vec![
        refused(
            "1e400",
            "geometry.number_range",
            &point("g", "[1e400,2]"),
            "/geometry/coordinates/0",
            "1e400",
        ),
        refused(
            "a string for a number",
            "geometry.number_expected",
            &point("g", r#"[1,"2"]"#),
            "/geometry/coordinates/1",
            r#""2"]"#,
        ),
        refused(
            "one element",
            "geometry.position_size",
            &point("g", "[1]"),
            all,
            "[1]",
        ),
        Row::accepted("two elements", point("two", "[1.5,2.5]")),
        Row::accepted("three elements", point("three", "[1.5,2.5,100]")),
        refused(
            "four elements",
            "geometry.position_size",
            &point("g", "[1,2,3,4]"),
            all,
            "[1,2,3,4]",
        ),
        refused(
            "one element in a line",
            "geometry.position_size",
            &line,
            "/geometry/coordinates/1",
            "[3]",
        ),
    ]
}

fn nesting() -> Vec<Row> {
    let all = "/geometry/coordinates";
    vec![
        refused(
            "empty coordinates",
            "geometry.empty",
            &point("g", "[]"),
            all,
            "[]",
        ),
        refused(
            "empty coordinates of a polygon",
            "geometry.empty",
            &polygon("g", "[]"),
            all,
            "[]",
        ),
        refused(
            "a point nested as a line",
            "geometry.nesting",
            &point("g", "[[1,2]]"),
            "/geometry/coordinates/0",
            "[1,2]",
        ),
        refused(
            "a polygon nested as a line",
            "geometry.nesting",
            &polygon("g", "[[0,0],[1,1]]"),
            "/geometry/coordinates/0/0",
            "0,0",
        ),
        refused(
            "coordinates that are an object",
            "schema.member_type",
            &point("g", "{}"),
            all,
            "{}}",
        ),
    ]
}

fn absent() -> Vec<Row> {
    let delete = r#"{"type":"Feature","id":"gone","geometry":null,"properties":{"op":"delete"}}"#;
    let nobody = r#"{"type":"Feature","geometry":null,"properties":{"op":"delete"}}"#;
    let null = feature("g", "null");
    vec![
        refused(
            "a null geometry",
            "schema.geometry_null",
            &null,
            "/geometry",
            "null",
        ),
        Row::accepted("a null geometry with a delete", delete),
        refused(
            "a delete of nobody",
            "schema.entity_missing",
            nobody,
            "",
            "{",
        ),
        Row::accepted_request(
            "a null geometry in a lane of entities",
            Request::post("/v1/events/entities", feature("placeless", "null")),
        ),
        refused(
            "no geometry member",
            "schema.member_missing",
            r#"{"type":"Feature","id":"g","properties":{}}"#,
            "",
            "{",
        ),
    ]
}

fn rings() -> Vec<Row> {
    let bowtie = "[[[0,0],[1,1],[1,0],[0,1],[0,0]]]";
    let outside = "[[[0,0],[1,0],[1,1],[0,1],[0,0]],[[5,5],[5,6],[6,6],[6,5],[5,5]]]";
    let collapsed = "[[[0,0],[1,0],[2,0],[0,0]]]";
    let first = "/geometry/coordinates/0/0";
    vec![
        Row::accepted(
            "a square",
            polygon("square", "[[[0,0],[1,0],[1,1],[0,1],[0,0]]]"),
        ),
        Row::accepted(
            "a square wound clockwise",
            polygon("clockwise", "[[[0,0],[0,1],[1,1],[1,0],[0,0]]]"),
        ),
        Row::refused(
            "a ring of three points",
            422,
            "geometry.too_few_points",
            polygon("g", "[[[0,0],[1,1],[0,0]]]"),
        ),
        Row::refused(
            "an open ring",
            422,
            "geometry.not_closed",
            polygon("g", "[[[0,0],[1,0],[1,1],[0,1]]]"),
        ),
        refused(
            "a bowtie",
            "geometry.self_intersection",
            &polygon("g", bowtie),
            first,
            "[0,0],[1,1]",
        ),
        refused(
            "a hole outside",
            "geometry.hole_outside_shell",
            &polygon("g", outside),
            "/geometry/coordinates/1/0",
            "[5,5]",
        ),
        Row::refused(
            "a ring without an area",
            422,
            "geometry.collapsed",
            polygon("g", collapsed),
        )
        .among("geometry.self_intersection"),
        Row::refused(
            "a line of one point",
            422,
            "geometry.too_few_points",
            feature("g", r#"{"type":"LineString","coordinates":[[1,2]]}"#),
        ),
    ]
}

fn places() -> Vec<Row> {
    let all = "/geometry/coordinates";
    let (latitude, longitude) = ("crs.latitude_out_of_range", "crs.longitude_out_of_range");
    vec![
        refused(
            "a latitude out of range",
            latitude,
            &point("g", "[10,90.5]"),
            all,
            "[10,90.5]",
        ),
        refused(
            "a longitude out of range",
            longitude,
            &point("g", "[180.5,10]"),
            all,
            "[180.5,10]",
        ),
        refused(
            "metres for degrees",
            longitude,
            &point("g", "[1489000,6894000]"),
            all,
            "[1489000",
        ),
        Row::accepted("longitude 180", point("east", "[180,10]")),
        Row::accepted("longitude -180", point("west", "[-180,10]")),
        Row::accepted("the north pole", point("north", "[0,90]")),
        Row::accepted("the south pole", point("south", "[-180,-90]")),
        Row::accepted("minus zero", point("zero", "[-0.0,0]")),
    ]
}

fn systems() -> Vec<Row> {
    let (mismatch, unsupported) = ("crs.mismatch", "crs.unsupported");
    let member = |crs: &str| {
        let point = point("g", "[1,2]");
        let head = format!(r#"{{"crs":{crs},"#);
        point.replacen('{', &head, 1)
    };
    let named = |name: &str| {
        member(&format!(
            r#"{{"type":"name","properties":{{"name":"{name}"}}}}"#
        ))
    };
    let fg = point("g", "[1,2]").replacen('{', r#"{"coordRefSys":"EPSG:3857","#, 1);
    let crs = |name: &str| Request::post(EVENTS, point("g", "[1,2]")).with("content-crs", name);
    vec![
        Row::refused(
            "crs EPSG:3857",
            422,
            mismatch,
            named("urn:ogc:def:crs:EPSG::3857"),
        )
        .at("/crs", 7),
        Row::refused("coordRefSys EPSG:3857", 422, mismatch, fg).at("/coordRefSys", 15),
        Row::refused_request("Content-Crs EPSG:3857", 422, mismatch, crs("EPSG:3857")),
        Row::refused_request(
            "Content-Crs in no known form",
            422,
            unsupported,
            crs("WGS something"),
        ),
        Row::refused("a null crs", 422, "crs.unknown", member("null")),
        Row::refused(
            "a crs behind a link",
            422,
            unsupported,
            member(r#"{"type":"link","properties":{"href":"x"}}"#),
        ),
        Row::accepted(
            "crs CRS84",
            named("urn:ogc:def:crs:OGC:1.3:CRS84").replace("\"g\"", "\"84\""),
        ),
        Row::refused_request(
            "two declarations that disagree",
            422,
            "crs.conflict",
            Request::post(EVENTS, named("EPSG:3857")).with("content-crs", "OGC:CRS84"),
        ),
    ]
}
