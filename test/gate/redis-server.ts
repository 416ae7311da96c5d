/** A Redis of the machine's own for one test file, and a client for it that is as small as the protocol allows. */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RedisPort } from '../../src/gate/redis.ts';
import { freePort } from '../serve.ts';

/** Whether there is a Redis on this machine. */
export const hasRedis: boolean = spawnSync('redis-server', ['--version']).status === 0;

export interface RedisServer {
  readonly port: number;
  stop(): Promise<void>;
}

export async function startRedis(port?: number, ...settings: readonly string[]): Promise<RedisServer> {
  const free = port ?? (await freePort());
  const folder = mkdtempSync(join(tmpdir(), 'retry-transport-redis-'));
  const child = spawn('redis-server', [
    '--port',
    String(free),
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--appendonly',
    'no',
    '--dir',
    folder,
    ...settings,
  ]);
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      if (chunk.includes('Ready to accept connections')) resolve();
    });
    child.once('exit', (code) => reject(new Error(`redis-server ended with ${code}.`)));
  });
  return {
    port: free,
    stop: async () => {
      await ended(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}

export interface RedisClient extends Required<RedisPort> {
  command(...words: readonly string[]): Promise<unknown>;
  /** How many commands were sent. */
  readonly sent: number;
  close(): void;
}

type Reply = (value: unknown) => void;

/** `onClose`: the connection is gone; what was open on it has been rejected. */
export async function connectRedis(port: number, onClose?: () => void): Promise<RedisClient> {
  const socket: Socket = connect(port, '127.0.0.1');
  const waiting: Reply[] = [];
  let unread = '';
  let sent = 0;
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  socket.once('close', () => {
    for (const reply of waiting.splice(0)) reply(new Error('The connection to Redis was closed.'));
    onClose?.();
  });
  socket.on('error', () => {});
  socket.setEncoding('latin1');
  socket.on('data', (chunk: string) => {
    unread += chunk;
    for (let parsed = parse(unread, 0); parsed !== null; parsed = parse(unread, 0)) {
      unread = unread.slice(parsed.end);
      waiting.shift()?.(parsed.value);
    }
  });
  const command = async (...words: readonly string[]): Promise<unknown> => {
    sent += 1;
    socket.write(
      [`*${words.length}\r\n`, ...words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`)].join(''),
    );
    const value = await new Promise((resolve) => waiting.push(resolve));
    if (value instanceof Error) throw value;
    return value;
  };
  return {
    command,
    eval: (script, keys, args) => command('EVAL', script, String(keys.length), ...keys, ...args),
    evalsha: (sha1, keys, args) => command('EVALSHA', sha1, String(keys.length), ...keys, ...args),
    get sent() {
      return sent;
    },
    close: () => socket.destroy(),
  };
}

interface Parsed {
  readonly value: unknown;
  readonly end: number;
}

/** One reply; null: there is more to come. */
function parse(text: string, start: number): Parsed | null {
  const line = text.indexOf('\r\n', start);
  if (line === -1) return null;
  const head = text.slice(start + 1, line);
  const end = line + 2;
  switch (text.charAt(start)) {
    case '+':
      return { value: head, end };
    case '-':
      return { value: new Error(head), end };
    case ':':
      return { value: Number(head), end };
    case '$': {
      const length = Number(head);
      if (length < 0) return { value: null, end };
      return text.length < end + length + 2 ? null : { value: text.slice(end, end + length), end: end + length + 2 };
    }
    default:
      return parseList(text, end, Number(head));
  }
}

function parseList(text: string, start: number, count: number): Parsed | null {
  const value: unknown[] = [];
  let end = start;
  for (let i = 0; i < count; i += 1) {
    const item = parse(text, end);
    if (item === null) return null;
    value.push(item.value);
    end = item.end;
  }
  return { value, end };
}
