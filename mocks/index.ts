/** Recorded failures of LLM providers, and tools that replay them in tests, stories and demos. Needs no MSW. */

export { completions } from './completions.ts';
export { replayFetch, replayRoute, stubFetch } from './fixtures.ts';
export type { PlaywrightRoute, ReplayFetch, ReplayRoute, TestHooks } from './fixtures.ts';
export { recording } from './look-up.ts';
export type { Pace } from './pieces.ts';
export { responseOf } from './recording.ts';
export type { Answer, Expected, Fidelity } from './recording.ts';
export { recordings } from './recordings.ts';
export type { Recording, RecordingName } from './recordings.ts';
export { replay } from './replay.ts';
export type { ReplayHandler } from './handler.ts';
export { skipWaits } from './skip-waits.ts';
export type { PacedStep, Replayed, SeenRequest, Step, Steps } from './steps.ts';
