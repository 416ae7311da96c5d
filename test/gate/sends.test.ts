import { expect, test } from 'vitest';
import { Sends } from '../../src/gate/sends.ts';

test('each request knows all that was sent up to it', () => {
  const sends = new Sends();
  expect([sends.add(10), sends.add(0), sends.total]).toEqual([
    { requests: 1, tokens: 10 },
    { requests: 2, tokens: 10 },
    { requests: 2, tokens: 10 },
  ]);
});
