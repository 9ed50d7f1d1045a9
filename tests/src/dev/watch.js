// Stands before the Worker under test: what it instantiates is known here, so that its linear
// memory can be measured. wasm memory never shrinks, so its size is its peak.
const instances = [];

WebAssembly.Instance = class extends WebAssembly.Instance {
  constructor(module, imports) {
    super(module, imports);
    instances.push(this);
  }
};

export function wasmBytes() {
  return instances.reduce((most, { exports }) => Math.max(most, exports.memory?.buffer.byteLength ?? 0), 0);
}
