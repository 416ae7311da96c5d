import type { Agent } from './agent.ts';

/** In the order of the tables. */
export const agents: readonly Agent[] = [];
