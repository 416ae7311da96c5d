import type { DaemonSubject } from './limiter.ts';
export const DAEMONS: readonly DaemonSubject[] = [];
