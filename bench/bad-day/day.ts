/** Leads one client through one day, and says what became of each call. */

import { createDice } from '../dice.ts';
import type { Question, Setting } from './client.ts';
import { answerTo, promptOf } from './protocol.ts';
import { type LoggedRequest, startProvider } from './server.ts';
import type { PlannedCall, Trouble } from './trouble.ts';
import { runUntil, time } from './virtual-clock.ts';

/** What the program got from one call. */
export interface CallResult {
  readonly call: number;
  readonly kind: PlannedCall['kind'];
  /**
   * `whole`: the answer. `wrong`: a text that is not the answer, without an error. `failed`: an error. `late`: nothing
   * within the deadline. `unable`: the client has no way to make this call.
   */
  readonly end: 'whole' | 'wrong' | 'failed' | 'late' | 'unable';
  /** From the call to its end; the deadline if it had none. */
  readonly tookMs: number;
  /** Whether a person saw a piece of the answer twice. */
  readonly isShownTwice: boolean;
  /** The error as the program can print it. */
  readonly message?: string;
}

export interface DayResult {
  readonly calls: readonly CallResult[];
  readonly requests: readonly LoggedRequest[];
}

export async function runDay(setting: Setting, trouble: Trouble, seed: number, count: number): Promise<DayResult> {
  const day = trouble.plan(createDice(seed), count);
  // Jitter of the clients is drawn from the seed too.
  Math.random = createDice(seed + 1_000_000);
  const provider = await startProvider(day);
  const beganAt = time.elapsedMs;
  const program = await setting.create(provider.origin);
  const results: CallResult[] = [];

  const make = async ({ atMs, kind }: PlannedCall, call: number): Promise<void> => {
    await time.after(atMs);
    const startedAt = time.elapsedMs;
    const shown: string[] = [];
    const question: Question = {
      prompt: promptOf(call),
      isStreamed: kind === 'stream',
      show: (piece) => void shown.push(piece),
    };
    const end = (how: CallResult['end'], message?: string): void => {
      if (results[call] !== undefined) return;
      const isShownTwice = shown.filter((piece) => piece.startsWith('Story ')).length > 1;
      const tookMs = Math.round(time.elapsedMs - startedAt);
      results[call] = { call, kind, end: how, tookMs, isShownTwice, ...(message !== undefined && { message }) };
    };
    void time.after(trouble.deadlineMs).then(() => end('late'));
    try {
      if (kind === 'tool') {
        if (program.callTool === undefined) return end('unable');
        await program.callTool(toolCall(call));
        return end('whole');
      }
      const text = await program.ask(question);
      const isWhole = text === answerTo(call) && (kind === 'json' || shown.join('') === text);
      end(isWhole ? 'whole' : 'wrong', isWhole ? undefined : text);
    } catch (error) {
      end('failed', error instanceof Error ? `${error.name}: ${error.message}`.slice(0, 300) : String(error));
    }
  };

  const made = day.calls.map(make);
  let isOver = false;
  void Promise.all(made).then(() => {
    isOver = true;
  });
  const lastMs = Math.max(...day.calls.map(({ atMs }) => atMs)) + trouble.deadlineMs;
  await runUntil(
    () => (isOver && results.filter(Boolean).length === made.length) || time.elapsedMs - beganAt > lastMs + 1_000,
  );
  await setting.close?.();
  await provider.close();
  time.clear();
  return { calls: results, requests: provider.log };
}

const toolCall = (call: number): string =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"send_mail","arguments":{"text":"call number ${call}."}}}`;
