/** The processor time that this process has used, all of its threads together. Unlike the clock it stands still for others. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
