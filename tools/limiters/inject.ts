/** Requests to a server of this process without a socket. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import inject from 'light-my-request';
import type { Answer, Arrival, Limiter } from '../../bench/limiters/real/limiter.ts';

export function headersOf({ tenant, model }: Arrival): Record<string, string> {
  return { 'x-tenant': tenant, 'x-model': model };
}

export function answerOf(status: number, headers: Readonly<Record<string, unknown>>, body: string): Answer {
  const texts = Object.entries(headers).flatMap(([name, value]) =>
    // The date is that of the machine, not of the simulated time.
    value === undefined || name === 'date' ? [] : [[name, String(value)] as const],
  );
  return { status, headers: Object.fromEntries(texts), body };
}

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

/** `close`: what ends the server. */
export function limiterOf(handler: Handler, close: () => Promise<void> = async () => {}): Limiter {
  return {
    async ask(arrival) {
      const request = { method: 'POST', url: '/v1/messages', headers: headersOf(arrival) } as const;
      const { statusCode, headers, payload } = await inject(
        (from, to) => void handler(from as never, to as never),
        request,
      );
      return answerOf(statusCode, headers, payload);
    },
    close,
  };
}
