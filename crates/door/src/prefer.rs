//! `Prefer` (RFC 7240): of its preferences, `handling` and `repair` are known here.
//!
//! Of a preference that stands twice the first counts. `repair` names steps, and is taken as a
//! whole or not at all: what half of the steps give is not what the sender asked for.

use crate::head::{Head, trimmed};
use hexlane_core::repair::Step;
use std::borrow::Cow;

/// What the sender prefers, as far as it is honoured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Preferences {
    /// Whether the good features are to be taken though others are refused.
    pub(crate) lenient: bool,
    /// The repairs to be done, in order.
    pub(crate) repair: Vec<Step>,
    /// Why repairs that were asked for are not done.
    pub(crate) not_repaired: Option<String>,
}

impl Preferences {
    /// Of a request to a source that allows those repairs.
    pub(crate) fn of(head: &Head, allowed: &[Step]) -> Self {
        let Some(header) = head.header("prefer") else {
            return Self::default();
        };
        let lenient = preference(header, "handling")
            .is_some_and(|value| value.eq_ignore_ascii_case("lenient"));
        let repair = preference(header, "repair").map(|names| steps(names, allowed));
        let (repair, not_repaired) = match repair {
            None => (Vec::new(), None),
            Some(Ok(steps)) => (steps, None),
            Some(Err(reason)) => (Vec::new(), Some(reason)),
        };
        Self {
            lenient,
            repair,
            not_repaired,
        }
    }

    /// The value of `Preference-Applied`; none when nothing was honoured.
    pub(crate) fn applied(&self) -> Option<Cow<'static, str>> {
        const LENIENT: &str = "handling=lenient";
        if self.repair.is_empty() {
            return self.lenient.then_some(Cow::Borrowed(LENIENT));
        }
        let names: Vec<&str> = self.repair.iter().map(|step| step.name()).collect();
        let repair = format!("repair=\"{}\"", names.join(","));
        Some(Cow::Owned(if self.lenient {
            format!("{LENIENT}, {repair}")
        } else {
            repair
        }))
    }
}

/// The value of the first preference of that name.
fn preference<'a>(header: &'a str, name: &str) -> Option<&'a str> {
    let mut quoted = false;
    let preferences = header.split(|letter| {
        quoted ^= letter == '"';
        letter == ',' && !quoted
    });
    let mut values = preferences.filter_map(|preference| {
        let preference = preference.split(';').next().unwrap_or_default();
        let (token, value) = preference.split_once('=').unwrap_or((preference, ""));
        let is_it = trimmed(token).eq_ignore_ascii_case(name);
        is_it.then(|| trimmed(value).trim_matches('"'))
    });
    values.next()
}

/// The steps of those names, each once; or why they are not done.
fn steps(names: &str, allowed: &[Step]) -> Result<Vec<Step>, String> {
    let mut steps = Vec::new();
    for name in names
        .split(',')
        .map(trimmed)
        .filter(|name| !name.is_empty())
    {
        let Some(step) = Step::by_name(name) else {
            return Err(format!("no repair is called `{}`", clip(name)));
        };
        if !allowed.contains(&step) {
            return Err(not_allowed(step, allowed));
        }
        if !step.is_available() {
            return Err(format!("this door cannot do `{}`", step.name()));
        }
        if !steps.contains(&step) {
            steps.push(step);
        }
    }
    if steps.is_empty() {
        return Err("the preference names no repair".to_owned());
    }
    Ok(steps)
}

fn not_allowed(step: Step, allowed: &[Step]) -> String {
    let name = step.name();
    if allowed.is_empty() {
        return format!("the source allows no repair, and `{name}` is asked for");
    }
    let allowed: Vec<&str> = allowed.iter().map(|step| step.name()).collect();
    format!("the source does not allow `{name}`: {}", allowed.join(", "))
}

/// A sender's text in a sentence of ours.
fn clip(name: &str) -> String {
    const LETTERS_MAX: usize = 40;
    name.chars().take(LETTERS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hexlane_core::repair::Step;

    fn of(header: &str, allowed: &[&str]) -> Preferences {
        let allowed: Vec<Step> = allowed
            .iter()
            .map(|name| Step::by_name(name).unwrap())
            .collect();
        Preferences::of(&Head::new("POST", "/").with("Prefer", header), &allowed)
    }

    #[test]
    fn the_first_handling_counts_wherever_it_stands() {
        for (header, expected) in [
            ("handling=lenient", true),
            ("Handling = \"lenient\"", true),
            ("respond-async, handling=lenient; foo=bar, wait=10", true),
            ("handling=lenient, handling=strict", true),
            ("handling=strict, handling=lenient", false),
            ("handling", false),
            ("", false),
            ("return=minimal; handling=lenient", false),
            ("note=\"a, handling=lenient\"", false),
            ("handling=lenienter", false),
        ] {
            assert_eq!(of(header, &[]).lenient, expected, "{header}");
        }
        assert!(!Preferences::of(&Head::new("POST", "/"), &[]).lenient);
    }

    #[test]
    fn repairs_are_taken_in_the_order_asked_and_told_by_their_names() {
        let allowed = ["rewind", "close-ring", "swap-axes"];
        let told = |header| {
            let preferences = of(header, &allowed);
            assert_eq!(preferences.not_repaired, None, "{header}");
            preferences.applied().map(Cow::into_owned)
        };
        for (header, expected) in [
            ("repair=rewind", "repair=\"rewind\""),
            (
                "repair=\"close-ring, rewind,close-ring\"",
                "repair=\"close-ring,rewind\"",
            ),
            (
                "handling=lenient, REPAIR = \"swap-axes,rewind\"; x=1",
                "handling=lenient, repair=\"swap-axes,rewind\"",
            ),
            (
                "repair=\"rewind\", repair=\"close-ring\"",
                "repair=\"rewind\"",
            ),
        ] {
            assert_eq!(told(header).as_deref(), Some(expected), "{header}");
        }
        assert_eq!(told("return=minimal; repair=rewind"), None);
    }

    #[test]
    fn a_repair_that_is_not_done_takes_the_others_with_it_and_says_why() {
        for (header, allowed, reason) in [
            (
                "repair=\"rewind,glue\"",
                &["rewind"][..],
                "no repair is called `glue`",
            ),
            (
                "repair=\"rewind,close-ring\"",
                &["rewind"],
                "the source does not allow `close-ring`: rewind",
            ),
            (
                "repair=rewind",
                &[],
                "the source allows no repair, and `rewind` is asked for",
            ),
            ("repair=\"\"", &["rewind"], "the preference names no repair"),
            ("repair", &["rewind"], "the preference names no repair"),
            // The rule has a name of its own, and only the one that is allowed is.
            (
                "repair=\"make-valid:structure\"",
                &["make-valid"],
                "the source does not allow `make-valid:structure`: make-valid:even_odd",
            ),
        ] {
            let preferences = of(header, allowed);
            assert_eq!(
                preferences.not_repaired.as_deref(),
                Some(reason),
                "{header}"
            );
            assert_eq!(preferences.applied(), None, "{header}");
        }
    }
}
