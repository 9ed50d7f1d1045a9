// `node ask.mjs FOLDER TASK`: the answer of the oracle in wasm to standard input. FOLDER holds the glue.
import { readFileSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const [folder, task] = process.argv.slice(2);
const { answer } = createRequire(import.meta.url)(resolve(folder, "glue.js"));
const bytes = answer(task, readFileSync(0));
for (let written = 0; written < bytes.length; ) {
  written += writeSync(1, bytes, written);
}
