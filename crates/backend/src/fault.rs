//! Fault decorators: a store that fails on order.
