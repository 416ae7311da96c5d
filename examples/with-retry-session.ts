import { presets, RetrySession } from 'retry-transport';

// One session per worker: a restarted operation continues the schedule, and a success starts it again.
const session = new RetrySession({ ...presets.background, gateKey: 'reports' });

/** Ends the waits and the operations of the session. */
export const stop = (): void => session.cancel();

export async function work(job: () => Promise<string>): Promise<string> {
  try {
    return await session.run(job);
  } catch (error) {
    console.log(`given up after ${session.retries} retries`);
    throw error;
  }
}
