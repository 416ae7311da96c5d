/**
 * A server on the loopback that plays the APIs. Each call gets its own address below it, with its answers in order. A
 * request that no API would accept is refused, so that a wrong request fails the test.
 */

import type { IncomingMessage } from 'node:http';
import type { Answer } from '../../mocks/recording.ts';
import { playing, serve } from '../../test/serve.ts';
import { type Api, answerOf, readRequest } from '../../bench/apis.ts';
import { REPLY } from './clients/client.ts';

/** An answer as data, or the reply of the model, whole or streamed as the request asks. */
export type Step = Answer | LastingAnswer | 'reply';

/** The reactions of a server; `reset`: the connection is reset instead of an answer. */
export type PlayedStep = Step | 'reset';

/** The answer to all requests within `lastsMs` after the first request of the scene. */
export interface LastingAnswer {
  readonly answer: Answer;
  readonly lastsMs: number;
}

/** The address of one call, and the requests that it received. */
export interface Scene {
  readonly baseUrl: string;
  /** The requests so far. */
  readonly requests: readonly SeenRequest[];
}

export interface SeenRequest {
  readonly api: Api;
  readonly isStreamed: boolean;
}

export interface ApiServer {
  /** The last step is repeated. */
  play(...steps: readonly [PlayedStep, ...PlayedStep[]]): Scene;
  close(): Promise<void>;
}

interface Played {
  readonly steps: PlayedStep[];
  readonly requests: SeenRequest[];
  startedAt: number | undefined;
}

/** Listens on a free port of 127.0.0.1. */
export async function startApiServer(now: () => number): Promise<ApiServer> {
  const scenes = new Map<string, Played>();
  const { origin, close } = await serve((request, response, body) => {
    const [, name = '', path = ''] = /^\/(scene-\d+)(\/.*)$/.exec(request.url ?? '') ?? [];
    const scene = scenes.get(name);
    const seen = readRequest(path, body.toString());
    if (scene === undefined || seen === undefined || request.method !== 'POST' || !hasKey(request)) {
      const message = `${request.method} ${request.url} belongs to no API that is played here, or lacks a key.`;
      const refusal = JSON.stringify({ error: { message } });
      return response.writeHead(404, { 'content-type': 'application/json' }).end(refusal);
    }
    scene.requests.push(seen);
    scene.startedAt ??= now();
    const step = nextStep(scene.steps, now() - scene.startedAt);
    const answer = step === 'reply' ? answerOf(seen.api, REPLY, seen.isStreamed) : step;
    return playing(answer === 'reset' ? 'network-error' : answer)(request, response, body);
  });
  return {
    play(...steps) {
      const name = `scene-${scenes.size + 1}`;
      const requests: SeenRequest[] = [];
      scenes.set(name, { steps: [...steps], requests, startedAt: undefined });
      return { baseUrl: `${origin}/${name}`, requests };
    },
    close,
  };
}

function nextStep(steps: PlayedStep[], elapsedMs: number): Exclude<PlayedStep, LastingAnswer> {
  const [step = 'reply'] = steps;
  if (typeof step === 'object' && 'lastsMs' in step) {
    if (elapsedMs < step.lastsMs) return step.answer;
    steps.shift();
    return nextStep(steps, elapsedMs);
  }
  if (steps.length > 1) steps.shift();
  return step;
}

function hasKey({ headers }: IncomingMessage): boolean {
  return headers.authorization !== undefined || 'x-api-key' in headers || 'x-goog-api-key' in headers;
}
