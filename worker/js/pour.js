// A body of known length that is not in memory: some bytes, then a stream as it comes.

// Whoever reads the result sees it when the stream breaks: it ends short of its length then.
export function pour(lead, stream, length) {
  const { readable, writable } = new FixedLengthStream(length);
  filled(writable, lead.slice(), stream).catch(() => {});
  return readable;
}

async function filled(writable, lead, stream) {
  const writer = writable.getWriter();
  await writer.write(lead);
  writer.releaseLock();
  await stream.pipeTo(writable);
}
