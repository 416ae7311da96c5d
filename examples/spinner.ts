import { type RetryController, watchRetry } from 'retry-transport';

/** One line in a terminal, such as "Service overloaded (HTTP 503): retry 2 in 7s", for as long as a call waits. */
export function showSpinner(controller: RetryController, out: { write(text: string): unknown } = process.stderr) {
  // Goes to the beginning of the line and empties it.
  return watchRetry(controller, (wait) => out.write(`\r\u001B[K${wait?.text ?? ''}`));
}
