// The entry module of the Worker: hands each event to the exported wasm handler.
//
// Written for the `worker` crate 0.8.7 in place of the shim that worker-build
// generates: the same repair after an abort, without the proxies that Durable
// Objects need. It decides nothing about a request.
//
// After a panic or a trap the wasm memory is not to be trusted. The next event
// starts on a fresh instance; the requests that were in flight are lost, which
// is why the Rust side must not panic.
import * as glue from "./glue.js";

const state = glue.__worker_init_state();

function failed(error) {
  if (error instanceof WebAssembly.RuntimeError) {
    console.error("wasm aborted", error);
    state.criticalError = true;
  }
}

// A trap while a future is polled reaches no caller: only this event tells of it.
addEventListener("error", (event) => failed(event.error));

function guarded(handler) {
  return async (input, env, context) => {
    if (state.criticalError) {
      glue.__wbg_reset_state();
      state.criticalError = false;
    }
    try {
      return await handler(input, env, context);
    } catch (error) {
      failed(error);
      throw error;
    }
  };
}

const handlers = {};
for (const event of ["fetch", "queue", "scheduled"]) {
  if (event in glue) handlers[event] = guarded(glue[event]);
}

export default handlers;
