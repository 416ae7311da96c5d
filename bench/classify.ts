/**
 * Measures a classification against `JSON.parse` of the same bodies: `node bench/classify.ts`. Both read all
 * recordings; a body that is not JSON makes the parser throw. The median of 101 runs includes the effect of other work
 * on the machine; the minimum excludes it.
 */

import { fileURLToPath } from 'node:url';
import { bytesOf, type Recording } from '../mocks/recording.ts';
import { recordings } from '../mocks/recordings.ts';
import { classify } from '../src/classify/classify.ts';

/** The times of both, in microseconds per recording, and their ratio. */
export interface ClassifyCost {
  readonly parseUs: number;
  readonly classifyUs: number;
  readonly ratio: number;
}

interface Costs {
  readonly median: ClassifyCost;
  readonly minimum: ClassifyCost;
}

const NOW_MS = Date.UTC(2026, 10, 20);
const WARM_UP_RUNS = 100;

/** Measures `classify` over all recordings, with their headers as a record or as `Headers`. */
export function measureClassify(runs: number, headersOf: (headers: Record<string, string>) => HeadersOf): Costs {
  const all = Object.values(recordings);
  const bodies = all.map((recording) => new TextDecoder().decode(bytesOf(recording)));
  const outcomes = all.map((recording) => outcomeOf(recording, headersOf));
  const parse = (): void => bodies.forEach(tryParse);
  const read = (): void => outcomes.forEach((outcome) => void classify(outcome));
  const [parses, reads] = timesInTurn(parse, read, runs);
  const costAt = (index: number): ClassifyCost => {
    const parseUs = ((parses[index] ?? 0) * 1_000) / all.length;
    const classifyUs = ((reads[index] ?? 0) * 1_000) / all.length;
    return { parseUs, classifyUs, ratio: classifyUs / parseUs };
  };
  return { median: costAt(Math.floor(runs / 2)), minimum: costAt(0) };
}

type HeadersOf = Record<string, string> | Headers;

function outcomeOf(
  recording: Recording,
  headersOf: (headers: Record<string, string>) => HeadersOf,
): Parameters<typeof classify>[0] {
  const { status, headers } = recording.response;
  return { status, headers: headersOf({ ...headers }), body: bytesOf(recording), nowMs: NOW_MS };
}

function tryParse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Milliseconds of the processor for both, sorted. Measured in turn, so that other work on the machine slows both. */
function timesInTurn(one: () => void, other: () => void, runs: number): readonly [number[], number[]] {
  const times: [number[], number[]] = [[], []];
  for (let run = -WARM_UP_RUNS; run < runs; run += 1) {
    for (const [index, task] of [one, other].entries()) {
      const start = process.cpuUsage();
      task();
      const { user, system } = process.cpuUsage(start);
      if (run >= 0) times[index]?.push((user + system) / 1_000);
    }
  }
  for (const list of times) list.sort((shorter, longer) => shorter - longer);
  return times;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const shapes = {
    'a record': (headers: Record<string, string>) => headers,
    Headers: (headers: Record<string, string>) => new Headers(headers),
  };
  for (const [shape, headersOf] of Object.entries(shapes)) {
    for (const [what, { parseUs, classifyUs, ratio }] of Object.entries(measureClassify(101, headersOf))) {
      console.log(
        `headers as ${shape}, ${what}: classify ${classifyUs.toFixed(2)} µs a call, JSON.parse ${parseUs.toFixed(2)} µs, ratio ${ratio.toFixed(1)}`,
      );
    }
  }
}
