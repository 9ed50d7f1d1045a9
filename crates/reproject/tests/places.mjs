// Runs the table of points through the module and prints, a line a point,
// `code metres x y first second`, or nothing for a point without an image.
import { readFileSync } from "node:fs";

const [module, table] = process.argv.slice(2).map((path) => readFileSync(path));
// proj4rs brings imports of wasm-bindgen. It calls two of them, to read the numbers of a
// definition.
const compiled = new WebAssembly.Module(module);
const text = (start, length) => Buffer.from(memory.buffer, start, length).toString();
const called = {
  __wbg_parseFloat: (start, length) => parseFloat(text(start, length)),
  __wbg_parseInt: (start, length, radix) => parseInt(text(start, length), radix),
};
const imports = {};
for (const { module: from, name } of WebAssembly.Module.imports(compiled)) {
  const uncalled = () => {
    throw new Error(`${name} was called`);
  };
  const bare = name.replace(/_[0-9a-f]{16}$/, "");
  (imports[from] ??= {})[name] = called[bare] ?? uncalled;
}
const instance = new WebAssembly.Instance(compiled, imports);
const { memory, place, first, second } = instance.exports;
const lines = [];
for (const row of table.toString().trimEnd().split("\n")) {
  const [code, ...points] = row.split("\t");
  for (const point of points) {
    const [x, y] = point.split(" ").map(Number);
    for (const metres of [0, 1]) {
      if (place(Number(code), metres, x, y) === 1) {
        lines.push(`${code} ${metres} ${x} ${y} ${first()} ${second()}`);
      }
    }
  }
}
console.log(lines.join("\n"));
