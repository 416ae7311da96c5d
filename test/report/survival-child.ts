/**
 * A process that writes reports or a journal until it is killed or done, and says on standard output what it has
 * written: one request id per line, after the listener has returned.
 */

import { writeSync } from 'node:fs';
import { ErrorRegistry, type ErrorRegistryOptions, readJournal, RunJournal } from '../../src/report/index.ts';
import { attempt, failedEvent, failure, retryEvent, SECRET } from './sample-events.ts';

const [mode = '', path = '', name = '', count = ''] = process.argv.slice(2);
const say = (text: string): number => writeSync(1, `${text}\n`);
const leaky = failure('overloaded', { message: `Overloaded. Your key is ${SECRET}.` });

/** Every tenth is large, so that its line takes several pages. */
function eventOf(index: number): ReturnType<typeof failedEvent> {
  const attempts = index % 10 === 9 ? 60 : 2;
  const history = Array.from({ length: attempts }, (_, number) => attempt(number + 1, { failure: leaky }));
  return failedEvent({ callId: `${name}-${index}`, failure: leaky, attempts, history, body: SECRET.repeat(10) });
}

function writeReports(options: ErrorRegistryOptions): void {
  const registry = new ErrorRegistry(path, options);
  for (let index = 0; index < Number(count); index += 1) {
    registry.listener(eventOf(index));
    if (registry.waiting === 0) say(`${name}-${index}`);
  }
}

function writeJournal(): void {
  const journal = new RunJournal(path, { maxBytes: 200_000, maxFiles: 1_000 });
  for (let index = 0; index < Number(count); index += 1) {
    journal.listener(retryEvent(1, { callId: `${name}-${index}`, failure: leaky }));
    if (journal.waiting === 0) say(`${name}-${index}`);
    journal.listener(eventOf(index));
  }
}

/** Reports into a small disk until it is full; then makes room for them and reports once more. */
async function fillDisk(): Promise<void> {
  const { rmSync, writeFileSync } = await import('node:fs');
  let errors = 0;
  const registry = new ErrorRegistry(path, { maxReports: 1_000, onError: () => (errors += 1) });
  if (name === 'ballast') writeFileSync(`${path}.ballast`, Buffer.alloc(1_900_000));
  for (let index = 0; index < Number(count); index += 1) registry.listener(eventOf(index));
  const whileFull = { errors, waiting: registry.waiting, listed: registry.list().length };
  rmSync(`${path}.ballast`, { force: true });
  registry.listener(eventOf(Number(count)));
  say(JSON.stringify({ ...whileFull, waitingAfter: registry.waiting, listedAfter: registry.list().length }));
}

/** Reads and writes a registry and a journal at the same path, and prints what each step came to. */
function useEverything(): void {
  const errors: string[] = [];
  const onError = (error: Error): void => void errors.push(error.message);
  const outcomeOf = (work: () => unknown): unknown => {
    try {
      return work();
    } catch (error) {
      return error instanceof Error ? error.message : error;
    }
  };
  const registry = new ErrorRegistry(path, { onError });
  const steps = {
    journal: outcomeOf(() => readJournal(path).entries.length),
    listed: outcomeOf(() => registry.list().length),
    written: outcomeOf(() => registry.listener(eventOf(0))),
    journalWritten: outcomeOf(() => new RunJournal(path, { onError }).listener(eventOf(0))),
  };
  say(JSON.stringify({ ...steps, errors }));
}

if (mode === 'registry') writeReports({ maxReports: 100_000, maxBytes: 100_000 });
if (mode === 'ring') writeReports({ maxReports: 100, maxBytes: 100_000 });
if (mode === 'everything') useEverything();
if (mode === 'journal') writeJournal();
if (mode === 'disk') await fillDisk();
