import { expect, test } from 'vitest';
import type { Cell, Way } from '../cell.ts';
import { renderChains, renderOutage } from '../table.ts';

function cellOf(program: string, way: Way, requests: number): Cell {
  const request = { atMs: 0, method: 'POST', path: '/', api: 'chat', conversation: 'c', answered: 'reset' } as const;
  const sent = Array.from({ length: requests }, () => request);
  return { program, plan: 'down-120', way, outcome: 'error', tookMs: 1, requests: sent, seen: [] };
}

test('the table names the programs that send more than a fifth more in an outage, and no others', () => {
  const sent: readonly (readonly [program: string, alone: number, proxy: number])[] = [
    ['one', 3, 4],
    ['two', 10, 12],
    ['three', 3, 4],
    ['four', 1, 4],
  ];
  const cells = sent.flatMap(([name, alone, proxy]) => [cellOf(name, 'alone', alone), cellOf(name, 'proxy', proxy)]);
  expect(renderOutage(cells, 'proxy')).toBe('- ✗3 → ✗4: one, three\n- ✗1 → ✗4: four');
});

test('a chain shows a program in several ways, and leaves out one that lacks a way', () => {
  const ways = ['alone', 'watched', 'to-the-end'] as const;
  const cells = [...ways.map((way, index) => cellOf('one', way, index + 1)), cellOf('two', 'alone', 1)];
  expect(renderChains(cells, ['down-120'], ways)).toBe('| | down-120 |\n| --- | --- |\n| one | ✗1 → ✗2 → ✗3 |');
});
