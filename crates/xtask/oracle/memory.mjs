// `node memory.mjs FOLDER FILE…`: how much linear memory the core in wasm takes for each body, which comes in chunks as
// a Worker receives it. FOLDER holds the glue. A line of JSON each: pages never go back, so each body has a new module.
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const CHUNK_BYTES = 65_536;
const [folder, ...files] = process.argv.slice(2);
const path = resolve(folder, "glue.js");
const require = createRequire(import.meta.url);

for (const file of files) {
  delete require.cache[path];
  const glue = require(path);
  const memory = () => glue.linear_memory_bytes();
  const started = memory();
  const body = openSync(file);
  const { size } = fstatSync(body);
  const chunks = new glue.Chunks(size);
  const chunk = new Uint8Array(CHUNK_BYTES);
  for (let read; (read = readSync(body, chunk)) > 0; ) {
    chunks.push(chunk.subarray(0, read));
  }
  closeSync(body);
  const read = memory();
  const verdict = chunks.verdict();
  console.log(JSON.stringify({ bytes: size, started, read, peak: memory(), verdict }));
}
