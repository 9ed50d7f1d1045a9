//! The in-memory backends: real ones that forget on exit. They hold every contract of the
//! seams but durability.
