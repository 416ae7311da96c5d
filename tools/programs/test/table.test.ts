import { expect, test } from 'vitest';
import type { Cell, Way } from '../cell.ts';
import { renderOutage } from '../table.ts';

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
