/** A body whose parts arrive when the test says so. */

import { settle } from '../script.ts';
import type { Source } from './exchanges.ts';

export interface ControlledBody extends Pick<Source, 'body' | 'isCancelled'> {
  readonly say: (part: Uint8Array) => Promise<void>;
  readonly close: () => void;
  readonly fail: (error: unknown) => void;
}

export function controlled(): ControlledBody {
  let cancelled = false;
  let stream: ReadableStreamController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    type: 'bytes',
    start: (controller) => void (stream = controller),
    cancel: () => void (cancelled = true),
  });
  const say = async (part: Uint8Array): Promise<void> => {
    stream?.enqueue(part.slice());
    await settle();
  };
  const close = (): void => {
    stream?.close();
    if (stream !== undefined && 'byobRequest' in stream) stream.byobRequest?.respond(0);
  };
  return { body, say, close, fail: (error) => stream?.error(error), isCancelled: () => cancelled };
}
