import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { Cell } from '../../../bench/bad-day/score.ts';

const execute = promisify(execFile);
const program = fileURLToPath(new URL('../../../bench/bad-day/one-client.ts', import.meta.url));

async function run(trouble: string): Promise<readonly Cell[]> {
  const { stdout } = await execute(process.execPath, [program, 'undici-retry-agent.ts', '1', trouble]);
  return stdout
    .trim()
    .split('\n')
    .map((line): Cell => JSON.parse(line));
}

test('two runs with one seed send the same requests at the same moments, a minute of them in seconds', async () => {
  const startedAt = performance.now();
  const [first, second] = await Promise.all([run('bad-gateway'), run('bad-gateway')]);
  const lastMs = Math.max(...first.flatMap(({ requests }) => requests.map(({ atMs }) => atMs)));
  expect(performance.now() - startedAt).toBeLessThan(lastMs);
  expect(lastMs).toBeGreaterThan(30_000);
  expect(first.map(({ setting }) => setting)).toEqual(['defaults', 'best']);
  expect(second).toEqual(first);
});

test.each([
  ['--clients', 'axios'],
  ['--troubles', 'slowstart'],
])('%s with an unknown name is refused in one line that lists the known ones', async (option, name) => {
  const start = fileURLToPath(new URL('../../../bench/bad-day/run.ts', import.meta.url));
  const error: unknown = await execute(process.execPath, [start, option, name]).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 2, stderr: expect.stringContaining(`Expected ${option} to be of`) });
});
