/** The clock, and the processor time of all threads of this process, which does not include other programs. */

export interface Times {
  readonly wallMs: number;
  readonly cpuMs: number;
}

export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Starts at the call; the returned function reports how much of both has passed. */
export function startTimes(): () => Times {
  const wallStart = performance.now();
  const cpuStart = cpuMs();
  return () => ({ wallMs: performance.now() - wallStart, cpuMs: cpuMs() - cpuStart });
}
