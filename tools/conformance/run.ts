/**
 * Compares the observations of each fetch with those of `createRetryFetch()` around it, and of a watch over its
 * responses. Fails for a difference that is not known, and for a known one that no longer occurs.
 */

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { build } from 'esbuild';
import { launchChromium, whyNotHere } from '../browser/chromium.ts';
import { KNOWN_DIFFERENCES } from './known-differences.ts';
import { freePort } from '../../test/serve.ts';
import { startServer } from './server.ts';

const WAYS = ['retries', 'no retries', 'watched'] as const;
type Way = (typeof WAYS)[number];
type Outcomes = Readonly<Record<string, Readonly<Partial<Record<'bare' | Way, unknown>>>>>;

const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const binary = (name: string): string => pathOf(`../runtimes/node_modules/.bin/${name}`);
const otherNode = (major: number): string =>
  pathOf(`../runtimes/node_modules/node-${major}-${process.platform}-${process.arch}/bin/node`);
const observe = pathOf('observe.ts');

const SUBJECTS: readonly (readonly [name: string, file: string, args: readonly string[], fetch: string])[] = [
  ['global fetch', process.execPath, [observe], 'global'],
  ['Node 22', otherNode(22), [observe], 'global'],
  ['Node 24', otherNode(24), [observe], 'global'],
  ['undici', process.execPath, [observe], 'undici'],
  ['node-fetch', process.execPath, [observe], 'node-fetch'],
  ['Deno', binary('deno'), ['run', '--no-prompt', '--no-remote', '--node-modules-dir=manual', '-A', observe], 'global'],
  ['Bun', binary('bun'), ['--no-install', observe], 'global'],
];

function run(file: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, DENO_NO_UPDATE_CHECK: '1' },
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve(output) : reject(new Error(`${file} ended with ${code}.`))));
  });
}

/** Makes the observations in a page, and returns them as JSON. */
async function runInChromium(origin: string, refusedUrl: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [pathOf('observe-page.ts')],
    bundle: true,
    format: 'iife',
    platform: 'browser',
    write: false,
  });
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    await page.goto(`${origin}/page`);
    await page.addScriptTag({ content: outputFiles[0]?.text ?? '' });
    return await page.evaluate(`observe(${JSON.stringify(refusedUrl)}).then(JSON.stringify)`);
  } finally {
    await browser.close();
  }
}

const server = await startServer();
const refusedUrl = `http://127.0.0.1:${await freePort()}/`;
const failures: string[] = [];
const used = new Set<unknown>();
const compared = new Set<string>();

for (const [subject, file, args, fetch] of SUBJECTS) {
  if (existsSync(file)) compare(subject, await run(file, [...args, server.origin, refusedUrl, fetch]));
  else console.log(`${subject}: left out, it is not installed (npm ci --prefix tools/runtimes)`);
}
if (whyNotHere === undefined) compare('Chromium', await runInChromium(server.origin, refusedUrl));
else console.log(`Chromium: left out. ${whyNotHere}`);

function compare(subject: string, printed: string): void {
  compared.add(subject);
  const seen: Outcomes = JSON.parse(printed);
  const counts = { same: 0, known: 0, different: 0 };
  for (const [observation, outcomes] of Object.entries(seen)) {
    for (const way of WAYS.filter((each) => each in outcomes)) {
      if (isDeepStrictEqual(outcomes[way], outcomes.bare)) {
        counts.same += 1;
        continue;
      }
      const known = KNOWN_DIFFERENCES.find(
        ({ subjects, observation: title, only }) =>
          title === observation &&
          (subjects === undefined || subjects.includes(subject)) &&
          (only === undefined || only === way),
      );
      if (known !== undefined) {
        used.add(known);
        counts.known += 1;
        continue;
      }
      counts.different += 1;
      failures.push(
        `${subject}, ${way}: ${observation}\n  bare: ${JSON.stringify(outcomes.bare)}\n  ours: ${JSON.stringify(outcomes[way])}`,
      );
    }
  }
  console.log(`${subject}: ${counts.same} the same, ${counts.known} known differences, ${counts.different} others`);
}
await server.close();
for (const known of KNOWN_DIFFERENCES)
  if (!used.has(known) && (known.subjects ?? [...compared]).some((subject) => compared.has(subject)))
    failures.push(`No longer a difference, so it leaves the list: ${known.observation}`);
for (const failure of failures) console.error(failure);
process.exitCode = failures.length === 0 ? 0 : 1;
