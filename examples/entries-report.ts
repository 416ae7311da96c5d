import { join } from 'node:path';
import { createRetryFetch } from 'retry-transport';
import { createErrorReport, ErrorRegistry, renderReport, RunJournal, summary } from 'retry-transport/report';

/** A fetch that keeps what happened in two files of a folder, and prints a report when a call is given up. */
export function reportingFetch(folder: string): typeof fetch {
  const journal = new RunJournal(join(folder, 'attempts.jsonl'));
  const errors = new ErrorRegistry(join(folder, 'errors.jsonl'));
  return createRetryFetch({
    onEvent: (event) => {
      journal.listener(event);
      errors.listener(event);
      if (event.type === 'recovered') console.log(summary(event));
      if (event.type === 'failed') console.log(renderReport(createErrorReport(event)));
    },
  });
}
