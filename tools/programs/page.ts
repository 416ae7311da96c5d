/** The measured parts of docs/programs.md: between `<!-- name -->` and `<!-- /name -->`. */

import { agents } from './agents/index.ts';
import type { Cell, Way } from './cell.ts';
import { type PlanName, plans } from './plans.ts';
import { renderChains, renderMinuses, renderOutage, renderPairs, renderSummary } from './table.ts';

export const PAGE: URL = new URL('../../docs/programs.md', import.meta.url);

/** A part without cells stays as it is. Throws if the page lacks one of the parts. */
export function fillPage(page: string, cells: readonly Cell[]): string {
  const agentNames = new Set(agents.map(({ name }) => name));
  const ofAgents = cells.filter(({ program }) => agentNames.has(program));
  const ofLibraries = cells.filter(({ program }) => !agentNames.has(program));
  const throughProxy = hasWay(ofAgents, 'proxy') ? ofAgents.filter(({ way }) => way !== 'proxy-end') : [];
  const parts: readonly (readonly [name: string, cells: readonly Cell[], render: (own: readonly Cell[]) => string])[] =
    [
      ['plans', ofLibraries, renderPlans],
      ['agents-summary', throughProxy, renderSummary],
      ['agents', throughProxy, (own) => renderPairs(own, 'proxy')],
      ['agents-worse', throughProxy, renderMinuses],
      ['agents-outage', throughProxy, (own) => renderOutage(own, 'proxy')],
      ['agents-end', hasWay(ofAgents, 'proxy-end') ? ofAgents : [], (own) => renderPairs(own, 'proxy-end')],
      ['libraries-summary', ofLibraries, renderSummary],
      ['libraries', ofLibraries, (own) => renderPairs(own, 'fetch-only')],
      ['libraries-worse', ofLibraries, renderMinuses],
      ['libraries-outage', ofLibraries, (own) => renderOutage(own, 'fetch-only')],
      [
        'libraries-streams',
        ofLibraries,
        (own) => renderChains(own, BROKEN_STREAMS, ['alone', 'watched', 'to-the-end']),
      ],
    ];
  return parts.reduce(
    (filled, [name, own, render]) => (own.length === 0 ? filled : fillPart(filled, name, render(own))),
    page,
  );
}

const BROKEN_STREAMS: readonly PlanName[] = ['reset-content', 'cut-content', 'stalled-content'];

function hasWay(cells: readonly Cell[], way: Way): boolean {
  return cells.some((cell) => cell.way === way);
}

function fillPart(page: string, name: string, content: string): string {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [beginsAt, endsAt] = [page.indexOf(begin), page.indexOf(end)];
  if (beginsAt === -1 || endsAt < beginsAt) throw new Error(`The page has no part between ${begin} and ${end}.`);
  return `${page.slice(0, beginsAt + begin.length)}\n${content}\n${page.slice(endsAt)}`;
}

function renderPlans(cells: readonly Cell[]): string {
  const rows = plans
    .filter(({ name }) => cells.some(({ plan }) => plan === name))
    .map(({ name, story }) => `| \`${name}\` | ${story} |`);
  return ['| plan | what the server does |', '| --- | --- |', ...rows].join('\n');
}
