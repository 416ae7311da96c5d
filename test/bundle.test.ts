import { describe, expect, test } from 'vitest';
import { bundleOf } from '../scripts/size.ts';

describe('a program that uses only createRetryFetch', () => {
  const bundle = bundleOf('createRetryFetch');

  test('brings no gate', async () => {
    const { files } = await bundle;
    // The error class of a gate's refusals is what the loop throws.
    const gate = [...files.keys()].filter((path) => path.startsWith('src/gate/'));
    expect(gate.filter((path) => path !== 'src/route/gate-refused-error.ts')).toEqual([]);
  });

  test('brings no chain and no key rotation', async () => {
    const { files } = await bundle;
    expect([...files.keys()]).not.toContain('src/fallback/create-fallback.ts');
    expect([...files.keys()]).not.toContain('src/fallback/key-rotation.ts');
  });

  test('brings no controller', async () => {
    const { files } = await bundle;
    expect([...files.keys()]).not.toContain('src/events/controller.ts');
  });

  test('brings no preset and no other way of calling', async () => {
    const { files } = await bundle;
    const others = ['policy/presets', 'policy/fleet', 'with-retry', 'retry-transport', 'fetch-transport'];
    expect(others.filter((name) => files.has(`src/${name}.ts`))).toEqual([]);
  });
});
