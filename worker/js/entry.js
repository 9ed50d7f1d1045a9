// The entry module of the Worker: hands each event to wasm. It decides nothing about a
// request but which of two equal ways it takes.
//
// Short way: a body of declared and modest length is read in one call, and one
// synchronous call into wasm gives the answer, or a promise of it when there is
// something to relay. A call into wasm costs little; a Rust future around a body does
// not. Long way: everything else, through the exported handler, which meters the body as
// it arrives.
//
// After a panic or a trap the wasm memory is not to be trusted. The next event starts on
// a fresh instance; the requests that were in flight are lost, which is why the Rust side
// must not panic.
import * as glue from "./glue.js";

// Bodies of at most so many bytes go the short way, while so many are in flight. The
// runtime holds them outside of wasm; an isolate has 128 MB for both.
const SHORT_BYTES_MAX = 1 << 20;
const IN_FLIGHT_BYTES_MAX = 16 << 20;

const state = glue.__worker_init_state();
// Which headers the door reads: it depends on the sources, which do not change in an isolate.
// `content-length` is not among them: it is looked at before.
let names;
let inFlight = 0;

function failed(error) {
  if (error instanceof WebAssembly.RuntimeError) {
    console.error("wasm aborted", error);
    state.criticalError = true;
  }
}

// A trap while a future is polled reaches no caller: only this event tells of it.
addEventListener("error", (event) => failed(event.error));

// The URL, then the headers that the door reads as lines of name, tab, value: neither
// holds a newline. One string, because each one that goes into wasm costs.
function headLines(url, headers, declared, env) {
  names ??= glue.header_names(env).split("\n\n").map(namesOf);
  const lines = url + "\ncontent-length\t" + declared + headersOf(headers, names[0]);
  return headers.has("ce-specversion") ? lines + headersOf(headers, names[1]) : lines;
}

function namesOf(lines) {
  return lines.split("\n").filter((name) => name !== "content-length");
}

function headersOf(headers, names) {
  let lines = "";
  for (let at = 0; at < names.length; at++) {
    const value = headers.get(names[at]);
    if (value !== null) lines += "\n" + names[at] + "\t" + value;
  }
  return lines;
}

function freshen() {
  if (state.criticalError) {
    glue.__wbg_reset_state();
    state.criticalError = false;
  }
}

export default {
  async fetch(request, env, context) {
    freshen();
    let taken = 0;
    try {
      const headers = request.headers;
      const declared = headers.get("content-length");
      const length = Number(declared ?? NaN);
      const modest = length >= 0 && length <= SHORT_BYTES_MAX && inFlight + length <= IN_FLIGHT_BYTES_MAX;
      if (!modest || request.method !== "POST") return await glue.fetch(request, env, context);
      taken = length;
      inFlight += taken;
      const body = await request.arrayBuffer();
      const answer = glue.take(headLines(request.url, headers, declared, env), new Uint8Array(body), env);
      return answer instanceof Response ? answer : await answer;
    } catch (error) {
      failed(error);
      throw error;
    } finally {
      inFlight -= taken;
    }
  },

  // Each message is acked or asked for again by name. After an exception the platform
  // hands over again what was not acked.
  async queue(batch, env) {
    freshen();
    try {
      await glue.queue(batch, env);
    } catch (error) {
      failed(error);
      throw error;
    }
  },
};
