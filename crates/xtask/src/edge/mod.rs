//! The Worker: from Rust to the files that `wrangler.toml` names, and to the bundle.
//!
//! The steps are those of `worker-build` 0.8.7, done here, because it is a
//! program without a library: using it means `cargo install` on every machine,
//! and it fetches wasm-bindgen, wasm-opt and esbuild from the web unless told
//! otherwise. Linking `wasm-bindgen-cli-support` costs half a minute once and
//! makes wasm-bindgen equal to `Cargo.lock` by construction. Bundling is left to
//! wrangler, which does it anyway with the esbuild it brings.
//!
//! Refuses: Durable Objects and RPC classes (the Worker has none), panic=unwind.

mod build;
mod bundle;
mod glue;
mod lock;

pub(crate) use self::{
    build::{build, hello},
    bundle::{bundle, wrangler},
    glue::for_node,
};
