import { execFile, execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { endEach, startBoth, TROUBLED } from './talk.ts';

endEach();

const PROGRAM = fileURLToPath(new URL('../../examples/proxy_client.py', import.meta.url));

function hasPython(): boolean {
  try {
    execFileSync('python3', ['-c', 'import sys; assert sys.version_info >= (3, 9)'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

it.runIf(hasPython())('the example in Python prints its answer in spite of the failures', async () => {
  const { proxy, target } = await startBoth(TROUBLED, { retry: { maxRetries: 4 } });
  const env = { ...process.env, ANTHROPIC_BASE_URL: proxy.url, no_proxy: '*' };
  const { stdout } = await promisify(execFile)('python3', [PROGRAM], { env });
  expect(stdout).toBe('The answer came only once.\n');
  expect(target.counts.requests).toBe(5);
});
