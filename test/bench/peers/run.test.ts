import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const execute = promisify(execFile);
const program = (name: string): string => fileURLToPath(new URL(`../../../bench/peers/${name}.ts`, import.meta.url));

test('a subject is measured in its own process, and its row is one line', async () => {
  const env = { ...process.env, BENCH_QUICK: '1' };
  const { stdout } = await execute(process.execPath, [program('measure'), 'sockets', 'loop by hand'], { env });
  expect(JSON.parse(stdout)).toMatchObject({ version: '', cells: { mostOpen: { median: expect.any(Number) } } });
  const { cells } = JSON.parse(stdout);
  // Of 400 calls, 32 at a time: a loop that reads what it discards needs about two connections for each of the 32.
  expect(cells.connections.median).toBeGreaterThanOrEqual(32);
  expect(cells.connections.median).toBeLessThan(128);
  expect(cells.cpuRatio.quartiles.low).toBeGreaterThan(0);
});

test('a subject that does not support a scenario has no row', async () => {
  const { stdout } = await execute(process.execPath, [program('measure'), 'retry', 'bare fetch']);
  expect(stdout).toBe('null\n');
});

test.each([
  [['sucess'], 'There is no scenario "sucess"; there are success, retry, sleepers,'],
  [['--subject', 'kyy'], 'There is no subject "kyy"; there are bare fetch, loop by hand,'],
  [['--write', '--subject', 'ky'], 'Expected --write without --subject'],
  [['--wirte'], "Unknown option '--wirte'"],
])('%j is refused in one line that names the fix', async (args, line) => {
  const run = execute(process.execPath, [program('run'), ...args]);
  await expect(run).rejects.toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(line) });
  const { stderr } = await run.catch((error: { stderr: string }) => error);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
});
