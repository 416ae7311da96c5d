/** Runs named checks one after the other, on any runtime, and reports the failures of each. */

/** `error` is set if the check failed. */
export interface Outcome {
  readonly name: string;
  readonly error?: string;
}

/** The report that a launcher prints as one line of JSON. */
export interface Report {
  /** The version that the runtime reports. */
  readonly version: string;
  readonly checks: readonly Outcome[];
}

/** The waits in the scenario take milliseconds, so a check that takes longer hangs, also on a busy machine. */
const CHECK_TIMEOUT_MS = 60_000;

export async function runChecks(
  checks: readonly (readonly [name: string, check: () => Promise<void>])[],
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const [name, check] of checks) {
    try {
      await withinLimit(check());
      outcomes.push({ name });
    } catch (error) {
      outcomes.push({ name, error: error instanceof Error ? `${error.name}: ${error.message}` : String(error) });
    }
  }
  return outcomes;
}

/** Compares plain data. */
export function equal(actual: unknown, expected: unknown, what: string): void {
  const [got, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (got !== wanted) throw new Error(`Expected ${what} to be ${wanted}, got ${got}.`);
}

/** Returns the reason of a rejected promise. */
export async function thrownBy(promise: Promise<unknown>): Promise<unknown> {
  let value: unknown;
  try {
    value = await promise;
  } catch (error) {
    return error;
  }
  throw new Error(`Expected a rejection, got ${String(value)}.`);
}

async function withinLimit(running: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Not done after ${CHECK_TIMEOUT_MS} ms.`)), CHECK_TIMEOUT_MS);
  });
  try {
    await Promise.race([running, limit]);
  } finally {
    clearTimeout(timer);
  }
}
