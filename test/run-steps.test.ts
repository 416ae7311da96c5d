import { afterEach, expect, test, vi } from 'vitest';
import { runSteps } from '../scripts/run-steps.ts';

afterEach(() => {
  process.exitCode = undefined;
});

test('a step gets the variables that its check has set', async () => {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {});
  vi.stubEnv('CASES_OF_TEST', '500');
  await runSteps('check', [{ name: 'step', command: `node -e "process.exit(process.env.CASES_OF_TEST - 500)"` }]);
  expect(log.mock.lastCall?.[0]).toMatch(/^check passed/);
});
