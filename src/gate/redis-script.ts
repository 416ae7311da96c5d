/** The rule of `store.ts` in Lua. A property test holds the two together. */

import { LEASE_MS, PROBE_LEASE_MS } from './store.ts';

/**
 * KEYS[1]: the limit. ARGV: the process, delivered, wanted, 1 or 0 for wantsProbe, sentAtMs or an empty text, and, for
 * tests alone, the time. Answers with the share, what is delivered to others, 1 or 0 for mayProbe, and the time.
 */
export const redisScript: string = `
local process, delivered, wanted = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local wantsProbe, sentAt = ARGV[4] == '1', tonumber(ARGV[5])
local now = tonumber(ARGV[6])
if not now then
  local time = redis.call('TIME')
  now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
local kept = redis.call('GET', KEYS[1])
local state = kept and cjson.decode(kept) or { members = {} }
local members = {}
for name, member in pairs(state.members) do
  if member[3] > now and member[3] <= now + ${LEASE_MS} then members[name] = member end
end
local stale = sentAt ~= nil and now - sentAt > ${LEASE_MS}
if not stale then members[process] = { delivered, wanted, now + ${LEASE_MS} } end
local deliveredToAll, wantedByAll = 0, 0
for _, member in pairs(members) do
  deliveredToAll = deliveredToAll + member[1]
  wantedByAll = wantedByAll + member[2]
end
local own = members[process] or { 0, 0 }
local others = deliveredToAll - own[1]
local probe = state.probe
if probe and (probe[2] <= now or probe[2] > now + ${PROBE_LEASE_MS} or (probe[1] == process and not wantsProbe)) then probe = nil end
local mayProbe = wantsProbe and not stale and others == 0 and (probe == nil or probe[1] == process)
if mayProbe then probe = { process, now + ${PROBE_LEASE_MS} } end
local share = 0
if wantedByAll > 0 then share = math.floor(deliveredToAll * own[2] / wantedByAll) end
redis.call('SET', KEYS[1], cjson.encode({ members = members, probe = probe }), 'PX', ${2 * PROBE_LEASE_MS})
return { share, others, mayProbe and 1 or 0, now }
`;
