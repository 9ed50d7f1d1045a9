//! What is said of single codes, of targets and of evidence.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use hexlane_reproject::{
    Area, Failure, FailureKind, Lookup, System, Target, Transform, codes, evidence, look_up,
};
use proptest::prelude::*;
use std::sync::LazyLock;

fn supported(code: u32) -> System {
    match look_up(code) {
        Lookup::Supported(system) => system,
        other @ (Lookup::NeedsGrid | Lookup::Unsupported) => panic!("{code}: {other:?}"),
    }
}

fn to(code: u32, target: Target, x: f64, y: f64) -> Result<(f64, f64), FailureKind> {
    Transform::new(&supported(code), target)
        .unwrap()
        .point(x, y)
}

#[test]
fn systems_in_common_use_are_within_a_centimetre() {
    let common = [
        4326, 3857, 2154, 25832, 25833, 32601, 32660, 32701, 32760, 3035, 3006, 3413, 3031, 2193,
        28355, 7855, 26917, 2263, 5070, 3347, 4258, 4674, 5880, 3067, 2180, 2056, 21781, 28992,
        31370, 2039,
    ];
    for code in common {
        let accuracy = supported(code).accuracy_m;
        assert!(accuracy <= 0.01, "{code}: {accuracy} m");
    }
}

#[test]
fn older_names_of_a_system_are_the_system() {
    for code in [102_100, 900_913] {
        assert_eq!(supported(code).code, 3857);
    }
    assert_eq!(supported(4979).code, 4326);
}

#[test]
fn what_is_not_in_the_list_says_why() {
    // NAD27 over its whole area; NAD27(CGQ77) / SCoPQ zone 2.
    for code in [4267, 2009] {
        assert_eq!(look_up(code), Lookup::NeedsGrid, "{code}");
    }
    // No such code; a height; geocentric WGS 84; deprecated; beyond every code.
    for code in [0, 1, 5773, 4978, 2400, 999_999, u32::MAX] {
        assert_eq!(look_up(code), Lookup::Unsupported, "{code}");
    }
}

#[test]
fn northing_first_is_told_and_changes_nothing() {
    for code in [2180, 31467, 4258] {
        assert!(supported(code).northing_first, "{code}");
    }
    for code in [25832, 3857, 2056] {
        assert!(!supported(code).northing_first, "{code}");
    }
    // Warsaw by EPSG:2180, easting first.
    let (lon, lat) = to(2180, Target::LonLat, 637_000.0, 487_000.0).unwrap();
    assert!((lon - 21.0).abs() < 0.1 && (lat - 52.2).abs() < 0.1);
}

#[test]
fn degrees_on_wgs_84_and_metres_of_web_mercator_stay_bit_for_bit() {
    let mut coordinates = vec![13.377_704, 52.516_275, 34.5, -0.0, 90.0, -1.0];
    let before = coordinates.clone();
    let same = Transform::new(&supported(4326), Target::LonLat).unwrap();
    assert_eq!(same.apply(&mut coordinates, 3), Ok(()));
    assert_eq!(coordinates, before);
    let point = (1_489_199.332_3, 6_894_018.271);
    assert_eq!(to(3857, Target::WebMercator, point.0, point.1), Ok(point));
}

#[test]
fn heights_are_left_as_they_are() {
    let transform = Transform::new(&supported(31467), Target::LonLat).unwrap();
    let mut coordinates = [3_500_000.0, 5_500_000.0, 117.25];
    assert_eq!(transform.apply(&mut coordinates, 3), Ok(()));
    assert_eq!(coordinates[2].to_bits(), 117.25_f64.to_bits());
    assert!((coordinates[0] - 9.0).abs() < 0.01);
}

#[test]
fn a_failure_names_the_position() {
    let transform = Transform::new(&supported(4326), Target::WebMercator).unwrap();
    let mut coordinates = [0.0, 0.0, 10.0, 85.0, 10.0, 85.06];
    let failure = Failure {
        position: 2,
        kind: FailureKind::BeyondMercator,
    };
    assert_eq!(transform.apply(&mut coordinates, 2), Err(failure));
    let utm = Transform::new(&supported(32632), Target::LonLat).unwrap();
    let mut coordinates = [500_000.0, 5e6, f64::NAN, 5e6];
    let failure = Failure {
        position: 1,
        kind: FailureKind::NotFinite,
    };
    assert_eq!(utm.apply(&mut coordinates, 2), Err(failure));
    assert_eq!(
        to(4326, Target::LonLat, 181.0, 0.0),
        Err(FailureKind::OutOfRange)
    );
    assert_eq!(
        to(4258, Target::LonLat, 0.0, -90.5),
        Err(FailureKind::OutOfRange)
    );
}

#[test]
fn web_mercator_ends_at_its_latitude() {
    let edge = 20_037_508.342_789_244;
    let (x, y) = to(4326, Target::WebMercator, 180.0, 85.051_128_779_806_6).unwrap();
    assert!(
        (x - edge).abs() < 1e-6 && (y - edge).abs() < 1e-3,
        "{x} {y}"
    );
    assert_eq!(to(4326, Target::WebMercator, 0.0, 0.0), Ok((0.0, 0.0)));
    assert_eq!(to(3857, Target::LonLat, edge, 0.0), Ok((180.0, 0.0)));
    assert_eq!(to(3857, Target::LonLat, -edge, 0.0), Ok((-180.0, 0.0)));
    for target in [Target::LonLat, Target::WebMercator] {
        let beyond = to(3857, target, 20_037_600.0, 0.0);
        assert_eq!(beyond, Err(FailureKind::OutOfRange));
    }
    let beyond = to(3857, Target::WebMercator, 0.0, 3e7);
    assert_eq!(beyond, Err(FailureKind::BeyondMercator));
    assert_eq!(
        evidence::beyond_web_mercator(&[0.0, 85.0, 0.0, -86.0], 2),
        Some(1)
    );
    assert_eq!(evidence::beyond_web_mercator(&[0.0, 85.0, 86.0], 3), None);
}

#[test]
fn metres_under_degrees_look_projected() {
    assert!(evidence::looks_projected(
        &[500_000.0, 5e6, 500_100.0, 5e6],
        2
    ));
    assert!(!evidence::looks_projected(&[500_000.0, 5e6, 9.0, 48.0], 2));
    assert!(!evidence::looks_projected(&[], 2));
}

fn swapped(system: &System, coordinates: &[f64], stride: usize) -> bool {
    let way = Transform::new(system, Target::LonLat).unwrap();
    evidence::axes_swapped(system, &way, coordinates, stride)
}

fn outside(system: &System, coordinates: &[f64], stride: usize) -> bool {
    let way = Transform::new(system, Target::LonLat).unwrap();
    evidence::outside_area(system, &way, coordinates, stride)
}

#[test]
fn swapped_axes_are_seen_by_the_area_of_use() {
    let france = supported(2154);
    assert!(swapped(
        &france,
        &[6_862_000.0, 652_000.0, 6_800_000.0, 660_000.0],
        2
    ));
    assert!(!swapped(&france, &[652_000.0, 6_862_000.0], 2));
    // Both readings lie in Poland: no evidence.
    assert!(!swapped(&supported(2180), &[300_000.0, 700_000.0], 2));
    let germany = supported(31467);
    assert!(swapped(&germany, &[5_400_000.0, 3_510_000.0, 12.0], 3));
    // One position that fits as given is enough.
    assert!(!swapped(
        &germany,
        &[5_400_000.0, 3_510_000.0, 3_510_000.0, 5_400_000.0],
        2
    ));
    // Latitude first is no longitude and latitude.
    assert!(swapped(&supported(4326), &[35.7, 139.7], 2));
    assert!(!swapped(&supported(4326), &[9.0, 48.0], 2));
    assert!(outside(&supported(2154), &[700_000.0, 1_000_000.0], 2));
    assert!(!outside(&supported(2154), &[652_000.0, 6_862_000.0], 2));
}

#[test]
fn an_area_over_the_antimeridian_is_one_area() {
    let new_zealand = Area {
        west: 160.6,
        south: -55.95,
        east: -171.2,
        north: -25.88,
    };
    assert!(new_zealand.contains(179.0, -40.0, 0.0) && new_zealand.contains(-175.0, -40.0, 0.0));
    assert!(!new_zealand.contains(0.0, -40.0, 0.0) && !new_zealand.contains(170.0, 0.0, 0.0));
}

#[test]
fn every_code_is_prepared_and_every_area_is_a_box() {
    for code in codes() {
        let system = supported(code);
        assert_eq!(system.code, code);
        Transform::new(&system, Target::WebMercator).expect("it is prepared");
        let area = system.area;
        assert!(
            area.south <= area.north && area.west.abs() <= 180.0,
            "{code}"
        );
        assert!(system.accuracy_m <= 20.0, "{code}");
        assert!(
            system.datum_accuracy_m.is_none_or(|metres| metres <= 20.0),
            "{code}"
        );
        assert!(!system.definition().contains(['$', '?']), "{code}");
    }
}

static ALL: LazyLock<Vec<u32>> = LazyLock::new(|| codes().collect());

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 20_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn no_number_is_a_panic_and_every_result_is_a_place(
        pick in any::<prop::sample::Index>(),
        x in prop_oneof![-3e7..3e7, -180.0..180.0, any::<f64>()],
        y in prop_oneof![-3e7..3e7, -90.0..90.0, any::<f64>()],
    ) {
        let code = ALL[pick.index(ALL.len())];
        if let Ok((lon, lat)) = to(code, Target::LonLat, x, y) {
            prop_assert!(lon.abs() <= 180.0 && lat.abs() <= 90.0);
        }
        if let Ok((x, y)) = to(code, Target::WebMercator, x, y) {
            prop_assert!(x.abs() <= 20_037_509.0 && y.abs() <= 20_037_510.0);
        }
    }
}
