/**
 * SHA-256 (FIPS 180-4) of a short text, at once. The runtimes that the core runs in share no synchronous one, and the
 * key of a call has to be there before its first attempt.
 */

interface Constants {
  readonly initial: readonly number[];
  readonly roundKeys: Words;
}

/** Thirty-two bits each, read and written without a sign. */
type Words = DataView;

let constants: Constants | undefined;

/** The digest as 64 hexadecimal digits. */
export function sha256(text: string): string {
  const { roundKeys, initial } = (constants ??= deriveConstants());
  const hash = wordsOf(initial);
  const schedule = wordsOf([], 64);
  const message = padded(new TextEncoder().encode(text));
  for (let offset = 0; offset < message.byteLength; offset += 64) {
    for (let i = 0; i < 16; i += 1) put(schedule, i, message.getUint32(offset + 4 * i));
    for (let i = 16; i < 64; i += 1) {
      const w15 = at(schedule, i - 15);
      const w2 = at(schedule, i - 2);
      const s0 = rotate(w15, 7) ^ rotate(w15, 18) ^ (w15 >>> 3);
      const s1 = rotate(w2, 17) ^ rotate(w2, 19) ^ (w2 >>> 10);
      put(schedule, i, at(schedule, i - 16) + s0 + at(schedule, i - 7) + s1);
    }
    compress(hash, schedule, roundKeys);
  }
  return Array.from({ length: 8 }, (_, i) => at(hash, i).toString(16).padStart(8, '0')).join('');
}

function compress(hash: Words, schedule: Words, roundKeys: Words): void {
  const v = new DataView(hash.buffer.slice(0));
  for (let i = 0; i < 64; i += 1) {
    const [a, b, c, e, f, g] = [at(v, 0), at(v, 1), at(v, 2), at(v, 4), at(v, 5), at(v, 6)];
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const choice = (e & f) ^ (~e & g);
    const t1 = at(v, 7) + s1 + choice + at(roundKeys, i) + at(schedule, i);
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    for (let to = 7; to > 0; to -= 1) put(v, to, at(v, to - 1));
    put(v, 4, at(v, 4) + t1);
    put(v, 0, t1 + s0 + majority);
  }
  for (let i = 0; i < 8; i += 1) put(hash, i, at(hash, i) + at(v, i));
}

/** A one, zeros, and the length in bits. */
function padded(bytes: Uint8Array): DataView {
  const message = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  message.set(bytes);
  message[bytes.length] = 0x80;
  const view = new DataView(message.buffer);
  view.setUint32(message.length - 4, bytes.length * 8);
  return view;
}

/** The leading bits of the fractions of the roots of the first primes: where the standard takes them from. */
function deriveConstants(): Constants {
  const primes: number[] = [];
  for (let n = 2; primes.length < 64; n += 1) if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  return {
    initial: primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime))),
    roundKeys: wordsOf(primes.map((prime) => fraction(Math.cbrt(prime)))),
  };
}

function wordsOf(values: readonly number[], length: number = values.length): Words {
  const words = new DataView(new ArrayBuffer(4 * length));
  for (const [index, value] of values.entries()) put(words, index, value);
  return words;
}

const fraction = (root: number): number => (root - Math.floor(root)) * 2 ** 32;

const rotate = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits));

const at = (words: Words, index: number): number => words.getUint32(4 * index);

const put = (words: Words, index: number, value: number): void => words.setUint32(4 * index, value);
