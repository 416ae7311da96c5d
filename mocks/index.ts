/** Recorded failures of LLM providers, and the MSW handlers that replay them: for tests, stories and demos. */

export { completions } from './completions.ts';
export { recording } from './look-up.ts';
export type { Pace } from './pieces.ts';
export { responseOf } from './recording.ts';
export type { Answer, Expected, Fidelity } from './recording.ts';
export { recordings } from './recordings.ts';
export type { Recording, RecordingName } from './recordings.ts';
export { replay } from './replay.ts';
export type { PacedStep, ReplayHandler, SeenRequest, Step } from './replay.ts';
