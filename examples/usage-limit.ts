import { presets, RetrySession } from 'retry-transport';

interface Accounts {
  /** Blocks the account in use until its limit is reset, and takes another one; false if there is none. */
  switch(resetInMs: number | undefined): Promise<boolean>;
}

/** At a usage limit the turn goes on at once with another account; without one it waits as after any other failure. */
export function sessionOf(accounts: Accounts): RetrySession {
  const session = new RetrySession({
    ...presets.agent,
    classify: ({ type }) => (type === 'quota_exhausted' ? 'retry' : undefined),
    // The time of the reset is for the account, not for the next attempt.
    strategies: { quota_exhausted: { retryAfter: 'ignore' } },
  });
  session.subscribe((event) => {
    if (event.type !== 'retry' || event.failure.type !== 'quota_exhausted') return;
    // `retryNow` ends the wait. A rejection leaves it as it is.
    void accounts
      .switch(event.failure.retryAfterMs)
      .then((isSwitched) => isSwitched && session.retryNow(), console.error);
  });
  return session;
}
