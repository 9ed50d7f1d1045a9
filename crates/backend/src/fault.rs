//! Fault decorators: a store that fails on order. What fails, at which call and how is
//! said beforehand by a [`FaultPlan`]; nothing is random, so a seeded simulation draws the
//! plan and stays repeatable. Every fault that fired is on record: a planned fault that
//! never fired is a failed test.

mod faulty;
mod plan;

pub use faulty::Faulty;
pub use plan::{Fault, FaultPlan, Fired, Operation};
