import { type Failure, outcomeOf, withRetry } from 'retry-transport';

/** Another model, or undefined to give up. A person chooses, so it may take minutes. */
type Choose = (failure: Failure) => Promise<string | undefined>;

/** A chain of `createFallback` moves on by itself. Where a person decides, a loop goes around the call. */
export async function askWithConsent<T>(
  ask: (model: string, signal: AbortSignal) => Promise<T>,
  choose: Choose,
  firstModel: string,
): Promise<T> {
  for (let model: string | undefined = firstModel; ;) {
    const current: string = model;
    try {
      return await withRetry(({ signal }) => ask(current, signal));
    } catch (error) {
      const end = outcomeOf(error);
      model = end?.type === 'failed' ? await choose(end.failure) : undefined;
      if (model === undefined) throw error;
    }
  }
}
