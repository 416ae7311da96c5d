/**
 * The MSW handler that replays recordings, one step per request: the failures in the order in which you want to see
 * them, and then the answer that makes the user happy. The same line drives a test, a story of a component and a demo.
 */

import { http, HttpResponse, type HttpHandler } from 'msw';
import { recording } from './look-up.ts';
import { checkPace, pause, streamOf, type Pace } from './pieces.ts';
import { responseOf, type Answer, type Recording } from './recording.ts';
import type { RecordingName } from './recordings.ts';

/** A recording, or an answer of your own, with the timing of a real one. */
export interface PacedStep extends Pace {
  readonly recording: RecordingName | Recording | Answer;
  /**
   * Waited before the response head, in milliseconds. Infinity: no answer ever comes.
   *
   * @default 0
   */
  readonly delayMs?: number | undefined;
  /**
   * Whether the body is sent in pieces.
   *
   * @default true where `chunkDelayMs`, `chunkBytes` or `dieAfterBytes` is given
   */
  readonly asStream?: boolean | undefined;
}

/**
 * What one request is answered with: a recording by name or by value, an answer as data, one of the two with timing,
 * a function that makes the response, or no response at all (`'network-error'`).
 */
export type Step =
  | RecordingName
  | Recording
  | Answer
  | PacedStep
  | ((request: Request) => Response | Promise<Response>)
  | 'network-error';

/** A request that a {@link ReplayHandler} has answered, or is about to. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** An MSW handler that remembers. */
export interface ReplayHandler extends HttpHandler {
  /** The requests so far, in order; so `requests.length` counts them. */
  readonly requests: readonly SeenRequest[];
  /** Forgets the requests and starts again at the first step. MSW's own `resetHandlers` does not. */
  rewind(): void;
}

/**
 * Answers each request to `url`, whatever its method, with the next step; the last step repeats.
 *
 * ```ts
 * replay('https://api.anthropic.com/v1/messages', 'anthropic-429-overloaded-bare', completions.anthropicStream('Hello'));
 * ```
 *
 * @param url as MSW reads it (`*` and `/:name` match anything), but a query is left out of account, and a colon inside
 *   of a segment (`gemini-2.5-flash:generateContent`) is just a colon
 * @throws {RangeError} at once for the name of a recording that does not exist
 * @throws {TypeError} at once for no step at all, or a pace that means nothing
 */
export function replay(url: string | RegExp, ...steps: readonly [Step, ...(readonly Step[])]): ReplayHandler {
  const answers = steps.map(answerOfStep);
  const last = answers.at(-1);
  if (last === undefined) throw new TypeError('Expected at least one step to replay, got none.');
  const requests: SeenRequest[] = [];
  const handler = http.all(pathOf(url), async ({ request }) => {
    const asked = await seen(request);
    const answer = answers[requests.length] ?? last;
    requests.push(asked);
    return answer(request);
  });
  return Object.assign(handler, { requests, rewind: () => void requests.splice(0) });
}

type AnswerTo = (request: Request) => Response | Promise<Response>;

function answerOfStep(step: Step): AnswerTo {
  if (typeof step === 'function') return step;
  if (step === 'network-error') return () => HttpResponse.error();
  if (typeof step === 'string') return answerOfStep(recording(step));
  return 'recording' in step ? pacedAnswer(step) : () => responseOf(step);
}

function pacedAnswer(step: PacedStep): AnswerTo {
  const { delayMs = 0, chunkDelayMs, chunkBytes, dieAfterBytes } = step;
  const asStream = step.asStream ?? [chunkDelayMs, chunkBytes, dieAfterBytes].some((given) => given !== undefined);
  const answer = typeof step.recording === 'string' ? recording(step.recording) : step.recording;
  checkPace(step);
  return async ({ signal }) => {
    await pause(delayMs, signal);
    return asStream ? streamOf(answer, step) : responseOf(answer);
  };
}

async function seen(request: Request): Promise<SeenRequest> {
  const { method, url, headers } = request;
  return { method, url, headers: Object.fromEntries(headers), body: await request.clone().text() };
}

/** MSW warns about a query, and reads each `:name` as a parameter, wherever in a segment it stands. */
function pathOf(url: string | RegExp): string | RegExp {
  return typeof url === 'string' ? url.replace(/\?.*=.*$/, '').replace(/(?<=[^/\\]):(?=[a-z_])/gi, '\\:') : url;
}
