import { expect, test } from 'vitest';
import { foreignFiles } from '../package-contents.ts';

test.each([
  'README.md',
  'LICENSE',
  'package.json',
  'dist/index.js',
  'dist/retry-after.js.map',
  'dist/src/hints/index.d.ts',
  'src/hints/index.ts',
  'mocks/README.md',
  'docs/sdks/openai.md',
  'examples/fleet.ts',
  'examples/proxy_client.py',
  'mocks/recordings/openai-429-tpm-6ms.json',
])('%s belongs into the package', (file) => {
  expect(foreignFiles([file])).toEqual([]);
});

test.each([
  '.npmrc',
  'test/loop/retry-loop.test.ts',
  'tools/sdks/package.json',
  'dist/index.test.js',
  'dist/bench/bench.d.ts',
  'src/config.json',
  'docs/images/chat-waiting-dark.png',
  'examples/chat-web/main.ts',
  'mocks/recordings/notes.txt',
  'node_modules/p-retry/index.js',
  'retry-transport-0.2.0.tgz',
  '.ci/run',
])('%s does not belong into the package', (file) => {
  expect(foreignFiles(['src/index.ts', file])).toEqual([file]);
});
