import { type ChildProcess, spawn, spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ErrorRegistry, readJournal } from '../../src/report/index.ts';
import { times } from '../thorough.ts';
import { contentsOf, SECRET, temporaryDirectory, temporaryFile } from './samples.ts';

let directoryOfProgram: string;
let program: string;

// One file of JavaScript starts three times as fast as the sources do.
beforeAll(async () => {
  directoryOfProgram = mkdtempSync(join(tmpdir(), 'retry-transport-'));
  program = join(directoryOfProgram, 'survival-child.mjs');
  const entryPoint = fileURLToPath(new URL('./survival-child.ts', import.meta.url));
  await build({ entryPoints: [entryPoint], outfile: program, bundle: true, format: 'esm', platform: 'node' });
});

afterAll(() => rmSync(directoryOfProgram, { recursive: true, force: true }));

/** The output of a child at its end. With a delay it is killed that long after its first output. */
function listen(
  child: ChildProcess,
  killAfterMs?: number,
): Promise<{ said: readonly string[]; signal: NodeJS.Signals | null }> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    child.stdout?.on('data', (chunk: Buffer) => {
      if (chunks.push(chunk) === 1 && killAfterMs !== undefined) setTimeout(() => child.kill('SIGKILL'), killAfterMs);
    });
    child.on('error', reject);
    child.on('close', (_, signal) => {
      const text = Buffer.concat(chunks).toString();
      // What was being said when it was killed has no end.
      resolve({
        said: text
          .slice(0, text.lastIndexOf('\n') + 1)
          .split('\n')
          .filter(Boolean),
        signal,
      });
    });
  });
}

function start(...options: readonly string[]): ChildProcess {
  return spawn(process.execPath, [program, ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
}

function expectNoSecret(directory: string): void {
  const secret = SECRET.slice(0, 12);
  for (const [name, contents] of Object.entries(contentsOf(directory)))
    expect([name, contents.includes(secret)]).toEqual([name, false]);
}

/** Kills a writer `count` times, two at once, and returns what the writers had said was written. */
async function killWriters(mode: 'registry' | 'journal', path: string, count: number): Promise<readonly string[]> {
  const said: string[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) {
      const number = next;
      next += 1;
      const written = await listen(start(mode, path, `p${number}`, 'Infinity'), number % 7);
      expect(written.signal).toBe('SIGKILL');
      said.push(...written.said);
    }
  };
  await Promise.all([lane(), lane()]);
  return said;
}

const KILLS = times({ thorough: 20, otherwise: 5 });

describe(`after kill -9 during a write, ${KILLS} times`, () => {
  it('a registry has every report that was written, two processes at once', async () => {
    for (let killed = 0; killed < KILLS; killed += 10) {
      const path = temporaryFile();
      const said = await killWriters('registry', path, 10);
      const registry = new ErrorRegistry(path, { maxReports: 100_000 });
      const listed = registry.list().map(({ callId }) => callId);
      expect(said.length).toBeGreaterThanOrEqual(10);
      expect(said.filter((id) => !listed.includes(id))).toEqual([]);
      expect(new Set(listed).size).toBe(listed.length);
      expectNoSecret(dirname(path));
    }
  });

  it('a journal has every attempt that was written, two processes at once, rotating', async () => {
    const path = temporaryFile();
    const said = await killWriters('journal', path, KILLS);
    const written = new Set(readJournal(path).runs.map(({ callId }) => callId));
    expect(said.length).toBeGreaterThanOrEqual(KILLS);
    expect(said.filter((id) => !written.has(id))).toEqual([]);
    expectNoSecret(dirname(path));
  });
});

it('two processes write 1,000 reports each to one registry that is renamed, and none that is kept is lost', async () => {
  const path = temporaryFile();
  const said = await Promise.all(['a', 'b'].map((name) => listen(start('ring', path, name, '1000'))));
  expect(said.map((writer) => writer.said.length)).toEqual([1_000, 1_000]);
  const listed = new ErrorRegistry(path).list().map(({ callId }) => callId);
  expect(listed).toHaveLength(100);
  const both = said.flatMap((writer) => writer.said.slice(-20));
  expect(both.some((id) => listed.includes(id))).toBe(true);
  expect(['file.ndjson', 'file.ndjson.1']).toEqual(expect.arrayContaining(Object.keys(contentsOf(dirname(path)))));
  expectNoSecret(dirname(path));
});

const runOn = (disk: readonly string[], directory: string, ...command: readonly string[]): SpawnSyncReturns<string> =>
  spawnSync(disk[0] ?? '', [...disk.slice(1), ...command], {
    encoding: 'utf8',
    env: { ...process.env, DISK: directory },
  });

describe('on a full disk', () => {
  // Both run their arguments with a disk that is too small for the child's output. The mount is in its own namespace
  // and ends with it, if mounting is allowed; the limit on the size of a file is always allowed.
  const limited = ['sh', '-c', 'ulimit -f 100 && exec "$@"', 'sh'];
  const mounted = ['unshare', '-rm', 'sh', '-c', 'mount -t tmpfs -o size=2m none "$DISK" && exec "$@"', 'sh'];
  const isMountable = runOn(mounted, tmpdir(), 'true').status === 0;

  it.each([
    ['a limit', limited, 'limit'],
    ...(isMountable ? [['a small disk', mounted, 'ballast'] as const] : []),
  ] as const)('a listener breaks nothing, and no report is lost (%s)', (_, disk, mode) => {
    const directory = temporaryDirectory();
    const path = join(directory, 'file.ndjson');
    const { status, stdout } = runOn(disk, directory, process.execPath, program, 'disk', path, mode, '200');
    expect(status).toBe(0);
    const counts: Record<string, number> = JSON.parse(stdout);
    expect(counts).toMatchObject({ listed: 200, listedAfter: 201, ...(mode === 'ballast' && { waitingAfter: 0 }) });
    expect(counts['errors']).toBeGreaterThan(0);
    expect(counts['waiting']).toBeGreaterThan(0);
    expectNoSecret(directory);
  });
});

describe('a FIFO without a reader', () => {
  it.each([
    ['in place of the file is refused', '', { journal: 'is refused', listed: 'is refused', waits: true }],
    ['in place of an older file is refused', '.1', { journal: 'is refused', listed: 'is refused', waits: false }],
  ])('does not hang the journal: one %s', (_, suffix, { journal, listed, waits }) => {
    const path = join(temporaryDirectory(), 'file.ndjson');
    const fifo = `${path}${suffix}`;
    expect(spawnSync('mkfifo', [fifo]).status).toBe(0);
    const { signal, stdout } = spawnSync(process.execPath, [program, 'everything', path], {
      encoding: 'utf8',
      timeout: 60_000,
    });
    expect(signal).toBeNull();
    const refused = expect.stringMatching(/regular file|ENXIO/);
    const steps: unknown = JSON.parse(stdout);
    expect(steps).toMatchObject({
      journal: journal === 'is refused' ? refused : journal,
      listed: listed === 'is refused' ? refused : listed,
    });
    expect(steps).toHaveProperty('errors', waits ? expect.arrayContaining([refused]) : []);
    expect(statSync(fifo).isFIFO()).toBe(true);
  });
});
