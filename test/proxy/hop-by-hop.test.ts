import { expect, it } from 'vitest';
import { hopByHop } from '../../src/proxy/hop-by-hop.ts';

it('includes the headers of a connection', () => {
  const names = ['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'proxy-authorization'];
  expect(names.filter((name) => !hopByHop(undefined)(name))).toEqual([]);
  expect(['authorization', 'x-api-key', 'content-type', ''].filter(hopByHop(null))).toEqual(['']);
});

it('includes the headers that Connection names, in any spelling', () => {
  const isHopByHop = hopByHop('close, X-Trace ,, Foo');
  expect(['x-trace', 'foo', 'x-other'].map(isHopByHop)).toEqual([true, true, false]);
});
