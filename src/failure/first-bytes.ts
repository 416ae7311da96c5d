/** Cuts a text by its size in bytes of UTF-8, which is what a limit on a body counts. */

/** What of a text fits into so many bytes of UTF-8, without half a character at its end. */
export function firstBytes(text: string, most: number): string {
  // No character takes more than three bytes for each unit of its length.
  if (text.length * 3 <= most) return text;
  return text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(most)).read);
}

/** The text of a body, for people. */
export function textOf(body: Uint8Array | string | undefined): string | undefined {
  return body instanceof Uint8Array ? new TextDecoder().decode(body) : body;
}
