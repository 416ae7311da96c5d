/** Renders the matrix as Markdown tables. */

import { type Cell, compare, hintsBeaten, modelRequests, type Outcome, type Way, WAYS } from './cell.ts';
import { type PlanName, plans } from './plans.ts';

export const LEGEND =
  'A cell: what the program ended with, how many requests it made of the model, and the seconds from start to end. ' +
  '✓ an answer, ✗ an error, ∅ nothing, presented as an answer, ✂ a part of an answer, ⧉ an answer with a part of it twice, ' +
  '⧗ no end in time. ⚡ *n* requests came earlier than a hint allowed. **+** better than alone, **−** worse.';

const MARK: Readonly<Record<Outcome, string>> = {
  answer: '✓',
  repeated: '⧉',
  cut: '✂',
  empty: '∅',
  error: '✗',
  late: '⧗',
};

const WAY_TITLE: Readonly<Record<Way, string>> = {
  alone: 'alone',
  proxy: 'proxy',
  'proxy-end': 'proxy with `--hold end`',
  fetch: "fetch with `retryOnly: 'model-requests'`, own retries on",
  'fetch-only': "fetch with the options of the SDK's page, own retries off",
  watched: 'the same, with `streamWatch`',
  'to-the-end': "the same, with `until: 'end'`",
};

/** One row for each program and way, one column for each plan. */
export function renderMatrix(cells: readonly Cell[]): string {
  const columns = plans.filter(({ name }) => cells.some(({ plan }) => plan === name));
  const rows = programsOf(cells).flatMap((program) =>
    WAYS.flatMap((way) => {
      const own = cells.filter((cell) => cell.program === program && cell.way === way);
      if (own.length === 0) return [];
      const texts = columns.map(({ name }) => {
        const cell = own.find(({ plan }) => plan === name);
        return cell === undefined ? '' : renderCell(cell, aloneOf(cell, cells));
      });
      return [`| ${[way === 'alone' ? program : '', WAY_TITLE[way], ...texts].join(' | ')} |`];
    }),
  );
  return [
    `| program | | ${columns.map(({ name }) => name).join(' | ')} |`,
    `| --- | --- | ${columns.map(() => '---').join(' | ')} |`,
    ...rows,
  ].join('\n');
}

function renderCell(cell: Cell, alone: Cell | undefined): string {
  const beaten = hintsBeaten(cell);
  const parts = [MARK[cell.outcome], String(modelRequests(cell)), `${Math.round(cell.tookMs / 1000)}s`];
  if (beaten > 0) parts.push(`⚡${beaten}`);
  const sign = cell.way === 'alone' || alone === undefined ? 0 : compare(cell, alone);
  if (sign !== 0) parts.push(sign > 0 ? '**+**' : '**−**');
  return parts.join(' ');
}

/** One row for each program, each cell alone and in one way: short enough for a page. */
export function renderPairs(cells: readonly Cell[], way: Way): string {
  const columns = plans.filter(({ name }) => cells.some((cell) => cell.plan === name && cell.way === way));
  const rows = programsOf(cells.filter((cell) => cell.way === way)).map((program) => {
    const texts = columns.map(({ name }) => {
      const cell = cells.find((each) => each.program === program && each.plan === name && each.way === way);
      const alone = cell && aloneOf(cell, cells);
      return cell === undefined || alone === undefined ? '' : renderPair(alone, cell);
    });
    return `| ${[program, ...texts].join(' | ')} |`;
  });
  return [
    `| | ${columns.map(({ name }) => name).join(' | ')} |`,
    `| --- | ${columns.map(() => '---').join(' | ')} |`,
    ...rows,
  ].join('\n');
}

/** One row for each program that has all the ways; each cell in the order of the ways. */
export function renderChains(cells: readonly Cell[], columns: readonly PlanName[], ways: readonly Way[]): string {
  const rows = programsOf(cells).flatMap((program) => {
    const texts = columns.map((plan) => {
      const chain = ways.map((way) => cells.find((c) => c.program === program && c.plan === plan && c.way === way));
      return chain.every((cell) => cell !== undefined) ? chain.map(renderShort).join(' → ') : '';
    });
    return texts.every((text) => text === '') ? [] : [`| ${[program, ...texts].join(' | ')} |`];
  });
  return [`| | ${columns.join(' | ')} |`, `| --- | ${columns.map(() => '---').join(' | ')} |`, ...rows].join('\n');
}

function renderPair(alone: Cell, cell: Cell): string {
  const sign = compare(cell, alone);
  const pair = `${renderShort(alone)} → ${renderShort(cell)}`;
  return sign > 0 ? `**${pair}**` : sign < 0 ? `${pair} **−**` : pair;
}

function renderShort(cell: Cell): string {
  return `${MARK[cell.outcome]}${modelRequests(cell)}${hintsBeaten(cell) > 0 ? '⚡' : ''}`;
}

/** The effect of each way compared with alone, over the cells that both have. */
export function renderSummary(cells: readonly Cell[]): string {
  const rows = WAYS.flatMap((way) => {
    const own = cells.filter((cell) => cell.way === way);
    const pairs = own.flatMap((cell) => {
      const alone = aloneOf(cell, cells);
      return alone === undefined ? [] : [{ cell, alone, sign: compare(cell, alone) }];
    });
    if (pairs.length === 0) return [];
    const answered = pairs.filter(({ cell }) => cell.outcome === 'answer').length;
    const beaten = pairs.filter(({ cell }) => hintsBeaten(cell) > 0).length;
    const outage = pairs.filter(({ cell }) => cell.plan === 'down-120');
    const sent = outage.reduce((sum, { cell }) => sum + modelRequests(cell), 0);
    const sentAlone = outage.reduce((sum, { alone }) => sum + modelRequests(alone), 0);
    return [
      `| ${[
        WAY_TITLE[way],
        pairs.length,
        answered,
        way === 'alone' ? '' : pairs.filter(({ sign }) => sign > 0).length,
        way === 'alone' ? '' : pairs.filter(({ sign }) => sign < 0).length,
        beaten,
        way === 'alone' || sentAlone === 0 ? '' : (sent / sentAlone).toFixed(2),
      ].join(' | ')} |`,
    ];
  });
  return [
    '| way | cells | answered | better than alone | worse than alone | cells with ⚡ | requests in `down-120`, as a multiple of alone |',
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: |',
    ...rows,
  ].join('\n');
}

/** A program is named on the page if an outage costs it more than this many times the requests of alone. */
const NAMED_ABOVE = 1.2;

/**
 * The programs that send more requests than alone in an outage of two minutes; those with the same end share a line.
 */
export function renderOutage(cells: readonly Cell[], way: Way): string {
  const programs = new Map<string, readonly string[]>();
  for (const cell of cells.filter((each) => each.plan === 'down-120' && each.way === way)) {
    const alone = aloneOf(cell, cells);
    if (alone === undefined || modelRequests(cell) <= NAMED_ABOVE * modelRequests(alone)) continue;
    const pair = `${renderShort(alone)} → ${renderShort(cell)}`;
    programs.set(pair, [...(programs.get(pair) ?? []), cell.program]);
  }
  return programs.size === 0
    ? 'None.'
    : [...programs].map(([pair, names]) => `- ${pair}: ${names.join(', ')}`).join('\n');
}

/** Each cell that is worse than alone, with the text that the person saw. */
export function renderMinuses(cells: readonly Cell[]): string {
  const minuses = cells.flatMap((cell) => {
    const alone = aloneOf(cell, cells);
    if (alone === undefined || cell.way === 'alone' || compare(cell, alone) >= 0) return [];
    const seen = cell.seen.at(-1)?.text.replaceAll(/\s+/g, ' ').slice(0, 160) ?? '';
    return [
      `- ${cell.program}, ${cell.plan}, ${WAY_TITLE[cell.way]}: ${alone.outcome} alone, ${cell.outcome} here. ${seen}`,
    ];
  });
  return minuses.length === 0 ? 'None.' : minuses.join('\n');
}

function aloneOf({ program, plan }: Cell, cells: readonly Cell[]): Cell | undefined {
  return cells.find((cell) => cell.program === program && cell.plan === plan && cell.way === 'alone');
}

function programsOf(cells: readonly Cell[]): readonly string[] {
  return [...new Set(cells.map(({ program }) => program))];
}
