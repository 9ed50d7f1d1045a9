//! What an answer says of the features of a batch.

use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// What became of a request that was answered.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// All of it was accepted.
    Accepted {
        /// Of these the door had known.
        duplicates: u64,
    },
    /// Nothing was accepted, and some features are to blame, by index.
    Refused(Blame),
    /// Nothing was accepted, and no feature is named.
    RefusedWhole(Fault),
    /// The door takes nothing from us at all: wrong place, wrong secret.
    Closed(Fault),
}

/// The features to blame for a refusal, by index.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Blame {
    /// With the first reason given.
    pub(super) named: BTreeMap<usize, Fault>,
    /// Refused as well; the answer had no room for the reason.
    pub(super) unexplained: BTreeSet<usize>,
}

/// The first reason given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) code: String,
    pub(super) message: String,
}

/// What a door says with a 202.
#[derive(Deserialize)]
struct Acceptance {
    accepted: usize,
    #[serde(default)]
    duplicates: u64,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Problem {
    code: Option<String>,
    title: Option<String>,
    detail: Option<String>,
    errors: Vec<ProblemError>,
    refused: Vec<usize>,
}

#[derive(Deserialize)]
struct ProblemError {
    code: String,
    feature: Option<usize>,
    #[serde(default)]
    message: String,
}

/// Reads an answer that is final, to a batch of so many features.
pub(super) fn read(status: u16, body: &[u8], features: usize) -> Told {
    match status {
        200..=299 => accepted(status, body, features),
        // What can be wrong with the payload, and not with who sends it where.
        400 | 413 | 422 => refused(status, body, features),
        _ => Told::Closed(fault(status, &problem(body))),
    }
}

/// Nothing but the door's own word for every feature is acceptance: what stands between
/// may answer 200 with a page of its own, and the events would be gone without a trace.
fn accepted(status: u16, body: &[u8], features: usize) -> Told {
    let message = match (status, serde_json::from_slice::<Acceptance>(body)) {
        (202, Ok(said)) if said.accepted == features => {
            let duplicates = said.duplicates;
            return Told::Accepted { duplicates };
        }
        (202, Ok(said)) => format!("answered {} accepted of {features} sent", said.accepted),
        (_, Ok(_) | Err(_)) => {
            format!("answered {status} without a door's acceptance; is this the door's URL?")
        }
    };
    let code = format!("http.{status}");
    Told::Closed(Fault { code, message })
}

fn problem(body: &[u8]) -> Problem {
    serde_json::from_slice(body).unwrap_or_default()
}

fn refused(status: u16, body: &[u8], features: usize) -> Told {
    let problem = problem(body);
    let mut blame = Blame::default();
    for error in &problem.errors {
        if let Some(index) = error.feature.filter(|index| *index < features) {
            let (code, message) = (error.code.clone(), error.message.clone());
            let fault = Fault { code, message };
            blame.named.entry(index).or_insert(fault);
        }
    }
    let unexplained = problem.refused.iter().copied();
    blame.unexplained = unexplained
        .filter(|index| *index < features && !blame.named.contains_key(index))
        .collect();
    let nothing_learnt = blame.unexplained.is_empty() || blame.unexplained.len() == features;
    if blame.named.is_empty() && nothing_learnt {
        return Told::RefusedWhole(fault(status, &problem));
    }
    Told::Refused(blame)
}

fn fault(status: u16, problem: &Problem) -> Fault {
    let code = problem
        .code
        .clone()
        .unwrap_or_else(|| format!("http.{status}"));
    let message = problem.detail.clone().or_else(|| problem.title.clone());
    Fault {
        code,
        message: message.unwrap_or_else(|| format!("answered {status}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_422_names_the_features_to_blame() {
        let body = br#"{"code":"a","refused":[0,2,9],"errors":[
            {"code":"b","feature":2},{"code":"c","feature":2},{"code":"d"}]}"#;
        let Told::Refused(blame) = read(422, body, 3) else {
            panic!("not refused")
        };
        assert_eq!(blame.named.len(), 1);
        assert_eq!(blame.named[&2].code, "b");
        assert_eq!(blame.unexplained, BTreeSet::from([0]));
    }

    #[test]
    fn an_answer_that_names_none_is_about_the_whole() {
        assert!(
            matches!(read(413, b"{\"code\":\"limit.features\"}", 3), Told::RefusedWhole(fault) if fault.code == "limit.features")
        );
        assert!(
            matches!(read(400, b"<html>", 1), Told::RefusedWhole(fault) if fault.code == "http.400")
        );
        let all = br#"{"code":"a","refused":[0,1]}"#;
        assert!(matches!(read(422, all, 2), Told::RefusedWhole(_)));
        assert!(matches!(read(404, b"", 1), Told::Closed(_)));
    }

    #[test]
    fn only_a_202_that_accepts_every_feature_is_acceptance() {
        let good = br#"{"accepted":3,"duplicates":1,"results":[]}"#;
        assert_eq!(read(202, good, 3), Told::Accepted { duplicates: 1 });
        for (status, body, features) in [
            (202, good.as_slice(), 2),
            (200, good, 3),
            (204, good, 3),
            (202, b"", 1),
            (202, b"<html>welcome</html>", 1),
            (202, br#"{"accepted":"3","duplicates":0}"#, 3),
            (202, br#"{"duplicates":0}"#, 0),
        ] {
            let told = read(status, body, features);
            let Told::Closed(fault) = told else {
                panic!("{status} {body:?}: {told:?}")
            };
            assert_eq!(fault.code, format!("http.{status}"));
        }
    }
}
