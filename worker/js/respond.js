// A response in one call from wasm: status, headers as lines of name, tab, value, body.
export function respond(status, lines, body) {
  const headers = {};
  for (const line of lines.split("\n")) {
    const tab = line.indexOf("\t");
    headers[line.slice(0, tab)] = line.slice(tab + 1);
  }
  // The bytes are a view into wasm memory, which may move: they are copied.
  return new Response(body.slice(), { status, headers });
}
