/** Formats a wait for people: in logs, countdowns and error messages. */

const UNIT_SECONDS = { d: 86_400, h: 3_600, m: 60, s: 1 };

/**
 * A number of milliseconds as text: `500ms`, `21.5s`, `1m 30s`, `7h 31m 45s`, `30d`. Below a second in whole
 * milliseconds, below a minute in tenths of a second, above it in whole seconds; parts that are zero are left out.
 * Zero and negative numbers are `0s`, `Infinity` is `forever`, and NaN is `unknown`.
 */
export function formatDelay(ms: number): string {
  if (Number.isNaN(ms)) return 'unknown';
  if (ms === Infinity) return 'forever';
  // Each step rounds before it compares, so that 59,960 ms are "1m" and not "60s".
  const milliseconds = Math.round(ms);
  if (milliseconds <= 0) return '0s';
  if (milliseconds < 1_000) return `${milliseconds}ms`;
  const tenths = Math.round(milliseconds / 100);
  if (tenths < 600) return `${tenths / 10}s`;

  let seconds = Math.round(milliseconds / 1_000);
  const parts: string[] = [];
  for (const [letter, size] of Object.entries(UNIT_SECONDS)) {
    const count = Math.floor(seconds / size);
    seconds -= count * size;
    if (count > 0) parts.push(`${count}${letter}`);
  }
  return parts.join(' ');
}
