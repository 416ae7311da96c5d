import { type RetryController, watchRetry } from 'retry-transport';

/**
 * One line in a terminal that turns from the call on: "| asking", or "/ overloaded (HTTP 503): retry 2 of 3 in 7s"
 * while the call waits. Call the returned function when the answer is there.
 */
export function showSpinner(controller: RetryController, out: { write(text: string): unknown } = process.stderr) {
  let text = 'asking';
  let turns = 0;
  // Goes to the beginning of the line and empties it.
  const draw = () => out.write(`\r\u001B[K${'|/-\\'[turns % 4]} ${text}`);
  const stopWatching = watchRetry(controller, (wait) => (text = wait?.text ?? 'asking'));
  const timer = setInterval(() => {
    turns += 1;
    draw();
  }, 100);
  draw();
  return () => {
    clearInterval(timer);
    stopWatching();
    out.write('\r\u001B[K');
  };
}
