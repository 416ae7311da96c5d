/**
 * `retry-transport/redis`: one limit for many processes. Give the store to `createGate({ store })`.
 *
 * It needs one command of Redis. The operation is a script, which Redis runs as a whole, so it takes one round trip. Redis
 * keeps the time, so the clocks of the machines do not matter.
 */

import {
  DAY_MS,
  DAY_PART_MS,
  expectAnswer,
  LEASE_MS,
  MOST,
  MOST_WAITING,
  openMemoryStore,
  PART_MS,
  PROBE_LEASE_MS,
  sealStore,
  SLOT_LEASE_MS,
  type Store,
  STORE_TIMEOUT_MS,
} from './store.ts';
import { checkOptions, expectObject, expectText, number } from '../runtime/expect.ts';

export type { Store } from './store.ts';

/** The part of a Redis client that is needed: running a script. The adapters make one from the usual clients. */
export interface RedisPort {
  /** Runs `script` with its `KEYS` and `ARGV`. May reject at any time, and may never settle. */
  eval(script: string, keys: readonly string[], args: readonly string[]): Promise<unknown>;
  /**
   * Runs the script of this SHA-1 if Redis has seen it, else rejects with its `NOSCRIPT` error. Saves sending the text.
   */
  evalsha?(sha1: string, keys: readonly string[], args: readonly string[]): Promise<unknown>;
}

/** The options of `redisStore`. */
export interface RedisStoreOptions {
  /** The prefix of all keys. Programs that share no limit need different prefixes. @default 'retry-transport:' */
  readonly prefix?: string | undefined;
  /** If an answer takes longer, ten times as long for turns of a stated limit, the store counts as lost. @default 50 */
  readonly timeoutMs?: number | undefined;
}

/**
 * Keeps the shared state in Redis 6 or later, or in a compatible server: `redisStore(fromNodeRedis(client))`. One
 * script with one key, so it runs on a cluster too. The client connects, authenticates and closes.
 *
 * @throws TypeError if the port is invalid; the message says how to fix it
 */
export function redisStore(port: RedisPort, options: RedisStoreOptions = {}): Store {
  const { prefix = 'retry-transport:', timeoutMs = STORE_TIMEOUT_MS } = checkOptions(
    '',
    expectObject('options', options, "an object such as { prefix: 'my-program:' }"),
    { prefix: expectText, timeoutMs: number() },
  );
  if (typeof port?.eval !== 'function') {
    throw new TypeError(
      'Expected a port with eval(script, keys, args); make one with fromNodeRedis(client) or fromIoredis(client).',
    );
  }
  let name: Promise<string> | undefined;
  /** Sends the text of the script once; after that Redis has it under its SHA-1. */
  const run = async (keys: readonly string[], args: readonly string[]): Promise<unknown> => {
    if (name !== undefined && port.evalsha !== undefined) {
      try {
        return await port.evalsha(await name, keys, args);
      } catch (error) {
        // Another Redis, or the same one after a restart.
        if (!(error instanceof Error) || !error.message.includes('NOSCRIPT')) throw error;
      }
    }
    name ??= sha1Of(SCRIPT);
    return port.eval(SCRIPT, keys, args);
  };
  return sealStore({
    timeoutMs,
    async ask(key, request) {
      const reply = await run([prefix + key], [JSON.stringify(request)]);
      const numbers = Array.isArray(reply) ? reply.map(Number) : [];
      const [nowMs = Number.NaN, part = 0, processes = 0, delivered = 0, wanted = 0, mayProbe, ...turns] = numbers;
      const [slots = 0, before = 0, owed = 0, ...atMs] = turns;
      const total = [processes, delivered, wanted] as const;
      return expectAnswer({ nowMs, part, total, mayProbe: mayProbe === 1, slots, before, owed, atMs }, request);
    },
  });
}

/** A store for the gates of one program. `now`: @default the monotonic clock */
export function memoryStore(now?: () => number): Store {
  return sealStore(openMemoryStore(now));
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

/**
 * The rule of `store.ts` in Lua; a property test compares the two. KEYS[1]: the limit. ARGV: the request as JSON, and, for
 * tests only, the time. Returns the numbers of the answer; times as texts, because Redis cuts fractions. Where the value is
 * not ours, of whatever type, the rule fails or its sums are impossible, and the value is replaced.
 */
const SCRIPT = `
local request, now = cjson.decode(ARGV[1]), tonumber(ARGV[2])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + time[2] / 1000
end
local process = request.process
local isDue = function(untilMs, leaseMs) return untilMs > now and untilMs <= now + leaseMs end
local presentOf = function(parts, partMs, lastsMs)
  local present, last = {}, math.floor((now + lastsMs) / partMs)
  for part, counts in pairs(parts) do
    if part * partMs > now and tonumber(part) <= last then present[part] = counts end
  end
  return present, string.format('%.0f', last)
end
local add = function(parts, part, counts, times)
  local before, sums = parts[part] or {}, {}
  for index, count in ipairs(counts) do sums[index] = math.max(0, (before[index] or 0) + times * count) end
  parts[part] = sums
end
local sumOf = function(parts)
  local sums = { 0, 0, 0 }
  for _, counts in pairs(parts) do
    for index, count in ipairs(counts) do sums[index] = sums[index] + count end
  end
  return sums
end
local reserveTurns = function(state)
  local next, moments, perDay = {}, {}, request.perDay or math.huge
  for index, rate in ipairs(request.rates) do
    local due = state.next[index] or 0
    if due > now + 60000 + 1000 * rate[1] then due = 0 end
    next[index] = due
  end
  local day, part = presentOf(state.day, ${DAY_PART_MS}, ${DAY_MS + DAY_PART_MS})
  for turn = 1, math.min(request.turns, perDay - sumOf(day)[1]) do
    local at = now + request.wayMs
    for index, rate in ipairs(request.rates) do at = math.max(at, next[index] - rate[2]) end
    for index, rate in ipairs(request.rates) do next[index] = math.max(next[index], at) + rate[1] end
    moments[turn] = string.format('%.3f', at)
  end
  if request.perDay then add(day, part, { #moments }, 1) end
  if #moments > 0 then
    for index, due in ipairs(next) do next[index] = due + request.apartMs end
  end
  return next, day, moments
end
local leaseSlots = function(known)
  local parties, slots, before, owed = {}, 0, 0, 0
  if not request.slots then return parties, slots, before, owed end
  local most, held, wanted = request.slots.most, request.slots.held, request.slots.wanted
  local since, others, rivals, free, more = now - request.slots.waitedMs, 0, 0, most - held, 0
  for name, party in pairs(known) do
    if name ~= process and isDue(party[4], ${SLOT_LEASE_MS}) then
      parties[name], others, free = party, others + 1, free - party[1]
      if party[2] > 0 then
        rivals, more = rivals + 1, more + party[2]
        if party[1] < held or (party[1] == held and party[3] < since) then before = before + 1 end
      end
    end
  end
  local share = math.floor(most / (1 + others))
  slots = math.max(0, math.min(wanted, free - before, math.max(1, share - held, free - more)))
  local holds = held + slots
  if rivals > 0 then owed = math.max(0, holds - share) end
  if holds > 0 or (wanted > 0 and before < ${MOST_WAITING}) then
    parties[process] = { holds, wanted - slots, slots > 0 and now or since, now + ${SLOT_LEASE_MS} }
  end
  return parties, slots, before, owed
end
local answer = function(state)
  local counts, part = presentOf(state.counts, ${PART_MS}, ${LEASE_MS})
  local counted = request.counted
  if counted then
    local name = string.format('%.0f', counted.part)
    if counts[name] then add(counts, name, counted.counts, -1) end
  end
  add(counts, part, request.counts, 1)
  local total = sumOf(counts)
  for index, sum in ipairs(total) do assert(sum >= request.counts[index] and sum <= ${MOST}) end
  local probe = state.probe
  local isWanted = probe and (probe[1] ~= process or request.wantsProbe)
  if not isWanted or not isDue(probe[2], ${PROBE_LEASE_MS}) then probe = nil end
  local mayProbe = request.wantsProbe and total[2] == request.counts[2] and (not probe or probe[1] == process)
  if mayProbe then probe = { process, now + ${PROBE_LEASE_MS} } end
  local next, day, moments = reserveTurns(state)
  local parties, slots, before, owed = leaseSlots(state.parties)
  local kept = cjson.encode({ counts = counts, probe = probe, next = next, day = day, parties = parties })
  local time = string.format('%.3f', now)
  return kept, { time, part, total[1], total[2], total[3], mayProbe and 1 or 0, slots, before, owed, unpack(moments) }
end
local value = redis.pcall('GET', KEYS[1])
local isOurs, kept, reply = pcall(function() return answer(cjson.decode(value)) end)
if not isOurs then kept, reply = answer({ counts = {}, next = {}, day = {}, parties = {} }) end
redis.call('SET', KEYS[1], kept, 'PX', request.perDay and ${DAY_MS + 2 * DAY_PART_MS} or 120000)
return reply
`;
