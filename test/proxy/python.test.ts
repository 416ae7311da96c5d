import { execFile, execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, expect, it } from 'vitest';
import { type DemoServer, startDemoServer } from '../../src/cli/demo/demo-server.ts';
import { scenarioOf } from '../../src/cli/demo/scenarios.ts';
import { endEach, startFor } from './talk.ts';

endEach();

const PROGRAM = fileURLToPath(new URL('../../examples/proxy_client.py', import.meta.url));

let server: DemoServer | undefined;
afterEach(() => server?.close());

function hasPython(): boolean {
  try {
    execFileSync('python3', ['-c', 'import sys; assert sys.version_info >= (3, 9)'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

it.runIf(hasPython())(
  'the example in Python prints its answer in spite of the failures',
  { timeout: 20_000 },
  async () => {
    const { steps, config } = scenarioOf('overload', 400);
    server = await startDemoServer(steps, { tokenIntervalMs: 1 });
    const proxy = await startFor({ target: new URL(server.url).origin, retry: config });
    const env = { ...process.env, ANTHROPIC_BASE_URL: proxy.url, no_proxy: '*' };
    const { stdout } = await promisify(execFile)('python3', [PROGRAM], { env });
    expect(stdout).toMatch(/^An overloaded server asks for one\nthing: time\.[^]*and the answer came only once\.\n$/);
    expect(server.requests).toBe(5);
  },
);
