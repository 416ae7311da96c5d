import { expect, test, vi } from 'vitest';
import { asyncContext } from '../../src/runtime/async-context.ts';

test('a value follows a call through its promises, and calls at the same time have their own', async () => {
  const context = asyncContext<string>();
  const seen = async (value: string): Promise<string | undefined> =>
    context?.run(value, async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return context.getStore();
    });
  expect(await Promise.all([seen('one'), seen('two')])).toEqual(['one', 'two']);
  expect(context?.getStore()).toBeUndefined();
});

test('where the runtime has none, there is none', () => {
  vi.stubGlobal('process', {});
  expect(asyncContext()).toBeUndefined();
  vi.stubGlobal('process', undefined);
  expect(asyncContext()).toBeUndefined();
});

test('a sandbox that refuses the question is answered with none', () => {
  vi.stubGlobal('process', {
    getBuiltinModule: () => {
      throw new Error('not in this sandbox');
    },
  });
  expect(asyncContext()).toBeUndefined();
});
