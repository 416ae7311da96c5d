/**
 * Eight processes that share a limit over a real Redis, against one server that allows a number of requests per second
 * and says in `retry-after-ms` when the next one is. `node test/sockets/fleet-redis.ts` prints what the server counted;
 * `--kill` stops Redis in the middle and starts it again.
 */

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createRetryFetch, type GateEvent, presets, createGate } from '../../src/index.ts';
import { type RedisPort, redisStore } from '../../src/gate/redis.ts';
import { connectRedis, type RedisClient, type RedisServer, startRedis } from '../gate/redis-server.ts';
import { serve } from '../serve.ts';

export interface FleetOptions {
  readonly processes?: number;
  readonly callsEach?: number;
  /** Calls of a process under way at a time. */
  readonly atOnce?: number;
  readonly perSecond?: number;
  /** false: there is no Redis where it should be. */
  readonly redis?: boolean;
  /** Stops Redis after some time, and starts it again after the same time. */
  readonly killAfterMs?: number | undefined;
}

export interface FleetFigures {
  readonly succeeded: number;
  readonly lost: readonly string[];
  readonly requests: number;
  /** Of all requests, those that came before a hint that had been given. */
  readonly earlyShare: number;
  readonly requestsPerSuccess: number;
  readonly seconds: number;
  readonly storeEvents: number;
}

/** The input of a process of the fleet, and its result. */
interface Task {
  readonly url: string;
  readonly redisPort: number;
  readonly calls: number;
  readonly atOnce: number;
}

interface Outcome {
  readonly succeeded: number;
  readonly lost: readonly string[];
  readonly storeEvents: number;
}

/** No server listens there. */
const NO_REDIS: RedisServer = { port: 1, stop: async () => {} };

const FILE = fileURLToPath(import.meta.url);

export async function runFleet(options: FleetOptions = {}): Promise<FleetFigures> {
  const { processes = 8, callsEach = 50, atOnce = callsEach, perSecond = 20, killAfterMs } = options;
  let redis = options.redis === false ? NO_REDIS : await startRedis();
  const limit = { window: -1, served: 0, hintUntil: 0, early: 0 };
  const server = await serve((_, response) => {
    const now = performance.now();
    if (now < limit.hintUntil) limit.early += 1;
    const window = Math.floor(now / 1_000);
    if (window !== limit.window) [limit.window, limit.served] = [window, 0];
    if (limit.served < perSecond) {
      limit.served += 1;
      response.end('{}');
      return;
    }
    limit.hintUntil = Math.max(limit.hintUntil, (window + 1) * 1_000);
    const waitMs = Math.ceil((window + 1) * 1_000 - now);
    response.writeHead(429, { 'retry-after-ms': String(waitMs), 'content-type': 'application/json' }).end('{}');
  });

  const task: Task = { url: server.url, redisPort: redis.port, calls: callsEach, atOnce };
  const workers = Array.from({ length: processes }, () => fork(FILE, ['worker']));
  await Promise.all(workers.map((worker) => new Promise((ready) => worker.once('message', ready))));
  const startedAt = performance.now();
  const outcomes = Promise.all(
    workers.map((worker) => {
      const outcome = new Promise<Outcome>((resolve, reject) => {
        worker.once('message', (message) => resolve(message as Outcome));
        worker.once('exit', (code) => reject(new Error(`A process of the fleet ended with ${code}.`)));
      });
      worker.send(task);
      return outcome;
    }),
  );
  if (killAfterMs !== undefined) {
    await sleep(killAfterMs);
    await redis.stop();
    await sleep(killAfterMs);
    redis = await startRedis(redis.port);
  }
  const all = await outcomes;
  const seconds = (performance.now() - startedAt) / 1_000;
  for (const worker of workers) worker.kill();
  await Promise.all([redis.stop(), server.close()]);

  const succeeded = all.reduce((sum, outcome) => sum + outcome.succeeded, 0);
  const { requests } = server.counts;
  return {
    succeeded,
    lost: all.flatMap(({ lost }) => lost),
    requests,
    earlyShare: limit.early / requests,
    requestsPerSuccess: requests / succeeded,
    seconds,
    storeEvents: all.reduce((sum, { storeEvents }) => sum + storeEvents, 0),
  };
}

/** One process of the fleet. */
async function work({ url, redisPort, calls, atOnce }: Task): Promise<Outcome> {
  let succeeded = 0;
  let storeEvents = 0;
  let left = calls;
  const lost: string[] = [];
  const onEvent = ({ type }: GateEvent): void => {
    if (type.startsWith('store-')) storeEvents += 1;
  };
  const fetch = createRetryFetch({
    ...presets.fleet,
    gate: createGate({ store: redisStore(lastingPort(redisPort)), onEvent }),
  });
  const one = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      try {
        const response = await fetch(url, { method: 'POST', body: '{}', headers: { authorization: 'Bearer fleet' } });
        await response.arrayBuffer();
        if (response.ok) succeeded += 1;
        else lost.push(`HTTP ${response.status}`);
      } catch (error) {
        lost.push(String(error));
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, one));
  return { succeeded, lost, storeEvents };
}

/** A port that connects again when its Redis was away; until then everything fails at once. */
function lastingPort(port: number): RedisPort {
  let client: Promise<RedisClient> | undefined;
  const connected = (): Promise<RedisClient> => {
    client ??= connectRedis(port, () => (client = undefined)).catch((error: unknown) => {
      client = undefined;
      throw error;
    });
    return client;
  };
  return {
    eval: async (script, keys, args) => (await connected()).eval(script, keys, args),
    evalsha: async (sha1, keys, args) => (await connected()).evalsha(sha1, keys, args),
  };
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

if (process.argv[1] === FILE) {
  if (process.argv[2] === 'worker') {
    // By an exit of its own a process leaves what it has compiled to the next.
    process.once(
      'message',
      (task) => void work(task as Task).then((outcome) => process.send?.(outcome, () => process.exit())),
    );
    process.send?.('ready');
  } else {
    const { values } = parseArgs({
      options: { kill: { type: 'boolean' }, 'at-once': { type: 'string', default: '50' } },
    });
    const atOnce = Number(values['at-once']);
    console.log(await runFleet({ atOnce, ...(values.kill === true && { killAfterMs: 4_000 }) }));
  }
}
