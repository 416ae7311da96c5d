/**
 * The steps of a replay: the answers to the requests, in order. Needs no MSW; `replay` makes a handler of them,
 * `replayFetch` a fetch and `replayRoute` a handler for Playwright.
 */

import { recording } from './look-up.ts';
import { checkPace, pause, streamOf, type Pace } from './pieces.ts';
import { responseOf, type Answer, type Recording } from './recording.ts';
import type { RecordingName } from './recordings.ts';

/** A recording, or your own answer, with the timing of a real one. */
export interface PacedStep extends Pace {
  readonly recording: RecordingName | Recording | Answer;
  /**
   * How long to wait before the response headers, in milliseconds. Infinity: the request is never answered.
   *
   * @default 0
   */
  readonly delayMs?: number | undefined;
  /**
   * Whether the body is sent in pieces.
   *
   * @default true with any other option of the body, else false
   */
  readonly asStream?: boolean | undefined;
}

/**
 * The answer to one request: a recording by name or value, an answer as data, either of them with timing, a status from
 * 200 to 599 without headers or body, a function that makes the response, or no response at all (`'network-error'`).
 */
export type Step =
  | RecordingName
  | Recording
  | Answer
  | PacedStep
  | number
  | ((request: Request) => Response | Promise<Response>)
  | 'network-error';

/** At least one step. */
export type Steps = readonly [Step, ...(readonly Step[])];

/** A request that was answered, or is being answered. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The members of every replay besides its answers. */
export interface Replayed {
  /** The requests so far, in order. */
  readonly requests: readonly SeenRequest[];
  /** Forgets the requests and starts again at the first step. */
  readonly rewind: () => void;
}

/** Answers each request with the next step; the last step repeats. */
export interface Script extends Replayed {
  /** Resolves with `Response.error()` if there is no response. */
  readonly answer: (request: Request) => Promise<Response>;
}

/**
 * Checks the steps and makes a script of them.
 *
 * @throws {RangeError} if no recording has the name of a step
 * @throws {TypeError} if there is no step, or a step or its pace is invalid
 */
export function scriptOf(steps: Steps): Script {
  const answers = steps.map(answerOfStep);
  const last = answers.at(-1);
  if (last === undefined) throw new TypeError('Expected at least one step to replay, got none.');
  const requests: SeenRequest[] = [];
  return {
    requests,
    rewind: () => void requests.splice(0),
    answer: async (request) => {
      const seen = await seenRequest(request);
      const answer = answers[requests.length] ?? last;
      requests.push(seen);
      return answer(request);
    },
  };
}

type AnswerTo = (request: Request) => Response | Promise<Response>;

/** Only a function looks at more of the request than its signal. */
export function answerOfStep(step: Step): AnswerTo {
  if (typeof step === 'function') return step;
  if (isStatus(step)) return () => new Response(null, { status: step });
  if (step === 'network-error') return () => Response.error();
  if (typeof step === 'string') return answerOfStep(recording(step));
  if (typeof step === 'number' || !hasOneOf(step, ['recording', 'response', 'body']))
    throw new TypeError('Expected each step to be a recording, an answer, a status from 200 to 599 or a function.');
  return 'recording' in step ? pacedAnswer(step) : () => responseOf(step);
}

const isStatus = (step: Step): step is number => Number.isInteger(step) && Number(step) >= 200 && Number(step) <= 599;

/** Programs in JavaScript may pass any value. */
const hasOneOf = (value: unknown, names: readonly string[]): boolean =>
  typeof value === 'object' && value !== null && names.some((name) => name in value);

function pacedAnswer({ recording: given, delayMs = 0, asStream, ...pace }: PacedStep): AnswerTo {
  const answer = typeof given === 'string' ? recording(given) : given;
  if (!hasOneOf(answer, ['response', 'body']))
    throw new TypeError('Expected the `recording` of a step to be a recording, its name or an answer.');
  checkPace({ delayMs, ...pace });
  const isInPieces = asStream ?? Object.values(pace).some((option) => option !== undefined);
  return async ({ signal }) => {
    await pause(delayMs, signal);
    return isInPieces ? streamOf(answer, pace) : responseOf(answer);
  };
}

async function seenRequest(request: Request): Promise<SeenRequest> {
  const { method, url, headers } = request;
  return { method, url, headers: Object.fromEntries(headers), body: await request.clone().text() };
}
