// A response in one call from wasm: status, set of headers, body.

// The few sets of headers that answers have, by the number that wasm gave them: a string that
// comes out of wasm costs more than the rest of this.
const sets = [];

// The lines of a set: name, tab, value.
export function know(set, lines) {
  const headers = {};
  for (const line of lines.split("\n")) {
    const tab = line.indexOf("\t");
    headers[line.slice(0, tab)] = line.slice(tab + 1);
  }
  sets[set] = headers;
}

export function respond(status, set, body) {
  // The bytes are a view into wasm memory, which may move: they are copied.
  return new Response(body.slice(), { status, headers: sets[set] });
}
