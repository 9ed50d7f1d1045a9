// A response in one call from wasm: status, headers as lines of name, tab, value, body.

// The few sets of headers that answers have, parsed once each.
const known = new Map();
const KNOWN_MAX = 64;

function parsed(lines) {
  const headers = {};
  for (const line of lines.split("\n")) {
    const tab = line.indexOf("\t");
    headers[line.slice(0, tab)] = line.slice(tab + 1);
  }
  if (known.size < KNOWN_MAX) known.set(lines, headers);
  return headers;
}

export function respond(status, lines, body) {
  const headers = known.get(lines) ?? parsed(lines);
  // The bytes are a view into wasm memory, which may move: they are copied.
  return new Response(body.slice(), { status, headers });
}
