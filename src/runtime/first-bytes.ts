/** Cuts a text by its size in UTF-8 bytes, which is the unit of limits on a body. */

/** The longest prefix of a text that fits into `most` bytes of UTF-8, without half a character at its end. */
export function firstBytes(text: string, most: number): string {
  // A UTF-16 unit takes at most three bytes.
  if (text.length * 3 <= most) return text;
  return text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(most)).read);
}

/** The text of a body, for people. */
export function textOf(body: Uint8Array | string | undefined): string | undefined {
  return ArrayBuffer.isView(body) ? new TextDecoder().decode(body) : body;
}
