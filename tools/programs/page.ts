/** The measured parts of docs/programs.md: between `<!-- name -->` and `<!-- /name -->`. */

import { agents } from './agents/index.ts';
import type { Cell } from './cell.ts';
import { plans } from './plans.ts';
import { renderMinuses, renderOutage, renderPairs, renderSummary } from './table.ts';

export const PAGE: URL = new URL('../../docs/programs.md', import.meta.url);

/** Throws if the page lacks one of the parts. */
export function fillPage(page: string, cells: readonly Cell[]): string {
  const agentNames = new Set(agents.map(({ name }) => name));
  const ofAgents = cells.filter(({ program }) => agentNames.has(program));
  const ofLibraries = cells.filter(({ program }) => !agentNames.has(program));
  const parts: Readonly<Record<string, string>> = {
    plans: renderPlans(cells),
    'agents-summary': renderSummary(ofAgents),
    agents: renderPairs(ofAgents, 'proxy'),
    'agents-worse': renderMinuses(ofAgents),
    'agents-outage': renderOutage(ofAgents, 'proxy'),
    'libraries-summary': renderSummary(ofLibraries),
    libraries: renderPairs(ofLibraries, 'fetch-only'),
    'libraries-worse': renderMinuses(ofLibraries),
    'libraries-outage': renderOutage(ofLibraries, 'fetch-only'),
  };
  return Object.entries(parts).reduce((filled, [name, content]) => fillPart(filled, name, content), page);
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
