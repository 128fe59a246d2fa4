// Names and numbers as text.

// A number with n significant digits, in powers of ten where that is shorter.
export function significant(x, n = 3) {
  if (!Number.isFinite(x)) return "–";
  const size = Math.abs(x);
  if (size < 1e-12) return "0";
  if (size >= 1e5 || size < 1e-3) return x.toExponential(Math.max(1, n - 3));
  return unsigned(x.toFixed(Math.max(0, n - 1 - Math.floor(Math.log10(size)))));
}

export const fixed = (x, digits = 3) => (Number.isFinite(x) ? unsigned(x.toFixed(digits)) : "–");

// A zero has no sign.
const unsigned = (text) => (/[1-9]/.test(text) ? text : text.replace("-", ""));

// Decimals of a length: a thousandth of what is about as large as the scene.
export const decimals = (size) => Math.min(9, Math.max(0, 3 - Math.floor(Math.log10(size) + 0.5)));

// The number that someone has typed, with a decimal point or comma; NaN if it is none.
export function typed(text) {
  const plain = text.trim().replace("−", "-");
  return plain === "" ? NaN : Number(plain.includes(".") ? plain : plain.replace(",", "."));
}

// Text that may break behind marks between words.
export function breakable(text) {
  return text.split(/(?<=[_\-./:])/).flatMap((word, k) => (k ? [document.createElement("wbr"), word] : [word]));
}
