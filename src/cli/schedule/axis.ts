/** The steps of a plot's time axis: round durations such as 5 s or 10 min. */

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

const STEPS_MS: readonly number[] = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 20, 30].map((seconds) => seconds * SECOND_MS),
  ...[1, 2, 5, 10, 15, 20, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 3, 4, 6, 8, 12].map((hours) => hours * HOUR_MS),
  ...[1, 2, 5, 10, 20, 50, 100].map((days) => days * DAY_MS),
];

/** Ticks from 0 to at least `maxMs`, in at most `mostSteps` equal steps. */
export function ticksTo(maxMs: number, mostSteps: number): readonly number[] {
  const stepMs = STEPS_MS.find((candidateMs) => candidateMs * mostSteps >= maxMs) ?? maxMs / mostSteps;
  const steps = Math.max(1, Math.ceil(maxMs / stepMs));
  return Array.from({ length: steps + 1 }, (_, index) => index * stepMs);
}
