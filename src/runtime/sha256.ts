/**
 * SHA-256 (FIPS 180-4) of a short text, synchronously. The runtimes of the core have no common synchronous one, and the
 * key of a call is needed before its first attempt.
 */

/** The digest as 64 hexadecimal digits. */
export function sha256(text: string): string {
  const { initial, roundKeys } = CONSTANTS;
  const message = padded(new TextEncoder().encode(text));
  // Reads and writes unsigned 32-bit numbers.
  const schedule = new DataView(new ArrayBuffer(4 * 64));
  const word = (index: number): number => schedule.getUint32(4 * index);
  let hash = initial;
  for (let offset = 0; offset < message.byteLength; offset += 64) {
    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = hash;
    for (const [i, roundKey] of roundKeys.entries()) {
      const extended = (): number =>
        word(i - 16) + mixed(word(i - 15), 7, 18, 3) + word(i - 7) + mixed(word(i - 2), 17, 19, 10);
      schedule.setUint32(4 * i, i < 16 ? message.getUint32(offset + 4 * i) : extended());
      const s1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
      const choice = (e & f) ^ (~e & g);
      const t1 = h + s1 + choice + roundKey + word(i);
      const s0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
      const majority = (a & b) ^ (a & c) ^ (b & c);
      [a, b, c, d, e, f, g, h] = [(t1 + s0 + majority) | 0, a, b, c, (d + t1) | 0, e, f, g];
    }
    hash = [a, b, c, d, e, f, g, h].map((value, index) => value + (hash[index] ?? 0));
  }
  return hash.map((each) => (each >>> 0).toString(16).padStart(8, '0')).join('');
}

/** Appends a one, zeros, and the length in bits. */
function padded(bytes: Uint8Array): DataView {
  const message = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  message.set(bytes);
  message[bytes.length] = 0x80;
  const view = new DataView(message.buffer);
  view.setUint32(message.length - 4, bytes.length * 8);
  return view;
}

/** The leading bits of the fractions of the roots of the first primes, as in the standard. */
function deriveConstants(): { readonly initial: readonly number[]; readonly roundKeys: readonly number[] } {
  const primes: number[] = [];
  for (let n = 2; primes.length < 64; n += 1) if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  const initial = primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
  return { initial, roundKeys: primes.map((prime) => fraction(Math.cbrt(prime))) };
}

const fraction = (root: number): number => Math.floor((root % 1) * 2 ** 32);

const CONSTANTS = /* @__PURE__ */ deriveConstants();

const rotated = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits));

const mixed = (word: number, one: number, other: number, shift: number): number =>
  rotated(word, one) ^ rotated(word, other) ^ (word >>> shift);
