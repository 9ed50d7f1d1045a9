//! What became of a file.

use super::answer::Fault;
use crate::exit::Exit;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Refused features that are named one by one; the rest is counted.
const NAMED_MAX: usize = 100;

/// Features by answer.
#[derive(Debug, Default, Serialize)]
pub(super) struct Summary {
    pub(super) accepted: u64,
    pub(super) duplicates: u64,
    pub(super) refused: u64,
    pub(super) failed: u64,
    pub(super) by_code: BTreeMap<String, u64>,
    refused_features: Vec<Named>,
}

/// A refused feature.
#[derive(Debug, Serialize)]
struct Named {
    /// From 0, in the file.
    feature: usize,
    code: String,
    message: String,
}

impl Summary {
    pub(super) fn accept(&mut self, features: usize, duplicates: u64) {
        self.accepted += features as u64;
        self.duplicates += duplicates;
    }

    pub(super) fn refuse(&mut self, feature: usize, fault: &Fault) {
        self.refused += 1;
        self.count(fault, 1);
        if self.refused_features.len() < NAMED_MAX {
            let (code, message) = (fault.code.clone(), fault.message.clone());
            self.refused_features.push(Named {
                feature,
                code,
                message,
            });
        }
    }

    pub(super) fn fail(&mut self, features: usize, fault: &Fault) {
        self.failed += features as u64;
        self.count(fault, features as u64);
    }

    fn count(&mut self, fault: &Fault, features: u64) {
        *self.by_code.entry(fault.code.clone()).or_insert(0) += features;
    }

    /// Features that have their answer, or will have none.
    pub(super) const fn done(&self) -> u64 {
        self.accepted + self.refused + self.failed
    }

    pub(super) const fn exit(&self) -> Exit {
        match (self.failed, self.refused) {
            (0, 0) => Exit::Good,
            (0, _) => Exit::Faults,
            _ => Exit::Unable,
        }
    }

    pub(super) fn write_text(&self, out: &mut impl Write) -> io::Result<()> {
        let mut refused: Vec<&Named> = self.refused_features.iter().collect();
        refused.sort_by_key(|named| named.feature);
        for Named {
            feature,
            code,
            message,
        } in refused
        {
            writeln!(out, "feature {feature} refused: {code}: {message}")?;
        }
        let unnamed = self.refused - self.refused_features.len() as u64;
        if unnamed > 0 {
            writeln!(out, "and {unnamed} more")?;
        }
        writeln!(
            out,
            "accepted   {} ({} duplicates)",
            self.accepted, self.duplicates
        )?;
        writeln!(out, "refused    {}", self.refused)?;
        writeln!(out, "failed     {}", self.failed)?;
        for (code, features) in &self.by_code {
            writeln!(out, "  {features:>7}  {code}")?;
        }
        Ok(())
    }
}
