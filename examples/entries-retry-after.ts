import { retryHint } from 'retry-transport/retry-after';

/** How long the server asks to wait, or null; for programs that have retries of their own. */
export async function waitFor(response: Response): Promise<number | null> {
  const hint = retryHint({ headers: response.headers, body: await response.clone().text() });
  console.log(hint === null ? 'no wait asked for' : `${hint.ms} ms, from ${hint.source}`);
  return hint?.ms ?? null;
}
