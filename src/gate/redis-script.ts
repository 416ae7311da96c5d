/**
 * The script that Redis runs: the transitions of `src/gate/` once more, in Lua, so that each of them is one step that
 * nobody can interrupt. One contract suite holds both versions to the same answers. The state of a key is one JSON text,
 * the clock is the server's own, and a key that nobody uses expires.
 *
 * ARGV: operation, rules and argument as JSON, milliseconds after which a quiet key expires.
 */

const CLOCK = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
`;

/** Times are kept as what has passed since the key was new: JSON has 14 digits here, and a date needs 13 of them. */
const SETUP = `
local operation, rules, argument = ARGV[1], cjson.decode(ARGV[2]), cjson.decode(ARGV[3])
local rule, budget, breaker = rules.cooldown, rules.budget, rules.circuit
local none = cjson.null
local stored = redis.call('GET', KEYS[1])
local s = stored and cjson.decode(stored)
if not s then s = { line = math.floor(now), tokens = budget ~= none and budget.capacity or 0 } end
now = now - s.line
`;

const FRESH = `
local function closed()
  return { phase = 'closed', untilMs = 0, probing = 0, passed = 0, failures = 0,
    sinceMs = now, calls = 0, olderCalls = 0, olderFailures = 0 }
end
if breaker ~= none and not s.circuit then s.circuit = closed() end
if rule ~= none and not s.cooldown then
  local start = rule.startIntervalMs
  s.cooldown = { untilMs = 0, calmAtMs = start > 0 and now + 1000 or 0, lingerMs = 1000, intervalMs = start,
    nextPlace = 1, opensAtMs = now, lastPlace = 0, freeAtMs = now, gone = 0, lastMs = now, sinceMs = now, served = 0 }
end
local c, b = rule ~= none and s.cooldown or nil, breaker ~= none and s.circuit or nil
`;

/** cooldown.ts and rate-meter.ts. */
const COOLDOWN = `
local function calm() return not c or now >= c.calmAtMs end
local function open()
  if c.nextPlace > c.lastPlace or now < c.opensAtMs then return end
  local opening = c.lastPlace + 1 - c.nextPlace
  if c.intervalMs > 0 then opening = math.min(opening, math.floor((now - c.opensAtMs) / c.intervalMs) + 1) end
  c.nextPlace, c.opensAtMs = c.nextPlace + opening, c.opensAtMs + opening * c.intervalMs
end
local function linger()
  local last = c.opensAtMs + math.max(0, c.lastPlace - c.nextPlace) * c.intervalMs
  c.calmAtMs = math.max(c.calmAtMs, last + c.lingerMs)
end
local function go()
  c.gone = c.gone + 1
  c.freeAtMs = math.max(c.freeAtMs, now - c.intervalMs) + c.intervalMs
end
local function waitFor(place)
  local ahead = place - c.nextPlace
  if ahead < 0 then
    local late = math.min(math.max(0, c.nextPlace - 1 - c.gone) * c.intervalMs, 1000)
    return math.ceil(c.freeAtMs - now + late * (place * 0.618034 % 1))
  end
  local line = ahead * c.intervalMs
  local nap = math.min(math.max(line / 2, 1000), math.max(ahead * 0.5, 1000))
  return math.ceil(math.max(0, c.opensAtMs - now, c.freeAtMs - now) + math.min(line, nap))
end
local function join()
  open()
  local place = c.lastPlace + 1
  c.lastPlace = place
  if place == c.nextPlace and now >= c.opensAtMs and now >= c.freeAtMs then
    c.nextPlace, c.opensAtMs = place + 1, now + c.intervalMs
    go()
    return place, 0
  end
  if place > c.nextPlace then linger() end
  return place, waitFor(place)
end
local function turn(place)
  open()
  if place < c.nextPlace and now >= c.freeAtMs then
    go()
    return place, 0
  end
  return place, waitFor(place)
end
local function leave(places)
  if calm() then return end
  c.nextPlace = c.nextPlace + math.min(places, math.max(0, c.lastPlace + 1 - c.nextPlace))
  c.gone = c.gone + places
end
local function intervalUntil(atMs)
  if c.served < 0.5 then return nil end
  return math.max(0, atMs - c.sinceMs) / c.served
end
local function hold(hintMs)
  local length, before = math.min(hintMs, rule.maxMs), c.untilMs
  if calm() then
    c.nextPlace, c.gone, c.opensAtMs, c.freeAtMs, c.intervalMs = c.lastPlace + 1, c.lastPlace, 0, 0, 0
  else
    open()
  end
  c.untilMs = math.max(before, now + length)
  c.opensAtMs, c.freeAtMs = math.max(c.opensAtMs, c.untilMs), math.max(c.freeAtMs, c.untilMs)
  if now >= before then
    local guess = math.min(math.max(length * 0.05, 10), 500)
    local sustained, served = intervalUntil(c.untilMs), intervalUntil(now)
    if served and c.servedIntervalMs then served = math.sqrt(served * c.servedIntervalMs) end
    c.servedIntervalMs, c.limit = served or c.servedIntervalMs, sustained ~= nil
    local following = sustained and sustained * 1.1 or math.max(c.servedIntervalMs or guess, 20)
    c.lingerMs = math.min(math.max(length, 1000), 10000)
    c.intervalMs = math.min(following, math.max(length, 1000))
    c.sinceMs, c.served = c.untilMs, 0
  end
  linger()
end
local function serve(successes)
  local elapsed = now - c.sinceMs
  if elapsed > 10000 then
    c.sinceMs, c.served = now - 5000, c.served * 5000 / elapsed + successes
  elseif elapsed >= 0 then
    c.served = c.served + successes
  end
  c.lastMs = now
  if calm() then return end
  open()
  local growth = 8
  if c.servedIntervalMs then
    local known = c.servedIntervalMs / (c.limit and 0.9 or 1.25)
    growth = c.intervalMs > known and 2 or now - c.untilMs > 10000 and 1.5 or 1.1
  end
  c.intervalMs = c.intervalMs / growth ^ math.min(successes * c.intervalMs / 1000, 1)
  if c.intervalMs < 0.1 then c.intervalMs, c.calmAtMs = 0, math.max(now, c.untilMs) end
end
`;

/** circuit-breaker.ts and its counters. */
const CIRCUIT = `
local function trip()
  b.phase, b.untilMs, b.probing, b.passed = 'open', now + breaker.openMs, 0, 0
end
local function ask()
  if b.phase == 'closed' then return 'attempt', 0 end
  if now < b.untilMs then
    if b.phase == 'open' or b.probing + b.passed >= breaker.probes then return 'nothing', b.untilMs - now end
    b.probing = b.probing + 1
    return 'probe', 0
  end
  b.phase, b.untilMs, b.probing, b.passed = 'half-open', now + breaker.openMs, 1, 0
  return 'probe', 0
end
local function count(successes, failures)
  if b.phase ~= 'closed' then
    if breaker.covers == 'retries' and successes > 0 and now >= b.untilMs then s.circuit = closed() end
    return
  end
  local by, exceeds = breaker.count, false
  if by.kind == 'consecutive' then
    b.failures = (successes > 0 and 0 or b.failures) + failures
    exceeds = b.failures >= by.failures
  else
    local half = by.windowMs / 2
    local halves = math.floor((now - b.sinceMs) / half)
    if halves > 1 then
      b.sinceMs, b.calls, b.failures, b.olderCalls, b.olderFailures = now, 0, 0, 0, 0
    elseif halves == 1 then
      b.sinceMs, b.olderCalls, b.olderFailures, b.calls, b.failures = b.sinceMs + half, b.calls, b.failures, 0, 0
    end
    b.calls, b.failures = b.calls + successes + failures, b.failures + failures
    local faded = math.max(0, 1 - (now - b.sinceMs) / half)
    local calls, failed = b.calls + b.olderCalls * faded, b.failures + b.olderFailures * faded
    exceeds = calls >= by.minimumCalls and failed >= calls * by.failureRatio
  end
  if failures > 0 and exceeds then trip() end
end
local function probed(ended)
  if b.phase ~= 'half-open' then return end
  if ended == 'failure' then return trip() end
  if ended == 'success' then b.passed = b.passed + 1 end
  if b.passed >= breaker.probes then s.circuit = closed() else b.probing = math.max(0, b.probing - 1) end
end
`;

/** key-state.ts. */
const OPERATIONS = `
local verdict, wait, place, probe = 'go', 0, 0, 0
if operation == 'admit' then
  if not calm() or (b and b.phase ~= 'closed') then
    if not calm() then
      if argument.place ~= none and argument.line == s.line then place, wait = turn(argument.place) else place, wait = join() end
    end
    if wait > 0 then
      verdict = 'wait'
    else
      place = 0
      if b and (breaker.covers == 'all' or argument.retry) then
        local allows
        allows, wait = ask()
        if allows == 'nothing' then verdict = 'circuit-open' elseif allows == 'probe' then probe = 1 end
      end
    end
  end
elseif operation == 'permitRetry' then
  local free = budget == none or (argument.hinted and c and now - c.lastMs <= 60000)
  if b and b.phase == 'open' and b.untilMs > now + argument.delayMs then
    verdict, wait = 'circuit-open', b.untilMs - now
  elseif not free and s.tokens + 1e-9 < argument.cost then
    verdict = 'retry-budget-empty'
  else
    if not free then s.tokens = math.max(0, s.tokens - argument.cost) end
    if not calm() then place, wait = join() end
  end
else
  local successes = argument.successes + (argument.probe == 'success' and 1 or 0)
  if budget ~= none then s.tokens = math.min(budget.capacity, s.tokens + successes * budget.ratio) end
  if b then
    if argument.probe ~= none then probed(argument.probe) else count(argument.successes, argument.failures) end
  end
  if c then
    if argument.left > 0 then leave(argument.left) end
    if successes > 0 then serve(successes) end
    if argument.hintMs > 0 then hold(argument.hintMs) end
  end
end
`;

const ANSWER = `
b = b and s.circuit
local remembered = 0
local askFor = c and math.max(0, c.calmAtMs - now) or 0
if c then remembered = math.max(0, c.untilMs - now) end
if b and b.phase ~= 'closed' then askFor = math.max(askFor, b.untilMs - now, breaker.openMs) end
redis.call('SET', KEYS[1], cjson.encode(s), 'PX', math.ceil(tonumber(ARGV[4]) + remembered))
local function text(number) return string.format('%.17g', number) end
return { verdict, text(wait), text(place), text(probe), text(askFor), text(remembered), text(s.line),
  b and b.phase or 'closed', text(s.tokens) }
`;

/** Comments and indentation would travel with every call. */
export const redisScript: string = [CLOCK, SETUP, FRESH, COOLDOWN, CIRCUIT, OPERATIONS, ANSWER]
  .join('')
  .replaceAll(/\n\s*/g, '\n')
  .trim();

/** Its SHA-1, by which a Redis that has seen the script runs it. */
export const redisScriptSha1 = '78c8b6799bfd1fd031dbe0c4ba868bff98dd7511';
