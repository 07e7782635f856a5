/**
 * Data model in Redis. An account has four keys with the same hash tag, which every script gets as `KEYS`, so that a
 * cluster has them on one node:
 * - `sessions`: a sorted set of its session IDs, scored by expiration time.
 * - `state`: a hash of all sessions. A field is the ID of a session, a space and a name. `#1`, `#2`, ... are the breaks
 *   of its map.
 * - `log`: a hash of the events by reference. `#` is their total size and `@` counts the changes of the session list.
 * - `order`: the list of these references in order.
 */
const COMMON = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
-- The keys of the n-th account.
local function keysOf(n)
  local at = 4 * n - 3
  return { sessions = KEYS[at], state = KEYS[at + 1], log = KEYS[at + 2], order = KEYS[at + 3] }
end
-- Changes when another server becomes the primary, which may lack the last writes.
local function run() return string.match(redis.call('INFO', 'replication'), 'master_replid:(%x+)') or '' end
local function get(a, id, ...)
  local names = { ... }
  for i = 1, #names do names[i] = id .. ' ' .. names[i] end
  return redis.call('HMGET', a.state, unpack(names))
end
local function set(a, id, ...)
  local pairs = { ... }
  for i = 1, #pairs, 2 do pairs[i] = id .. ' ' .. pairs[i] end
  redis.call('HSET', a.state, unpack(pairs))
end
local function last(key, ms)
  if redis.call('PTTL', key) < tonumber(ms) then redis.call('PEXPIRE', key, ms) end
end
local function keep(a, id, ms)
  redis.call('ZADD', a.sessions, now + ms, id)
  for _, key in pairs(a) do last(key, ms) end
end
local function isLive(a, id)
  local ends = redis.call('ZSCORE', a.sessions, id)
  return ends and tonumber(ends) > now and redis.call('HEXISTS', a.state, id .. ' fence') == 1
end
local function changed(a)
  if redis.call('EXISTS', a.log) == 1 then redis.call('HINCRBY', a.log, '@', 1) end
end
local function changes(a) return redis.call('HGET', a.log, '@') or '0' end
local function bounds(a, id)
  local found = get(a, id, 'first', 'last')
  return tonumber(found[1] or 1), tonumber(found[2] or 0)
end
local function addBreaks(a, id, from, to)
  local _, latest = bounds(a, id)
  for i = from, to do
    latest = latest + 1
    set(a, id, '#' .. latest, ARGV[i])
  end
  if to >= from then set(a, id, 'last', latest) end
end
local function dropBreaks(a, id, count)
  local first, latest = bounds(a, id)
  local kept = math.min(first + count, latest + 1)
  for n = first, kept - 1 do redis.call('HDEL', a.state, id .. ' #' .. n) end
  set(a, id, 'first', kept)
end
local function breaks(a, id)
  local found = {}
  local first, latest = bounds(a, id)
  for n = first, latest do found[#found + 1] = redis.call('HGET', a.state, id .. ' #' .. n) end
  return found
end
local function clear(a, id)
  dropBreaks(a, id, math.huge)
  local names = { 'owner', 'fence', 'run', 'binding', 'login', 'wishes', 'step', 'seq', 'acknowledged', 'floor', 'cursor',
    'needed', 'since', 'told', 'first', 'last' }
  for i = 1, #names do names[i] = id .. ' ' .. names[i] end
  redis.call('HDEL', a.state, unpack(names))
end
local function remove(a, id)
  clear(a, id)
  redis.call('ZREM', a.sessions, id)
  if redis.call('EXISTS', a.sessions) == 0 then redis.call('DEL', a.state, a.log, a.order) else changed(a) end
end
local function holding(a, id, owner, fence)
  if not isLive(a, id) then return 'gone' end
  local found = get(a, id, 'owner', 'fence')
  -- A failover has undone that this process became the owner.
  if tonumber(found[2]) < tonumber(fence) then return 'gone' end
  if found[1] ~= owner or found[2] ~= fence then return 'moved' end
  return 'held'
end
local function forget(a, ref)
  local size = redis.call('HSTRLEN', a.log, ref)
  redis.call('HDEL', a.log, ref)
  return redis.call('HINCRBY', a.log, '#', -size)
end
-- Events from ARGV[at] on, two each; answers where they end.
local function store(a, at, count, budget, ms)
  for i = at, at + 2 * count - 1, 2 do
    if redis.call('HSETNX', a.log, ARGV[i], ARGV[i + 1]) == 1 then
      redis.call('RPUSH', a.order, ARGV[i])
      local bytes = redis.call('HINCRBY', a.log, '#', #ARGV[i + 1])
      while bytes > tonumber(budget) do
        local oldest = redis.call('LPOP', a.order)
        if not oldest then break end
        bytes = forget(a, oldest)
      end
    end
  end
  last(a.log, ms)
  last(a.order, ms)
  return at + 2 * count
end
local function isList(ref) return string.sub(ref, 1, 1) == 'p' end
local function place(ref) return tonumber(string.match(ref, '^p?(%d+)')) or 0 end
local function live(a) return redis.call('ZRANGEBYSCORE', a.sessions, '(' .. now, '+inf') end
local function list(a, owner)
  local found = {}
  for _, id in ipairs(live(a)) do
    local wishes, since, by = unpack(get(a, id, 'wishes', 'since', 'owner'))
    local isMobile = wishes and string.sub(wishes, 1, 14) == '{"mobile":true'
    if wishes then found[#found + 1] = { id, isMobile and 1 or 0, since, by == owner and 1 or 0 } end
  end
  return found
end
`;

const CREATE = `
local a = keysOf(1)
local id, owner, ms, limit, login, binding, wishes, cursor, first = unpack(ARGV)
if redis.call('ZCOUNT', a.sessions, '(' .. now, '+inf') >= tonumber(limit) then return {} end
set(a, id, 'owner', owner, 'fence', 1, 'run', run(), 'binding', binding, 'login', login, 'wishes', wishes, 'step', 0,
  'seq', first and 2 or 1, 'acknowledged', 0, 'floor', 0, 'cursor', cursor, 'needed', cursor + 1, 'since', now)
if first then addBreaks(a, id, 9, 9) end
redis.call('HINCRBY', a.log, '@', 1)
keep(a, id, ms)
return { now, list(a, owner) }
`;

/** A step that was already written is not written again. */
const WRITE = `
local a = keysOf(1)
local owner, ms, budget, count = unpack(ARGV)
local at = store(a, 5, tonumber(count), budget, ms)
local answers = {}
while at <= #ARGV do
  local id, fence, step, seq, acknowledged, floor, cursor, needed, drop, fresh = unpack(ARGV, at, at + 9)
  local state = holding(a, id, owner, fence)
  if state == 'held' then
    local made = tonumber(get(a, id, 'step')[1])
    if made + 1 == tonumber(step) then
      set(a, id, 'step', step, 'seq', seq, 'acknowledged', acknowledged, 'floor', floor, 'cursor', cursor, 'needed', needed)
      if drop ~= '0' then dropBreaks(a, id, tonumber(drop)) end
      addBreaks(a, id, at + 10, at + 9 + fresh)
    elseif made ~= tonumber(step) then state = 'gone' end
  end
  answers[#answers + 1] = state
  at = at + 10 + fresh
end
return answers
`;

const RESTORE = `
local a = keysOf(1)
local id, owner, fence, ms, budget, login, binding, wishes, since = unpack(ARGV)
local step, seq, acknowledged, floor, cursor, needed, count = unpack(ARGV, 10, 16)
local found = get(a, id, 'owner', 'fence')
if isLive(a, id) and (tonumber(found[2]) > tonumber(fence) or (found[2] == fence and found[1] ~= owner)) then
  return 'moved'
end
clear(a, id)
set(a, id, 'owner', owner, 'fence', fence, 'run', run(), 'binding', binding, 'login', login, 'wishes', wishes,
  'step', step, 'seq', seq, 'acknowledged', acknowledged, 'floor', floor, 'cursor', cursor, 'needed', needed,
  'since', since)
addBreaks(a, id, store(a, 17, tonumber(count), budget, ms), #ARGV)
keep(a, id, ms)
return 'held'
`;

/** A sequence number above the stored one is possible after a failover that has lost writes. */
const CLAIM = `
local a = keysOf(1)
local id, owner, fence, binding, from, ms = unpack(ARGV)
local seq = tonumber(from)
if not isLive(a, id) then return { 'unknown' } end
local found = get(a, id, 'owner', 'fence', 'binding', 'seq', 'acknowledged', 'floor', 'run')
if found[3] ~= binding then return { 'foreign' } end
if seq > tonumber(found[4]) then return { found[7] == run() and 'impossible' or 'unknown' } end
if seq < tonumber(found[5]) then return { 'impossible' } end
if seq < tonumber(found[6]) then return { 'evicted' } end
keep(a, id, ms)
local told = get(a, id, 'told')[1]
redis.call('HDEL', a.state, id .. ' told')
if found[1] == owner and found[2] == fence then return { 'held' } end
set(a, id, 'owner', owner, 'run', run())
local state = get(a, id, 'seq', 'acknowledged', 'floor', 'cursor', 'step', 'since', 'wishes', 'needed')
local payloads = {}
for _, ref in ipairs(redis.call('LRANGE', a.order, 0, -1)) do
  if place(ref) >= tonumber(state[8]) then
    payloads[#payloads + 1] = ref
    payloads[#payloads + 1] = redis.call('HGET', a.log, ref)
  end
end
return { 'claimed', redis.call('HINCRBY', a.state, id .. ' fence', 1), state, breaks(a, id), payloads,
  told and told ~= changes(a) and 1 or 0 }
`;

/**
 * Renewal is the only code that removes expired sessions from the list of an account. One process that serves another
 * session of the account is notified, once.
 * It also deletes events that no session can replay: those before the position that all sessions have passed. At that
 * position, it deletes the session lists that no map refers to.
 */
const RENEW = `
local owner, ms = unpack(ARGV)
local answers, seen = {}, {}
local function named(a, sessions)
  local found = {}
  for _, id in ipairs(sessions) do
    for _, entry in ipairs(breaks(a, id)) do found[string.match(entry, ' (.*)$')] = true end
  end
  return found
end
local function trim(a, sessions)
  local oldest = redis.call('LINDEX', a.order, 0)
  if not oldest then return end
  local needed = math.huge
  for _, id in ipairs(sessions) do
    needed = math.min(needed, tonumber(get(a, id, 'needed')[1] or math.huge))
  end
  local kept, lists = 0, nil
  while oldest and place(oldest) <= needed do
    if isList(oldest) then lists = lists or named(a, sessions) end
    if place(oldest) == needed and (not isList(oldest) or lists[oldest]) then kept = kept + 1
    else
      redis.call('LREM', a.order, 1, oldest)
      forget(a, oldest)
    end
    oldest = redis.call('LINDEX', a.order, kept)
  end
end
local function removeExpired(a)
  local ended = redis.call('ZRANGEBYSCORE', a.sessions, '-inf', now)
  for _, id in ipairs(ended) do
    clear(a, id)
    redis.call('ZREM', a.sessions, id)
  end
  if #ended > 0 then changed(a) end
  return #ended
end
for i = 3, #ARGV, 3 do
  local account, id, fence = unpack(ARGV, i, i + 2)
  local a = keysOf(account)
  local state, ended = holding(a, id, owner, fence), 0
  if state == 'held' then
    keep(a, id, ms)
    if not seen[account] then
      ended = removeExpired(a)
      trim(a, live(a))
    end
    seen[account] = true
  end
  answers[#answers + 1] = { state, ended }
end
return answers
`;

const RETAIN = `
local owner = ARGV[1]
for i = 2, #ARGV, 5 do
  local account, id, fence, ms, isTold = unpack(ARGV, i, i + 4)
  local a = keysOf(account)
  if holding(a, id, owner, fence) == 'held' then
    set(a, id, 'told', isTold == '1' and changes(a) or '-')
    keep(a, id, ms)
  end
end
`;

/** An expired session stays listed until a process removes it. */
const REMOVE = `
local owner = ARGV[1]
local function isElsewhere(a)
  for _, id in ipairs(live(a)) do
    local by = get(a, id, 'owner')[1]
    if by and by ~= owner then return 1 end
  end
  return 0
end
local answers = {}
for i = 2, #ARGV, 3 do
  local account, id, fence = unpack(ARGV, i, i + 2)
  local a = keysOf(account)
  local state = holding(a, id, owner, fence)
  if state == 'gone' and redis.call('ZSCORE', a.sessions, id) then state = 'held' end
  if state == 'held' then remove(a, id) end
  answers[#answers + 1] = { state, state == 'held' and isElsewhere(a) or 0 }
end
return answers
`;

/** Removes the sessions of these login sessions, or all if there are none. */
const REVOKE = `
local a, revoked, ended = keysOf(1), {}, 0
for _, login in ipairs(ARGV) do revoked[login] = true end
for _, id in ipairs(redis.call('ZRANGE', a.sessions, 0, -1)) do
  local login = get(a, id, 'login')[1]
  if login and (#ARGV == 0 or revoked[login]) then
    remove(a, id)
    ended = 1
  end
end
return ended
`;

const LIST = `
return list(keysOf(1), ARGV[1])
`;

/** Counts of a process expire if it stops reporting. */
const SOCKETS = `
local owner, ms = unpack(ARGV)
local totals = {}
for i, key in ipairs(KEYS) do
  local count = ARGV[i + 2]
  if count == '0' then redis.call('HDEL', key, owner)
  else redis.call('HSET', key, owner, count .. ' ' .. (now + ms)) end
  local total = 0
  local found = redis.call('HGETALL', key)
  for j = 1, #found, 2 do
    local count, ends = string.match(found[j + 1], '^(%d+) (%d+)')
    if tonumber(ends) < now then redis.call('HDEL', key, found[j]) else total = total + count end
  end
  redis.call('PEXPIRE', key, ms)
  totals[#totals + 1] = total
end
return totals
`;

const SCRIPTS = {
  ...{ create: CREATE, write: WRITE, restore: RESTORE, claim: CLAIM, renew: RENEW },
  ...{ retain: RETAIN, remove: REMOVE, revoke: REVOKE, list: LIST, sockets: SOCKETS },
};

export type Script = (keys: readonly string[], ...args: (string | number)[]) => Promise<unknown>;
export type Scripts = Record<keyof typeof SCRIPTS, Script>;

/** The complete source of each script. */
export const SOURCES = Object.entries(SCRIPTS).map(([name, lua]) => [name, COMMON + lua] as const);

const PREFIX = 'gatehouse:gateway:';

/** The keys of an account, in the order that the scripts expect. Their hash tag puts them on one node of a cluster. */
export const accountKeys = (account: string): string[] =>
  ['sessions', 'state', 'log', 'order'].map((name) => `${PREFIX}{${account}}:${name}`);

export const socketsKey = (addressHash: string): string => `${PREFIX}sockets:${addressHash}`;
