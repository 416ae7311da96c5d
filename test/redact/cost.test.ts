import { describe, expect, test } from 'vitest';
import { redact, secretsOf } from '../../src/redact/redact.ts';
import { createRetryFetch } from '../../src/index.ts';
import { expectLinearTime } from '../linear-time.ts';
import { fakeRuntime } from '../script.ts';

/** Values of headers that a server may set as a cookie, of a given length. */
const VALUES: Readonly<Record<string, (length: number) => string>> = {
  'no equals sign': (length) => 'a1'.repeat(length / 2),
  'one cookie': (length) => `sid=${'z9y'.repeat(length / 3)}`,
  'many cookies': (length) => filled(length, (index) => `c${index}=value-${index};`),
  'many short cookies': (length) => filled(length, (index) => `${index.toString(36)}=${100_000 + index};`),
  'equals signs': (length) => '='.repeat(length),
  'names without values': (length) => 'a='.repeat(length / 2),
  'open quotes': (length) => 'a="'.repeat(length / 3),
  colons: (length) => ':'.repeat(length),
  'percent escapes': (length) => '%4A'.repeat(length / 3),
  'escapes of HTML': (length) => '&amp;'.repeat(length / 5),
  'an open text in JSON': (length) => `["${String.raw`\"`.repeat(length / 2)}`,
};

function filled(length: number, part: (index: number) => string): string {
  let text = '';
  for (let index = 0; text.length < length; index += 1) text += part(index);
  return text;
}

const BODY = JSON.stringify({ error: { type: 'api_error', message: `${'It did not work. '.repeat(100)}Sorry` } });

describe.each(Object.entries(VALUES))('a header of 64 KiB with %s', (_what, make) => {
  test.each(['cookie', 'x-session'])('is read and searched for in linear time: %s', (name) => {
    const headers: Readonly<Record<number, Readonly<Record<string, string>>>> = {
      4_096: { [name]: make(4_096) },
      65_536: { [name]: make(65_536) },
    };
    expectLinearTime((length) => void redact(BODY, secretsOf({ headers: headers[length] ?? {} })), {
      short: 4_096,
      long: 65_536,
    });
  });

  // A quarter of that on a quiet machine. Other programs take the caches from it, so one call of many has to be as fast.
  test('costs a failed call no more than 40 ms of the processor', async () => {
    const value = make(65_536);
    const fail = createRetryFetch({
      fetch: async () => new Response(BODY, { status: 500 }),
      maxRetries: 1,
      onEvent: () => undefined,
      runtime: fakeRuntime(),
    });
    const costOf = async (headers: Record<string, string>): Promise<number> => {
      const start = process.cpuUsage();
      await (await fail('https://api.example.com/v1', { headers })).text();
      const { user, system } = process.cpuUsage(start);
      return (user + system) / 1_000;
    };
    let [without, withValue] = [Infinity, Infinity];
    for (let round = 0; round < 9 || (round < 100 && withValue - without >= 40); round += 1) {
      without = Math.min(without, await costOf({}));
      withValue = Math.min(withValue, await costOf({ cookie: value }));
    }
    expect(withValue - without).toBeLessThan(40);
  });
});
