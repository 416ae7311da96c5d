import { describe, expect, test } from 'vitest';
import { bundleOf } from '../scripts/size.ts';

describe('a program that uses only createRetryFetch', () => {
  const bundle = bundleOf('createRetryFetch');

  test('includes no gate, no fallback chain and no key rotation', async () => {
    const { files } = await bundle;
    // A gate or a chain that is passed brings its route.
    const own = ['src/gate/gate-refused-error.ts', 'src/gate/open-gate.ts', 'src/route/open-route.ts'];
    const parts = [...files.keys()].filter((path) => /^src\/(?:gate|route)\//.test(path));
    expect(parts.filter((path) => !own.includes(path))).toEqual([]);
  });

  test('includes no controller', async () => {
    const { files } = await bundle;
    expect([...files.keys()]).not.toContain('src/events/controller.ts');
  });

  test('includes no preset and no other entry point', async () => {
    const { files } = await bundle;
    const others = ['options/presets', 'gate/fleet', 'with-retry', 'retry-transport', 'fetch-transport'];
    expect(others.filter((name) => files.has(`src/${name}.ts`))).toEqual([]);
  });
});
