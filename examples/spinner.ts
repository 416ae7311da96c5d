import { type RetryController, watchRetry } from 'retry-transport';

/** One line in a terminal, such as "Service overloaded (HTTP 503): retry 2 in 7s", for as long as a call waits. */
export function showSpinner(controller: RetryController, out: { write(text: string): unknown } = process.stderr) {
  // To the beginning of the line, which is emptied first.
  return watchRetry(controller, (wait) => out.write(`\r\u001B[K${wait?.text ?? ''}`));
}
