import { type RetryController, watchRetry } from 'retry-transport';

/** One line in a terminal, such as "overloaded, retry 2 in 7s", for as long as a call waits. */
export function showSpinner(controller: RetryController, out: { write(text: string): unknown } = process.stderr) {
  return watchRetry(controller, (wait) => {
    const words =
      wait === null ? '' : `${wait.failure?.type ?? 'in line'}, retry ${wait.retry} in ${wait.secondsLeft}s`;
    out.write(`\r\u001B[K${words}`); // to the beginning of the line, which is emptied
  });
}
