import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRetryFetch } from 'retry-transport';

const retrying = createRetryFetch({ baseDelayMs: 500, maxRetries: 8 });

/**
 * Runs a job over an SDK; `work` gives the fetch to its client. If the server asks for a wait of more than a minute, the
 * moment is written into `file`, and the result is undefined. Run the job again then, even after a restart: before that
 * moment nothing is sent.
 */
export async function runOrPostpone<Answer>(
  file: string,
  work: (fetch: typeof globalThis.fetch) => Promise<Answer>,
): Promise<Answer | undefined> {
  if (existsSync(file) && Date.now() < Number(readFileSync(file, 'utf8'))) return undefined;
  let possibleAt: number | undefined;
  const fetch = retrying.with({
    onEvent: (event) => void (event.type === 'failed' && (possibleAt = event.possibleAt)),
  });
  try {
    const answer = await work(fetch);
    rmSync(file, { force: true });
    return answer;
  } catch (error) {
    if (possibleAt === undefined) throw error; // no wait helps: a person has to act
    writeFileSync(file, String(possibleAt));
    return undefined;
  }
}
