/**
 * `retry-transport/redis`: one limit for many processes. Give the store to `presets.fleet({ store })`.
 *
 * It needs one command of Redis. Each operation is one script, which Redis runs as a whole, so it takes one round trip.
 * Redis keeps the time, so the clocks of the machines do not matter.
 */

import { expectShare, LEASE_MS, MOST, PART_MS, PROBE_LEASE_MS, type Store, type StoreShare } from './store.ts';

export { memoryStore } from './store.ts';
export type { Store, StoreReport, StoreShare } from './store.ts';

/** The part of a Redis client that is needed: running a script. The adapters make one from the usual clients. */
export interface RedisPort {
  /** Runs `script` with its `KEYS` and `ARGV`. May reject at any time, and may never settle. */
  eval(script: string, keys: readonly string[], args: readonly string[]): Promise<unknown>;
  /**
   * Runs the script of this SHA-1 if Redis has seen it, else rejects with its `NOSCRIPT` error. Saves sending the text.
   */
  evalsha?(sha1: string, keys: readonly string[], args: readonly string[]): Promise<unknown>;
}

export interface RedisStoreOptions {
  /** The prefix of all keys. Fleets that share nothing need different ones. @default 'retry-transport:' */
  readonly prefix?: string | undefined;
}

/**
 * Keeps the shared state in Redis 6 or later, or in a compatible server: `redisStore(fromNodeRedis(client))`. One
 * script with one key, so it runs on a cluster too. The client connects, authenticates and closes.
 *
 * @throws TypeError if the port is invalid; the message says how to fix it
 */
export function redisStore(port: RedisPort, { prefix = 'retry-transport:' }: RedisStoreOptions = {}): Store {
  if (typeof port?.eval !== 'function') {
    throw new TypeError(
      'Expected a port with eval(script, keys, args); make one with fromNodeRedis(client) or fromIoredis(client).',
    );
  }
  let sha1: Promise<string> | undefined;
  /** Sends the text of the script once; after that Redis has it under its SHA-1. */
  const run = async (keys: readonly string[], args: readonly string[]): Promise<unknown> => {
    if (sha1 !== undefined && port.evalsha !== undefined) {
      try {
        return await port.evalsha(await sha1, keys, args);
      } catch (error) {
        // Another Redis, or the same one after a restart.
        if (!(error instanceof Error) || !error.message.includes('NOSCRIPT')) throw error;
      }
    }
    sha1 ??= sha1Of(redisScript);
    return port.eval(redisScript, keys, args);
  };
  return {
    async exchange(key, { process, delivered, wanted, wantsProbe, sentAtMs, counted }) {
      const before = counted ? [counted.delivered, counted.wanted, counted.part] : ['', '', ''];
      const args = [process, delivered, wanted, wantsProbe ? 1 : 0, sentAtMs ?? '', ...before].map(String);
      return readReply(await run([prefix + key], args));
    },
  };
}

/** The members of a client of the `redis` package that are used. */
interface NodeRedisClient {
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  evalSha(sha1: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
}

/** A port from a client of the `redis` package: `fromNodeRedis(await createClient().connect())`. */
export function fromNodeRedis(client: NodeRedisClient): RedisPort {
  return {
    eval: (script, keys, args) => client.eval(script, { keys: [...keys], arguments: [...args] }),
    evalsha: (sha1, keys, args) => client.evalSha(sha1, { keys: [...keys], arguments: [...args] }),
  };
}

/** The members of a client of the `ioredis` package that are used. */
interface IoredisClient {
  eval(script: string, keyCount: number, ...keysAndArgs: string[]): Promise<unknown>;
  evalsha(sha1: string, keyCount: number, ...keysAndArgs: string[]): Promise<unknown>;
}

/** A port from a client of the `ioredis` package: `fromIoredis(new Redis())`. */
export function fromIoredis(client: IoredisClient): RedisPort {
  return {
    eval: (script, keys, args) => client.eval(script, keys.length, ...keys, ...args),
    evalsha: (sha1, keys, args) => client.evalsha(sha1, keys.length, ...keys, ...args),
  };
}

async function sha1Of(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-1', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Refuses a reply that the script cannot return. */
function readReply(reply: unknown): StoreShare {
  const numbers = Array.isArray(reply) ? reply.map(Number) : [];
  const [share, deliveredToOthers, mayProbe, nowMs, part = -1] = numbers;
  if (share === undefined || deliveredToOthers === undefined || nowMs === undefined || !numbers.every(Number.isFinite))
    throw new TypeError('Expected Redis to answer with four numbers: is the port an `eval`?');
  return expectShare({ share, deliveredToOthers, mayProbe: mayProbe === 1, nowMs, ...(part >= 0 && { part }) });
}

/**
 * The rule of `store.ts` in Lua; a property test compares the two. KEYS[1]: the limit. ARGV: the process, delivered,
 * wanted, 1 or 0 for wantsProbe, sentAtMs or an empty text, the three numbers of what is counted or empty texts, and, for
 * tests only, the time. Returns the share, the rate of the other processes, 1 or 0 for mayProbe, the time, and the part or
 * -1. A value that is not ours, of whatever type, is replaced.
 */
const redisScript = `
local process, delivered, wanted = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local wantsProbe, sentAt = ARGV[4] == '1', tonumber(ARGV[5])
local countedDelivered, countedWanted, countedPart = tonumber(ARGV[6]), tonumber(ARGV[7]), ARGV[8]
local now = tonumber(ARGV[9])
if not now then
  local time = redis.call('TIME')
  now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
local isRate = function(value) return type(value) == 'number' and value >= 0 and value <= ${MOST} end
local isOurs = function(state)
  if type(state) ~= 'table' or type(state.parts) ~= 'table' then return false end
  local count = 0
  for part, sums in pairs(state.parts) do
    count = count + 1
    if count > 64 or not tonumber(part) or type(sums) ~= 'table' or not isRate(sums[1]) or not isRate(sums[2]) then return false end
  end
  local probe = state.probe
  return probe == nil or (type(probe) == 'table' and type(probe[1]) == 'string' and type(probe[2]) == 'number')
end
local kept = redis.pcall('GET', KEYS[1])
local isRead, state = pcall(cjson.decode, type(kept) == 'string' and kept or '')
if not isRead or not isOurs(state) then state = { parts = {} } end
local parts = {}
local last = math.floor((now + ${LEASE_MS}) / ${PART_MS})
for part, sums in pairs(state.parts) do
  local number = tonumber(part)
  if number * ${PART_MS} > now and number <= last then parts[part] = sums end
end
local stale = sentAt ~= nil and now - sentAt > ${LEASE_MS}
local before = parts[countedPart]
if before then
  parts[countedPart] = { math.max(0, before[1] - countedDelivered), math.max(0, before[2] - countedWanted) }
end
if stale then delivered, wanted = 0, 0 end
local name = string.format('%.0f', last)
if not stale then
  local sums = parts[name] or { 0, 0 }
  parts[name] = { sums[1] + delivered, sums[2] + wanted }
end
local deliveredToAll, wantedByAll = 0, 0
for _, sums in pairs(parts) do
  deliveredToAll = deliveredToAll + sums[1]
  wantedByAll = wantedByAll + sums[2]
end
local others = deliveredToAll - delivered
local probe = state.probe
if probe and (probe[2] <= now or probe[2] > now + ${PROBE_LEASE_MS} or (probe[1] == process and not wantsProbe)) then probe = nil end
local mayProbe = wantsProbe and not stale and others == 0 and (probe == nil or probe[1] == process)
if mayProbe then probe = { process, now + ${PROBE_LEASE_MS} } end
local share = 0
if wantedByAll > 0 then share = math.floor(deliveredToAll * wanted / wantedByAll) end
redis.call('SET', KEYS[1], cjson.encode({ parts = parts, probe = probe }), 'PX', ${2 * PROBE_LEASE_MS})
return { share, others, mayProbe and 1 or 0, now, stale and -1 or last }
`;
