/**
 * The store of a fleet: a Redis, of which it needs one command. Each operation is one script that Redis runs whole, so
 * one round trip; Redis keeps the time, so the clocks of the machines do not matter.
 */

import { expectNumber } from '../failure/expect.ts';
import type { CircuitPhase } from '../events/gate-event.ts';
import type { GateRules, Verdict } from './key-state.ts';
import { redisScript, redisScriptSha1 } from './redis-script.ts';
import type { Standing, Store, StoreAnswer } from './store.ts';

/** What is needed of a Redis client: to run a script. The adapters make one of the usual clients. */
export interface RedisPort {
  /** Runs `script` with its `KEYS` and `ARGV`. May reject at any time, and may never settle. */
  eval(script: string, keys: readonly string[], args: readonly string[]): Promise<unknown>;
  /** Runs the script of this SHA-1 if Redis has seen it, else rejects with its `NOSCRIPT` error. Saves sending the text. */
  evalsha?(sha1: string, keys: readonly string[], args: readonly string[]): Promise<unknown>;
}

export interface RedisStoreOptions {
  /** What the names of all keys begin with. Fleets that share nothing need different ones. @default 'retry-transport:' */
  readonly prefix?: string | undefined;
  /** Keys that were not used for so long are forgotten. @default 600000 */
  readonly expireAfterMs?: number | undefined;
}

const VERDICTS: readonly Verdict[] = ['go', 'wait', 'retry-budget-empty', 'circuit-open'];
const PHASES: readonly CircuitPhase[] = ['closed', 'open', 'half-open'];

/**
 * Keeps everything in a Redis 7 or later, or in what speaks its language: `redisStore(fromNodeRedis(client))`. Connecting,
 * authenticating and closing are the client's business.
 *
 * @throws TypeError naming the option
 */
export function redisStore(
  port: RedisPort,
  { prefix = 'retry-transport:', expireAfterMs = 600_000 }: RedisStoreOptions = {},
): Store {
  if (typeof port?.eval !== 'function') {
    throw new TypeError(
      'Expected a port with eval(script, keys, args); make one with fromNodeRedis(client) or fromIoredis(client).',
    );
  }
  expectNumber('expireAfterMs', expireAfterMs, { min: 1 });
  const runScript = scriptRunner(port);
  const run = async (operation: string, key: string, rules: GateRules, argument: object): Promise<StoreAnswer> => {
    const args = [operation, JSON.stringify(rules), JSON.stringify(argument), String(expireAfterMs)];
    return readReply(await runScript([prefix + key], args));
  };
  return {
    admit: (key, admission, rules) => run('admit', key, rules, admission),
    permitRetry: (key, withdrawal, rules) => run('permitRetry', key, rules, withdrawal),
    settle: async (key, report, rules) => (await run('settle', key, rules, report)).standing,
  };
}

/** What is used of a client of the `redis` package. */
export interface NodeRedisClient {
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  evalSha(sha1: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
}

/** The port of the `redis` package: `fromNodeRedis(await createClient().connect())`. */
export function fromNodeRedis(client: NodeRedisClient): RedisPort {
  return {
    eval: (script, keys, args) => client.eval(script, { keys: [...keys], arguments: [...args] }),
    evalsha: (sha1, keys, args) => client.evalSha(sha1, { keys: [...keys], arguments: [...args] }),
  };
}

/** What is used of a client of the `ioredis` package. */
export interface IoredisClient {
  eval(script: string, keyCount: number, ...keysAndArgs: string[]): Promise<unknown>;
  evalsha(sha1: string, keyCount: number, ...keysAndArgs: string[]): Promise<unknown>;
}

/** The port of the `ioredis` package: `fromIoredis(new Redis())`. */
export function fromIoredis(client: IoredisClient): RedisPort {
  return {
    eval: (script, keys, args) => client.eval(script, keys.length, ...keys, ...args),
    evalsha: (sha1, keys, args) => client.evalsha(sha1, keys.length, ...keys, ...args),
  };
}

/** Sends the text of the script once; what is sent behind it goes by its SHA-1. */
function scriptRunner(port: RedisPort): (keys: readonly string[], args: readonly string[]) => Promise<unknown> {
  let sent = false;
  return async (keys, args) => {
    if (sent && port.evalsha !== undefined) {
      try {
        return await port.evalsha(redisScriptSha1, keys, args);
      } catch (error) {
        // Another Redis, or the same one after a restart.
        if (!(error instanceof Error) || !error.message.includes('NOSCRIPT')) throw error;
      }
    }
    sent = true;
    return port.eval(redisScript, keys, args);
  };
}

/** A reply is believed only if it is one that the script can give. */
function readReply(reply: unknown): StoreAnswer {
  if (!Array.isArray(reply)) throw new TypeError('Expected Redis to answer with a list: is the port an `eval`?');
  const [verdict, waitMs, place, probe, askForMs, cooldownMs, line, circuit, tokens] = reply.map(String);
  const standing: Standing = {
    askForMs: numberOf(askForMs),
    cooldownMs: numberOf(cooldownMs),
    line: numberOf(line),
    circuit: oneOf(PHASES, circuit),
    tokens: numberOf(tokens),
  };
  return {
    verdict: oneOf(VERDICTS, verdict),
    waitMs: numberOf(waitMs),
    place: numberOf(place) || null,
    probe: probe === '1',
    standing,
  };
}

function numberOf(text: string | undefined): number {
  const number = Number(text);
  if (text === undefined || !Number.isFinite(number))
    throw new TypeError(`Expected Redis to answer with a number, got ${String(text)}.`);
  return number;
}

function oneOf<T extends string>(known: readonly T[], text: string | undefined): T {
  const found = known.find((word) => word === text);
  if (found === undefined)
    throw new TypeError(`Expected Redis to answer with one of ${known.join(', ')}, got ${String(text)}.`);
  return found;
}
