/** Starts the server of `loopback-server.ts`, and reads its counts. */

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { PerPort, PortCounts, ServerMessage } from './loopback-server.ts';

export interface Loopback {
  readonly origins: PerPort<string>;
  readonly counts: () => Promise<PerPort<PortCounts>>;
}

/** The server runs until the given work has ended. */
export async function withLoopback<T>(use: (loopback: Loopback) => Promise<T>): Promise<T> {
  const child = fork(fileURLToPath(new URL('loopback-server.ts', import.meta.url)), { execArgv: [] });
  const nextMessage = (): Promise<ServerMessage> =>
    new Promise((resolve, reject) => {
      const onExit = (code: number | null): void =>
        reject(new Error(`the loopback server to stay, it left with ${code}`));
      child.once('exit', onExit);
      child.once('message', (message: ServerMessage) => {
        child.off('exit', onExit);
        resolve(message);
      });
    });
  try {
    const { ports } = await nextMessage();
    return await use({
      origins: { baseline: `http://127.0.0.1:${ports.baseline}`, subject: `http://127.0.0.1:${ports.subject}` },
      async counts() {
        const answer = nextMessage();
        child.send('count');
        return (await answer).counts;
      },
    });
  } finally {
    child.kill();
  }
}
