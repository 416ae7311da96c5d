/**
 * `retry-transport/redis`: one limit for many processes. Give the store to `createGate({ store })`.
 *
 * It needs one command of Redis. Each operation is one script, which Redis runs as a whole, so it takes one round trip.
 * Redis keeps the time, so the clocks of the machines do not matter.
 */

import {
  binOf,
  BINS,
  expectShare,
  expectTurns,
  LEASE_MS,
  MOST,
  MOST_APART,
  MOST_WAITING,
  openMemoryStore,
  PART_MS,
  PROBE_LEASE_MS,
  processesIn,
  SLOT_LEASE_MS,
  STORE_TIMEOUT_MS,
  type OpenStore,
  type StoreShare,
} from './store.ts';
import { checkOptions, expectObject, expectText, number } from '../runtime/expect.ts';
import { sealStore, type Store } from './open-store.ts';

export type { Store } from './open-store.ts';

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
  return sealStore(openRedisStore(port, options));
}

/** A store for the gates of one program. `now`: @default the monotonic clock */
export function memoryStore(now?: () => number): Store {
  return sealStore(openMemoryStore(now));
}

function openRedisStore(port: RedisPort, options: RedisStoreOptions = {}): OpenStore {
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
  const names = new Map<string, Promise<string>>();
  /** Sends the text of the script once; after that Redis has it under its SHA-1. */
  const run = async (script: string, keys: readonly string[], args: readonly string[]): Promise<unknown> => {
    const name = names.get(script);
    if (name !== undefined && port.evalsha !== undefined) {
      try {
        return await port.evalsha(await name, keys, args);
      } catch (error) {
        // Another Redis, or the same one after a restart.
        if (!(error instanceof Error) || !error.message.includes('NOSCRIPT')) throw error;
      }
    }
    if (name === undefined) names.set(script, sha1Of(script));
    return port.eval(script, keys, args);
  };
  return {
    timeoutMs,
    async exchange(key, { process, delivered, wanted, wantsProbe, sentAtMs, counted }) {
      const before = counted ? [counted.delivered, counted.wanted, counted.part] : ['', '', ''];
      const args = [process, delivered, wanted, wantsProbe ? 1 : 0, sentAtMs ?? '', ...before].map(String);
      return readReply(await run(redisScript, [prefix + key], args));
    },
    async reserve(key, request) {
      const { process, perDay, slots, ...rest } = request;
      const need = { ...rest, perDay: perDay ?? undefined, slots: slots ?? undefined };
      const args = [process, JSON.stringify(need), String(binOf(process))];
      const reply = await run(reserveScript, [`${prefix}${key}:limits`], args);
      const numbers = Array.isArray(reply) ? reply.map(Number) : [];
      const [nowMs = Number.NaN, bins = 0, granted = 0, before = 0, owed = 0, ...atMs] = numbers;
      return expectTurns({ atMs, slots: granted, before, owed, processes: processesIn(bins), nowMs }, request);
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

/**
 * `reserve` of `store.ts` in Lua. KEYS[1]: the limit. ARGV: the process, what it needs as JSON, its bin, and, for tests
 * only, the time. Returns the time, the bins in use, the slots, those before it, those that it owes, and the moments of the
 * turns; times as texts, because Redis cuts fractions.
 */
const reserveScript = `
local process, need, bin = ARGV[1], cjson.decode(ARGV[2]), tonumber(ARGV[3])
local now = tonumber(ARGV[4])
if not now then
  local time = redis.call('TIME')
  now = tonumber(time[1]) * 1000 + tonumber(time[2]) / 1000
end
local isNumber = function(value) return type(value) == 'number' and value >= 0 and value <= 1e15 end
local numbersIn = function(value)
  local kept, count = {}, 0
  if type(value) ~= 'table' then return kept end
  for name, number in pairs(value) do
    count = count + 1
    if count <= 1000 and isNumber(number) then kept[name] = number end
  end
  return kept
end
local value = redis.pcall('GET', KEYS[1])
local isRead, state = pcall(cjson.decode, type(value) == 'string' and value or '')
if not isRead or type(state) ~= 'table' then state = {} end
local due, next = numbersIn(state.next), {}
for index, rate in ipairs(need.rates) do
  local at = due[index] or 0
  if at > now + 60000 + 1000 * rate[1] * math.max(1, rate[3]) then at = 0 end
  next[index] = at
end
local present, day, today = math.floor(now / 300000), {}, 0
for part, count in pairs(numbersIn(state.day)) do
  local number = tonumber(part)
  if number and number >= present - 288 and number <= present + 288 then
    day[part] = count
    today = today + count
  end
end
local moments, first = {}, nil
for turn = 1, math.min(need.turns, 50) do
  if need.perDay and today >= need.perDay then break end
  local at = now + need.wayMs
  for index, rate in ipairs(need.rates) do at = math.max(at, next[index] - (rate[2] - 1) * rate[1]) end
  for index, rate in ipairs(need.rates) do next[index] = math.max(next[index], at) + rate[3] * rate[1] end
  if need.perDay then
    local part = string.format('%.0f', present)
    day[part] = (day[part] or 0) + 1
  end
  today = today + 1
  moments[turn] = string.format('%.3f', at)
  first = first or at
end
if first then
  for index, at in ipairs(next) do next[index] = at + math.min(need.apartMs, ${MOST_APART} * math.max(0, at - first)) end
end
local leaseTime, asked, lastTime = math.floor(now / ${LEASE_MS}), state.asked, state.leaseTime
if type(asked) ~= 'string' or #asked ~= ${BINS} or string.find(asked, '[^012]') or not isNumber(lastTime) or lastTime < leaseTime - 1 or lastTime > leaseTime then
  asked = string.rep('0', ${BINS})
elseif lastTime < leaseTime then
  asked = string.gsub(string.gsub(asked, '1', '0'), '2', '1')
end
asked = string.sub(asked, 1, bin) .. '2' .. string.sub(asked, bin + 2)
local _, idle = string.gsub(asked, '0', '')
local leases, waiting, granted, before, owed = {}, {}, 0, 0, 0
if need.slots then
  local others, parties, names = 0, 1, { [process] = true }
  local isParty = function(name)
    if not names[name] then parties = parties + 1 end
    names[name] = true
  end
  if type(state.slots) == 'table' then
    for name, lease in pairs(state.slots) do
      if name ~= process and type(lease) == 'table' and isNumber(lease[1]) and isNumber(lease[2]) and lease[2] > now and lease[2] <= now + ${SLOT_LEASE_MS} then
        leases[name] = lease
        others = others + lease[1]
        isParty(name)
      end
    end
  end
  if type(state.waiting) == 'table' then
    for place, one in ipairs(state.waiting) do
      if type(one) == 'table' and type(one[1]) == 'string' and one[1] ~= process and #waiting < ${MOST_WAITING}
        and isNumber(one[2]) and isNumber(one[3]) and isNumber(one[4]) and isNumber(one[5])
        and one[5] > now and one[5] <= now + ${LEASE_MS} then
        waiting[#waiting + 1] = one
        isParty(one[1])
      end
    end
  end
  local held, wanted, since = need.slots.held, need.slots.wanted, now - need.slots.waitedMs
  local free = math.max(0, need.slots.most - others - held)
  local keptFor = function(has)
    local sum = 0
    for place, one in ipairs(waiting) do
      sum = sum + math.min(one[3], math.max(0, has - one[2] + (one[4] < since and 1 or 0)))
    end
    return sum
  end
  if #waiting == 0 then granted = math.min(wanted, free) else
    local atOnce = math.min(wanted, 50)
    while granted < atOnce and granted + keptFor(held + granted) < free do granted = granted + 1 end
  end
  local holds, missing = held + granted, granted - free
  for place, one in ipairs(waiting) do
    if one[2] < holds then missing = missing + one[3] end
  end
  owed = math.max(0, math.min(missing, holds - math.floor(need.slots.most / parties)))
  if holds > 0 then leases[process] = { holds, now + ${SLOT_LEASE_MS} } end
  if granted < wanted then
    if granted > 0 then since = now end
    waiting[#waiting + 1] = { process, holds, wanted - granted, since, now + ${LEASE_MS} }
    table.sort(waiting, function(a, b)
      if a[2] ~= b[2] then return a[2] < b[2] end
      if a[4] ~= b[4] then return a[4] < b[4] end
      return a[1] < b[1]
    end)
    for place, one in ipairs(waiting) do
      if one[1] == process then before = place - 1 end
    end
    waiting[${MOST_WAITING + 1}] = nil
  end
end
local ttl = need.perDay and 90000000 or 120000
redis.call('SET', KEYS[1], cjson.encode({ next = next, day = day, slots = leases, waiting = waiting, asked = asked, leaseTime = leaseTime }), 'PX', ttl)
return { string.format('%.3f', now), #asked - idle, granted, before, owed, unpack(moments) }
`;
