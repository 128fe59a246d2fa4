// Bytes as text of the page.
export const fromBase64 = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));

// What `packed` in files.py has written: base64, in gzip where that pays.
export async function unpacked({ data, gzip }) {
  const bytes = fromBase64(data);
  if (!gzip) return bytes;
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Numbers: 32-bit floats.
export async function numbers(file) {
  return Float64Array.from(new Float32Array((await unpacked(file)).buffer));
}
