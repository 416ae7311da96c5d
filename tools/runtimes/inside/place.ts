/**
 * The place of the scenario: answers are played in memory or by the server on the loopback, and the received requests
 * are counted there.
 */

import type { Fetch } from 'retry-transport';

/** One answer. The parts of a body are sent one after the other. */
export interface Step {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: readonly string[];
  /** Over sockets: `cut` drops the connection at the end of the body; `hang` keeps it open and sends nothing. */
  readonly mishap?: 'cut' | 'hang';
}

/** One address, its answers in order, and the requests that it received. */
export interface Scene {
  readonly url: string;
  readonly fetch: Fetch;
  /** The bodies of the requests so far. */
  readonly requests: () => Promise<readonly string[]>;
}

export interface Place {
  readonly name: string;
  play(...steps: readonly Step[]): Promise<Scene>;
}

export const inMemory: Place = {
  name: 'in memory',
  async play(...steps) {
    const bodies: string[] = [];
    return {
      url: 'https://api.example.com/v1/messages',
      fetch: async (input, init) => {
        bodies.push(await new Request(input, init).text());
        const step = steps[bodies.length - 1];
        if (step === undefined) throw new Error(`Request ${bodies.length} was not expected.`);
        return new Response(streamOf(step.body), { status: step.status, headers: step.headers });
      },
      requests: async () => bodies,
    };
  },
};

/** `origin`: of the server that `server.ts` starts. The runtime's own fetch sends the requests. */
export function overSockets(origin: string): Place {
  return {
    name: 'over sockets',
    async play(...steps) {
      const response = await fetch(`${origin}/scenes`, { method: 'POST', body: JSON.stringify(steps) });
      const url = origin + (await response.text());
      return {
        url,
        fetch: (input, init) => fetch(input, init),
        requests: async () => {
          const bodies: readonly string[] = await (await fetch(`${url}/requests`)).json();
          return bodies;
        },
      };
    },
  };
}

function streamOf(parts: readonly string[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(new TextEncoder().encode(part));
      controller.close();
    },
  });
}
