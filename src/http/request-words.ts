/**
 * What the body of a request says, of whatever kind the body is and whatever its content type says. One reader for
 * `retryOnly: 'model-requests'`, for the holding of JSON answers, and for the label of JSON-RPC.
 */

import { get, hasMethod, parseJson } from '../runtime/values.ts';
import { operationOfJsonRpc } from './json-rpc.ts';
import { beginsLikeModelRequest, type ModelShape, modelShapeOf } from './model-shape.ts';
import { isBodyInit, isReplayable, isRequest, tagOf } from './request-parts.ts';
import { type BodyReader, readStart } from '../body/response-body.ts';

export interface Words {
  /** What a request in JSON-RPC does; undefined for any other request. */
  readonly operation: 'tool_call' | 'read' | undefined;
  /** How much the request looks like one for a model. */
  readonly modelShape: ModelShape;
}

/** No body, or one that cannot be read, such as a stream or a form. */
const NO_WORDS: Words = /* @__PURE__ */ Object.freeze({ operation: undefined, modelShape: 'none' });

/** The words of a body that is in memory. Each is read when it is first asked for. */
class BodyWords implements Words {
  private readonly body: string | object;
  private shape: ModelShape | undefined;

  constructor(body: string | object) {
    this.body = body;
  }

  get operation(): Words['operation'] {
    // A conversation is not parsed.
    if (typeof this.body === 'string' && !this.body.includes('"jsonrpc"')) return undefined;
    return operationOfJsonRpc(this.json);
  }

  get modelShape(): ModelShape {
    return (this.shape ??=
      typeof this.body === 'string' && beginsLikeModelRequest(this.body) ? 'whole' : modelShapeOf(this.json));
  }

  private get json(): unknown {
    // `trim` also removes a byte order mark.
    return typeof this.body === 'string' ? parseJson(this.body.trim()) : this.body;
  }
}

/** The words of a body, or of a `Request`. undefined: it has to be read first, with {@link readWords}. */
export function wordsOf(source: unknown): Words | undefined {
  if (typeof source === 'string') return new BodyWords(source);
  if (typeof source !== 'object' || source === null) return NO_WORDS;
  if (isUnread(source)) return get(source, 'body') === null ? NO_WORDS : undefined;
  const bytes = bytesOf(source);
  if (bytes !== undefined) {
    if (isGzip(bytes)) return undefined;
    return beginsLikeJson(bytes) === false ? NO_WORDS : wordsOf(new TextDecoder(encodingOf(bytes)).decode(bytes));
  }
  // A transport sends anything else as JSON.
  return isBodyInit(source) || !isReplayable(source) ? NO_WORDS : new BodyWords(source);
}

/**
 * The body of a `Request` may be a stream that the program still writes, perhaps without end. A text or a buffer comes in
 * one part, a Blob in parts of 64 KiB.
 */
const MAX_MS = 250;
const MAX_PARTS = 4_096;
const MAX_BYTES = 16_777_216;

/**
 * Reads the words of a Blob, of a `Request` from a clone, or of bytes that are compressed. A body that cannot be read, or
 * not soon, has none. Never rejects.
 */
export async function readWords(source: unknown, signal: AbortSignal | undefined): Promise<Words> {
  try {
    const given = isUnread(source) ? await readBytes(source, signal) : source;
    const bytes = typeof given === 'object' && given !== null ? bytesOf(given) : undefined;
    const read = bytes !== undefined && isGzip(bytes) ? await unpack(bytes, signal) : bytes;
    const { operation, modelShape } = (read && wordsOf(read)) ?? NO_WORDS;
    // Not the text, which a waiting call would keep.
    return { operation, modelShape };
  } catch {
    return NO_WORDS;
  }
}

async function readBytes(
  source: Blob | Request,
  signal: AbortSignal | undefined,
): Promise<ArrayBuffer | Uint8Array | undefined> {
  if (!isRequest(source)) return readAll(source.stream().getReader(), signal);
  // Some browsers do not show the body.
  if (source.body === undefined) return source.clone().arrayBuffer();
  // The body of node-fetch is a stream of Node, which waits for its clones.
  return hasMethod(source.body, 'getReader') ? readAll(source, signal) : undefined;
}

/** Not every runtime can unpack. */
function unpack(bytes: Uint8Array, signal: AbortSignal | undefined): Promise<Uint8Array | undefined> {
  const packed = new Blob([bytes.slice()]).stream();
  return readAll(packed.pipeThrough(new DecompressionStream('gzip')).getReader(), signal);
}

async function readAll(source: Request | BodyReader, signal: AbortSignal | undefined): Promise<Uint8Array | undefined> {
  let count = 0;
  let bytes = 0;
  const arrive = (part: Uint8Array): boolean => {
    count += 1;
    bytes += part.byteLength;
    const isOther = count === 1 && !isGzip(part) && beginsLikeJson(part) === false;
    return isOther || count > MAX_PARTS || (count > 1 && bytes > MAX_BYTES);
  };
  const { body, drained, broken } = await readStart(source, signal, Infinity, MAX_MS, { arrive });
  return drained && broken === undefined && typeof body === 'object' ? body : undefined;
}

function isUnread(source: unknown): source is Blob | Request {
  if (typeof source !== 'object' || source === null) return false;
  return ['Blob', 'File'].includes(tagOf(source)) || isRequest(source);
}

/** The bytes of a buffer of any kind, also of another realm; a shared one is copied, because no decoder takes it. */
export function bytesOf(source: object): Uint8Array | undefined {
  const isView = ArrayBuffer.isView(source);
  const buffer = isView ? source.buffer : source;
  if (!isBuffer(buffer)) return undefined;
  // One that was transferred away cannot be viewed.
  if (buffer.byteLength === 0) return new Uint8Array();
  const bytes = isView ? new Uint8Array(buffer, source.byteOffset, source.byteLength) : new Uint8Array(buffer);
  return tagOf(buffer) === 'SharedArrayBuffer' ? bytes.slice() : bytes;
}

const isBuffer = (source: object): source is ArrayBufferLike =>
  ['ArrayBuffer', 'SharedArrayBuffer'].includes(tagOf(source));

const isGzip = ([first, second]: Uint8Array): boolean => first === 0x1f && second === 0x8b;

/** JSON begins with two characters of ASCII, after a byte order mark. */
function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff || second === 0) return 'utf-16le';
  return first === 0xfe || first === 0 ? 'utf-16be' : 'utf-8';
}

/** Also the zeros of UTF-16. */
const BYTE_ORDER_MARK: readonly number[] = [0xef, 0xbb, 0xbf, 0xff, 0xfe, 0];
const WHITE_SPACE: readonly number[] = [0x09, 0x0a, 0x0d, 0x20];
const BRACKETS: readonly (number | undefined)[] = [0x5b, 0x7b];

/** Whether the first visible character opens an object or a list. undefined: there is none. */
function beginsLikeJson(bytes: Uint8Array): boolean | undefined {
  const first = bytes.find((byte) => !BYTE_ORDER_MARK.includes(byte) && !WHITE_SPACE.includes(byte));
  return first === undefined ? undefined : BRACKETS.includes(first);
}
