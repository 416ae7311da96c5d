/** Writes frames of an AWS event stream, as the splitter reads them. Checksums are left at zero, because the splitter does not check them. */

const encoder = new TextEncoder();

/** One frame; header values are strings, or raw bytes that follow the name (type and value). */
export function frame(headers: Readonly<Record<string, string | Uint8Array>>, payload: unknown): Uint8Array {
  const parts = Object.entries(headers).map(([name, value]) => {
    const nameBytes = encoder.encode(name);
    const raw = typeof value === 'string' ? stringValue(value) : value;
    return Uint8Array.of(nameBytes.length, ...nameBytes, ...raw);
  });
  const head = concat(parts);
  const body = typeof payload === 'string' ? encoder.encode(payload) : encoder.encode(JSON.stringify(payload));
  const total = 12 + head.length + body.length + 4;
  const bytes = new Uint8Array(total);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, total);
  view.setUint32(4, head.length);
  bytes.set(head, 12);
  bytes.set(body, 12 + head.length);
  return bytes;
}

export const eventFrame = (name: string, payload: unknown): Uint8Array =>
  frame({ ':message-type': 'event', ':event-type': name, ':content-type': 'application/json' }, payload);

/** The event of a model, as Bedrock sends it without Converse. */
export const chunkFrame = (event: unknown): Uint8Array =>
  eventFrame('chunk', { bytes: Buffer.from(JSON.stringify(event)).toString('base64'), p: 'abcd' });

export const exceptionFrame = (name: string, message: string): Uint8Array =>
  frame({ ':message-type': 'exception', ':exception-type': name, ':content-type': 'application/json' }, { message });

export function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

function stringValue(text: string): Uint8Array {
  const bytes = encoder.encode(text);
  return Uint8Array.of(7, bytes.length >> 8, bytes.length & 255, ...bytes);
}
