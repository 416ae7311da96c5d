/** The clock, and the processor time of this process: of all its threads, and standing still while other programs run. */

export interface Times {
  readonly wallMs: number;
  readonly cpuMs: number;
}

export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Started at the call; what it returns tells how much of both has passed. */
export function startTimes(): () => Times {
  const wallStart = performance.now();
  const cpuStart = cpuMs();
  return () => ({ wallMs: performance.now() - wallStart, cpuMs: cpuMs() - cpuStart });
}
