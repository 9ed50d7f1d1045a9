//! Pictures of small and of hostile files.

use super::*;
use crate::sample::{BOWTIE, CLOCKWISE, told};
use crate::telling::Format;
use quick_xml::Reader;
use quick_xml::events::Event;

/// The document's elements, each with its attributes; fails where it is not well-formed.
fn elements(svg: &str) -> Vec<(String, BTreeMap<String, String>)> {
    let mut reader = Reader::from_str(svg);
    let mut found = Vec::new();
    let mut open = 0_i32;
    loop {
        let event = reader.read_event().unwrap();
        if matches!(event, Event::Eof) {
            assert_eq!(open, 0);
            return found;
        }
        open += i32::from(matches!(event, Event::Start(_)));
        open -= i32::from(matches!(event, Event::End(_)));
        if let Event::Start(element) | Event::Empty(element) = &event {
            let attributes = element.attributes().map(|attribute| {
                let attribute = attribute.unwrap();
                (
                    attribute.key.as_ref().to_owned(),
                    attribute.value.into_owned(),
                )
            });
            found.push((element.name().as_ref().to_owned(), attributes.collect()));
        }
    }
}

fn named<'a>(
    elements: &'a [(String, BTreeMap<String, String>)],
    name: &str,
) -> Vec<&'a BTreeMap<String, String>> {
    let found = elements.iter().filter(|(each, _)| each == name);
    found.map(|(_, attributes)| attributes).collect()
}

fn position(circle: &BTreeMap<String, String>) -> [f64; 2] {
    ["cx", "cy"].map(|name| circle[name].parse().unwrap())
}

#[test]
fn a_bowtie_is_drawn_with_a_circle_on_its_crossing() {
    let svg = told(Format::Svg, &[("bow & <tie>.json", BOWTIE)]);
    insta::assert_snapshot!(svg);
    let elements = elements(&svg);
    let circles = named(&elements, "circle");
    assert_eq!(circles.len(), 1);
    assert_eq!(
        (circles[0]["cx"].as_str(), circles[0]["cy"].as_str()),
        ("500", "500")
    );
}

#[test]
fn what_lies_in_one_place_is_one_mark_that_tells_of_all() {
    let many = format!("{BOWTIE}\n").repeat(TOLD_MAX + 4);
    let svg = told(
        Format::Svg,
        &[("a.ndjson", &format!("{CLOCKWISE}\n{many}"))],
    );
    let elements = elements(&svg);
    let classes: Vec<_> = named(&elements, "circle")
        .iter()
        .map(|circle| circle["class"].clone())
        .collect();
    assert_eq!(classes, ["warning", "error"]);
    assert!(svg.contains("\nand 4 more here"), "{svg}");
}

#[test]
fn no_outline_is_filled() {
    let svg = told(Format::Svg, &[("a", BOWTIE), ("b", CLOCKWISE)]);
    assert!(svg.contains("path,line,circle{fill:none"), "{svg}");
    for (name, attributes) in elements(&svg) {
        assert!(name == "rect" || !attributes.contains_key("fill"), "{name}");
    }
}

#[test]
fn names_and_members_of_a_stranger_are_text() {
    let body = r#"{"type":"Point","coordinates":[1,2],"</title><script>\u0001":1,"</title><script>\u0001":2}"#;
    let svg = told(Format::Svg, &[("\"'<b>&\u{1}\u{ffff}]]>.json", body)]);
    let elements = elements(&svg);
    assert!(named(&elements, "script").is_empty() && named(&elements, "b").is_empty());
    assert!(!svg.contains(['\u{1}', '\u{ffff}']), "{svg}");
}

#[test]
fn a_file_without_a_place_and_coordinates_at_the_end_of_numbers_are_pictures_too() {
    let huge = r#"{"type":"LineString","coordinates":[[-1.7e308,1.7e308],[1.7e308,-1.7e308]]}"#;
    let tiny = r#"{"type":"LineString","coordinates":[[5e-324,0],[0,5e-324]]}"#;
    let point = r#"{"type":"Point","coordinates":[1,2]}"#;
    for body in ["", "{", huge, tiny, point] {
        let svg = told(Format::Svg, &[("a", body)]);
        let elements = elements(&svg);
        assert_eq!(elements[0].0, "svg");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
    elements(&told(Format::Svg, &[]));
}

/// A ring of many vertices with one tooth that crosses itself.
fn coast(vertices: u32) -> String {
    let mut text = String::from(r#"{"type":"Polygon","coordinates":[["#);
    for vertex in 0..vertices {
        let angle = f64::from(vertex) / f64::from(vertices) * std::f64::consts::TAU;
        let radius = 1.0 + 0.01 * (angle * 5_000.0).sin();
        let _ = write!(text, "[{},{}],", radius * angle.cos(), radius * angle.sin());
        if vertex == vertices / 4 {
            // A bow the size of a hundredth of a step.
            let [x, y] = [radius * angle.cos(), radius * angle.sin()];
            for [right, down] in [[1e-6, 1e-6], [1e-6, 0.0], [0.0, 1e-6]] {
                let _ = write!(text, "[{},{}],", x - right, y + down);
            }
        }
    }
    text.push_str("[1,0]]]}");
    text
}

fn positions_drawn(svg: &str) -> usize {
    let elements = elements(svg);
    let paths = named(&elements, "path");
    paths
        .iter()
        .map(|path| path["d"].matches(['M', 'L']).count())
        .sum()
}

#[test]
fn a_large_file_is_thinned_but_for_what_is_near_a_fault_and_says_so() {
    let body = coast(3 * 100_000);
    let svg = told(Format::Svg, &[("coast.json", &body)]);
    let drawn = positions_drawn(&svg);
    assert!(drawn <= VERTICES_MAX, "{drawn}");
    assert!(
        svg.contains("simplified: ") && svg.contains(" of 300004 positions drawn"),
        "{}",
        &svg[svg.len() - 600..]
    );
    let elements = elements(&svg);
    let circle = position(named(&elements, "circle")[0]);
    // The bow is a 2000th of the picture's unit wide: its corners are there, to the last digit.
    let path = &named(&elements, "path")[0]["d"];
    let near = path.split(['M', 'L']).filter(|pair| {
        let numbers: Vec<f64> = pair
            .split(' ')
            .filter_map(|each| each.parse().ok())
            .collect();
        numbers.len() == 2
            && (numbers[0] - circle[0]).abs() < 0.002
            && (numbers[1] - circle[1]).abs() < 0.002
    });
    assert!(near.count() >= 4);
}

#[test]
fn as_many_small_things_as_there_may_be_are_thinned() {
    let place = |at: u32, across: u32| [at % across, at / across].map(|each| f64::from(each) / 7.0);
    let points: Vec<String> = (0..200_000)
        .map(|at| place(at, 500))
        .map(|[x, y]| format!("[{x},{y}]"))
        .collect();
    let body = format!(
        r#"{{"type":"MultiPoint","coordinates":[{}]}}"#,
        points.join(",")
    );
    let drawn = positions_drawn(&told(Format::Svg, &[("points.json", &body)]));
    assert!((10_000..=VERTICES_MAX).contains(&drawn), "{drawn}");
    let rings: Vec<String> = (0..60_000)
        .map(|at| place(at, 250))
        .map(|[x, y]| {
            let (right, up) = (x + 0.01, y + 0.01);
            format!("[[[{x},{y}],[{right},{y}],[{x},{up}],[{x},{y}]]]")
        })
        .collect();
    let body = format!(
        r#"{{"type":"MultiPolygon","coordinates":[{}]}}"#,
        rings.join(",")
    );
    let drawn = positions_drawn(&told(Format::Svg, &[("rings.json", &body)]));
    assert!((10_000..=VERTICES_MAX).contains(&drawn), "{drawn}");
}
