// A response in one call from wasm: status, set of headers, body.

// The few sets of headers that answers have, by the number that wasm gave them: a string that
// comes out of wasm costs more than the rest of this.
const sets = [];

// The lines of a set: name, tab, value.
export function know(set, lines) {
  const pairs = lines.split("\n").map((line) => line.split("\t"));
  // A `Headers` is copied as it is; an object would be read anew for each response.
  sets[set] = new Headers(pairs);
}

export function respond(status, set, body) {
  // The bytes are a view into wasm memory, which may move: they are copied.
  return new Response(body.slice(), { status, headers: sets[set] });
}
