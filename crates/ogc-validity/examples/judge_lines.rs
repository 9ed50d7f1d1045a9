//! Judges one geometry a line, for comparison with other tools.
//!
//! In: `kind;stride;coordinates;ring_ends;part_ends`, the lists with commas, the kind as in `GeoJSON`. Two optional
//! arguments: how edges are found (`auto`: as the judge chooses, `tree`, `sweep`) and `work_max`. Out: `valid`, `undecided`, `malformed: …` or `invalid`, then for each fault `;kind,x,y,end x,end
//! y,exact,part,ring,vertex,other part,other ring,other vertex` with `-` for what is not there. Reads nothing else.

use std::error::Error;
use std::io::{BufRead, BufWriter, Write, stdin, stdout};
use std::str::FromStr;

use ogc_validity::{Fault, Judgement, Limits, Path, Shape, ShapeKind, judge_by};

fn main() -> Result<(), Box<dyn Error>> {
    let path = match std::env::args().nth(1).as_deref() {
        None | Some("auto") => Path::Auto,
        Some("tree") => Path::Tree,
        Some("sweep") => Path::Sweep,
        Some(other) => return Err(format!("no such mode: {other}").into()),
    };
    let work_max = std::env::args()
        .nth(2)
        .map(|text| text.parse())
        .transpose()?;
    let limits = Limits {
        faults_max: usize::MAX,
        work_max,
    };
    let mut out = BufWriter::new(stdout().lock());
    for line in stdin().lock().lines() {
        writeln!(out, "{}", answer(&line?, &limits, path)?)?;
    }
    out.flush()?;
    Ok(())
}

fn answer(line: &str, limits: &Limits, path: Path) -> Result<String, Box<dyn Error>> {
    let fields: Vec<&str> = line.split(';').collect();
    let [kind, stride, coordinates, ring_ends, part_ends] = fields[..] else {
        return Err("not five fields".into());
    };
    let coordinates: Vec<f64> = list(coordinates)?;
    let (ring_ends, part_ends): (Vec<u32>, Vec<u32>) = (list(ring_ends)?, list(part_ends)?);
    let shape = Shape {
        kind: kind_of(kind)?,
        coordinates: &coordinates,
        stride: stride.parse()?,
        ring_ends: &ring_ends,
        part_ends: &part_ends,
    };
    Ok(
        match judge_by(&shape, limits, path).map(|(judgement, _)| judgement) {
            Err(error) => format!("malformed: {error}"),
            Ok(Judgement::Valid) => "valid".into(),
            Ok(Judgement::Undecided { .. }) => "undecided".into(),
            Ok(Judgement::Invalid(report)) => {
                report.faults.iter().fold("invalid".into(), |text, fault| {
                    text + ";" + &describe(fault)
                })
            }
        },
    )
}

fn describe(fault: &Fault) -> String {
    let mut fields = vec![fault.kind.code().into()];
    fields.extend(fault.location.map(|ordinate| ordinate.to_string()));
    fields.extend(match fault.location_end {
        Some(end) => end.map(|ordinate| ordinate.to_string()),
        None => ["-".into(), "-".into()],
    });
    fields.push(fault.location_exact.to_string());
    for place in [Some(fault.at), fault.other] {
        fields.extend(match place {
            Some(place) => [place.part, place.ring, place.vertex].map(|number| number.to_string()),
            None => ["-".into(), "-".into(), "-".into()],
        });
    }
    fields.join(",")
}

fn kind_of(name: &str) -> Result<ShapeKind, String> {
    Ok(match name {
        "Point" => ShapeKind::Point,
        "MultiPoint" => ShapeKind::MultiPoint,
        "LineString" => ShapeKind::LineString,
        "MultiLineString" => ShapeKind::MultiLineString,
        "Polygon" => ShapeKind::Polygon,
        "MultiPolygon" => ShapeKind::MultiPolygon,
        other => return Err(format!("no such kind: {other}")),
    })
}

fn list<T: FromStr>(text: &str) -> Result<Vec<T>, T::Err> {
    text.split(',')
        .filter(|item| !item.is_empty())
        .map(str::parse)
        .collect()
}
