/** Runs one cell of an agent in its own process group with an empty home, and ends all processes that it started. */

import { spawn, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Agent, Place } from './agents/agent.ts';
import { type Cell, type Line, type Outcome, throughProxy, type Way } from './cell.ts';
import { installedFolder } from './install.ts';
import { isolationEnvironment } from './isolation.ts';
import type { Plan } from './plans.ts';
import { startPlayedServer } from './played-server.ts';
import { optionsFor, startProxyProcess } from './proxy-process.ts';
import type { RunOptions } from './slots.ts';

/** How long an agent may take until its first request, on a busy machine. */
const START_MS = 120_000;
/** How much longer than the plan's cost a cell may take from there. */
const GRACE_MS = 30_000;
const MOST_LINES = 60;

export async function runAgent(
  agent: Agent,
  plan: Plan,
  way: Way,
  { proxyCommand, starting }: RunOptions,
): Promise<Cell> {
  const root = await mkdtemp(join(tmpdir(), `programs-${agent.name}-`));
  const server = await startPlayedServer(plan);
  const free = await starting.take();
  const proxy = throughProxy(way) ? await startProxyProcess(server.origin, optionsFor(way, proxyCommand)) : undefined;
  try {
    const place = await prepare(root, proxy?.origin ?? server.origin);
    const execution = execute(agent, place, plan.costMs + GRACE_MS, server.firstAsked).finally(free);
    server.firstAsked.then(free, free);
    const { lines, exitCode, tookMs } = await execution;
    return {
      program: agent.name,
      plan: plan.name,
      way,
      outcome: readOutcome(lines, exitCode),
      tookMs,
      requests: [...server.requests],
      seen: lines.slice(-MOST_LINES).map(({ atMs, text }) => ({ atMs, text: text.slice(0, 400) })),
      exitCode: exitCode === 'late' ? null : exitCode,
    };
  } finally {
    await proxy?.stop();
    await server.close();
    await rm(root, { recursive: true, force: true, maxRetries: 3 });
  }
}

interface Output extends Line {
  readonly isError: boolean;
}

interface Execution {
  readonly lines: readonly Output[];
  readonly exitCode: number | null | 'late';
  readonly tookMs: number;
}

/** Creates a home, and a repository with one commit and one staged change. */
async function prepare(root: string, baseUrl: string): Promise<Place> {
  const [home, work] = [join(root, 'home'), join(root, 'work')];
  await mkdir(home);
  await mkdir(work);
  const git = (...args: readonly string[]) =>
    spawnSync('git', args, {
      cwd: work,
      env: { ...baseEnvironment(home) },
    });
  git('init', '--quiet', '--initial-branch=main');
  await writeFile(join(work, 'greeting.txt'), 'Good morning.\n');
  git('add', '.');
  git('commit', '--quiet', '--message=A greeting');
  await writeFile(join(work, 'greeting.txt'), 'Good evening.\n');
  git('add', '.');
  return { baseUrl, home, work };
}

async function execute(agent: Agent, place: Place, limitMs: number, firstAsked: Promise<void>): Promise<Execution> {
  const { args, env, files = {} } = agent.start(place);
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(place.home, path)), { recursive: true });
    await writeFile(join(place.home, path), content);
  }
  const bin = join(installedFolder(agent), agent.bin);
  const { runner = [] } = agent;
  const [command = bin, ...rest] = [
    ...(runner === 'node' ? [process.execPath] : runner.map((part) => join(installedFolder(agent), part))),
    bin,
    ...args,
  ];
  const startedAt = performance.now();
  const child = spawn(command, rest, {
    cwd: place.work,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...baseEnvironment(place.home), ...isolationEnvironment(), ...env },
  });
  const lines: Output[] = [];
  const listen = (isError: boolean) => (chunk: Buffer) => {
    const atMs = Math.round(performance.now() - startedAt);
    for (const text of stripVTControlCharacters(chunk.toString()).split(/[\r\n]+/)) {
      if (text.trim() !== '') lines.push({ atMs, text, isError });
    }
  };
  child.stdout.on('data', listen(false));
  child.stderr.on('data', listen(true));
  const exitCode = await new Promise<Execution['exitCode']>((resolve, reject) => {
    let timer = setTimeout(() => resolve('late'), START_MS);
    let hasEnded = false;
    void firstAsked.then(() => {
      clearTimeout(timer);
      if (!hasEnded) timer = setTimeout(() => resolve('late'), limitMs);
    });
    child.on('error', reject);
    // A child of the agent may hold the pipes open, so that `close` may never come.
    child.on('exit', (code) => {
      hasEnded = true;
      clearTimeout(timer);
      setTimeout(() => resolve(code), 100);
    });
  });
  if (child.pid !== undefined) endGroup(child.pid);
  return { lines, exitCode, tookMs: Math.round(performance.now() - startedAt) };
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All processes have already ended.
  }
}

/** The environment of every program: nothing personal except the path to the system's commands. */
function baseEnvironment(home: string): Readonly<Record<string, string>> {
  return {
    PATH: [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin', '/sbin'].join(delimiter),
    HOME: home,
    TMPDIR: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_DATA_HOME: join(home, '.local/share'),
    XDG_CACHE_HOME: join(home, '.cache'),
    XDG_STATE_HOME: join(home, '.local/state'),
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    NO_COLOR: '1',
    GIT_AUTHOR_NAME: 'A',
    GIT_AUTHOR_EMAIL: 'a@example.com',
    GIT_COMMITTER_NAME: 'A',
    GIT_COMMITTER_EMAIL: 'a@example.com',
    DO_NOT_TRACK: '1',
    DISABLE_TELEMETRY: '1',
    // Some programs ask npm for a newer version, and wait for its retries.
    NPM_CONFIG_OFFLINE: 'true',
  };
}

/** An agent that failed may still end with 0, and it prints more than the answer. */
function readOutcome(lines: readonly Output[], exitCode: Execution['exitCode']): Outcome {
  const printed = lines
    .filter(({ isError }) => !isError)
    .map(({ text }) => text)
    .join('\n');
  if (REPEATED.test(printed)) return 'repeated';
  if (ANSWERED.test(printed)) return 'answer';
  if (exitCode === 'late') return 'late';
  if (exitCode !== 0 || lines.some(({ text }) => COMPLAINT.test(text))) return 'error';
  return BEGUN.test(printed) ? 'cut' : 'empty';
}

const ANSWERED = /Hello,\s+world/;
const REPEATED = /Hello,\s*Hello,/;
const BEGUN = /Hello,/;
const COMPLAINT = /error|fail|overloaded|rate.?limit|quota|refused|reset|timed? ?out|exceeded/i;
