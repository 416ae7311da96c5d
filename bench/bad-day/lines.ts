/** Results as lines of text: the figures of each cell, or all its requests. */

import { troubles } from './troubles.ts';
import { type Cell, scoreOf } from './score.ts';

const percent = (share: number): string => `${(share * 100).toFixed(0)} %`;

/** One line for each client, setting and trouble. */
export function scoreLines(cells: readonly Cell[]): readonly string[] {
  const groups = Map.groupBy(cells, ({ client, setting, trouble }) => `${trouble} | ${client}, ${setting}`);
  return [...groups]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([name, group]) => {
      const score = scoreOf(group, troubles.get(group[0]?.trouble ?? '')?.endsWellWith ?? 'answer');
      const { wrong, shownTwice, early, afterPermanent, toolsTwice } = score;
      const harm = Object.entries({ wrong, shownTwice, early, afterPermanent, toolsTwice });
      const times = `p50 ${score.p50Ms ?? '∞'} ms, p99 ${score.p99Ms ?? '∞'} ms`;
      const found = harm.filter(([, count]) => count > 0).map(([kind, count]) => `${kind} ${count}`);
      return `${name}: ${percent(score.endedWell)} ended well, ${percent(score.answered)} answered, ${score.requestsPerCall.toFixed(2)} requests, ${times} ${found.join(', ')}`;
    });
}

/** Any run of white space, line breaks among it, as one space. */
const onOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** One line for each request, and one for the end of each call. */
export function logLines(cells: readonly Cell[]): readonly string[] {
  return cells.flatMap(({ client, setting, trouble, seed, calls, requests }) => [
    `${trouble} | ${client}, ${setting} | seed ${seed}`,
    ...calls.flatMap(({ call, kind, end, tookMs, message }) => [
      ...requests
        .filter((request) => request.call === call)
        .map(({ nth, atMs, answered, hintMs, earlyByMs }) => {
          const hint = hintMs === undefined ? '' : `, asks to wait ${hintMs / 1_000} s`;
          const early = earlyByMs === undefined ? '' : `, ${(earlyByMs / 1_000).toFixed(1)} s too early`;
          return `  call ${call} request ${nth} at ${(atMs / 1_000).toFixed(1)} s: ${answered}${hint}${early}`;
        }),
      `  call ${call} (${kind}): ${end} after ${(tookMs / 1_000).toFixed(1)} s${message === undefined ? '' : ` — ${onOneLine(message)}`}`,
    ]),
  ]);
}
