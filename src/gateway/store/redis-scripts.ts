/**
 * Data model in Redis: a session is a hash and a list of the breaks of its map. It is listed in a sorted set of its
 * account and one of its login session, scored by expiration time.
 * The events of an account are a hash by reference, and a list in their order. In the hash, `#` is the total size and
 * `@` counts the changes of the session list.
 * Keys are computed from stored values, so this needs a single server and not a cluster.
 */
const COMMON = `
local prefix = 'gatehouse:gateway:'
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function session(id) return prefix .. 'session:' .. id end
local function breaks(id) return prefix .. 'breaks:' .. id end
local function log(account) return prefix .. 'log:' .. account end
local function order(account) return prefix .. 'order:' .. account end
local function last(key, ms)
  if redis.call('PTTL', key) < tonumber(ms) then redis.call('PEXPIRE', key, ms) end
end
local function keep(id, ms)
  local account, login = unpack(redis.call('HMGET', session(id), 'account', 'login'))
  if not account then return end
  redis.call('PEXPIRE', session(id), ms)
  redis.call('PEXPIRE', breaks(id), ms)
  redis.call('ZADD', prefix .. 'account:' .. account, now + ms, id)
  last(prefix .. 'account:' .. account, ms)
  if login then
    redis.call('ZADD', prefix .. 'login:' .. login, now + ms, id)
    last(prefix .. 'login:' .. login, ms)
  end
  last(log(account), ms)
  last(order(account), ms)
end
local function changed(account)
  if redis.call('EXISTS', log(account)) == 1 then redis.call('HINCRBY', log(account), '@', 1) end
end
local function changes(account) return redis.call('HGET', log(account), '@') or '0' end
local function remove(id)
  local account, login = unpack(redis.call('HMGET', session(id), 'account', 'login'))
  if account then redis.call('ZREM', prefix .. 'account:' .. account, id) end
  if login then redis.call('ZREM', prefix .. 'login:' .. login, id) end
  redis.call('DEL', session(id), breaks(id))
  if not account then return end
  if redis.call('EXISTS', prefix .. 'account:' .. account) == 0 then redis.call('DEL', log(account), order(account))
  else changed(account) end
end
local function holding(id, owner, fence)
  local found = redis.call('HMGET', session(id), 'owner', 'fence')
  if not found[2] then return 'gone' end
  if found[1] ~= owner or found[2] ~= fence then return 'moved' end
  return 'held'
end
local function forget(account, ref)
  local size = redis.call('HSTRLEN', log(account), ref)
  redis.call('HDEL', log(account), ref)
  return redis.call('HINCRBY', log(account), '#', -size)
end
-- Events from ARGV[at] on, two each; answers where they end.
local function store(account, at, count, budget, ms)
  for i = at, at + 2 * count - 1, 2 do
    if redis.call('HSETNX', log(account), ARGV[i], ARGV[i + 1]) == 1 then
      redis.call('RPUSH', order(account), ARGV[i])
      local bytes = redis.call('HINCRBY', log(account), '#', #ARGV[i + 1])
      while bytes > tonumber(budget) do
        local oldest = redis.call('LPOP', order(account))
        if not oldest then break end
        bytes = forget(account, oldest)
      end
    end
  end
  last(log(account), ms)
  last(order(account), ms)
  return at + 2 * count
end
local function isList(ref) return string.sub(ref, 1, 1) == 'p' end
local function place(ref) return tonumber(string.match(ref, '^p?(%d+)')) or 0 end
local function list(account, owner)
  local found = {}
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', prefix .. 'account:' .. account, '(' .. now, '+inf')) do
    local wishes, since, by = unpack(redis.call('HMGET', session(id), 'wishes', 'since', 'owner'))
    local isMobile = wishes and string.sub(wishes, 1, 14) == '{"mobile":true'
    if wishes then found[#found + 1] = { id, isMobile and 1 or 0, since, by == owner and 1 or 0 } end
  end
  return found
end
`;

const CREATE = `
local id, owner, ms, limit, account, login, binding, wishes, cursor, first = unpack(ARGV)
if redis.call('ZCOUNT', prefix .. 'account:' .. account, '(' .. now, '+inf') >= tonumber(limit) then return {} end
redis.call('HSET', session(id), 'owner', owner, 'fence', 1, 'account', account, 'binding', binding, 'wishes', wishes,
  'step', 0, 'seq', first and 2 or 1, 'acknowledged', 0, 'floor', 0, 'cursor', cursor, 'needed', cursor + 1, 'since', now)
if login ~= '' then redis.call('HSET', session(id), 'login', login) end
if first then redis.call('RPUSH', breaks(id), first) end
redis.call('HINCRBY', log(account), '@', 1)
keep(id, ms)
return { now, list(account, owner) }
`;

/** A step that was already written is not written again. */
const WRITE = `
local account, owner, ms, budget, count = unpack(ARGV)
local at = store(account, 6, tonumber(count), budget, ms)
local answers = {}
while at <= #ARGV do
  local id, fence, step, seq, acknowledged, floor, cursor, needed, drop, fresh = unpack(ARGV, at, at + 9)
  local state = holding(id, owner, fence)
  if state == 'held' then
    local made = tonumber(redis.call('HGET', session(id), 'step'))
    if made + 1 == tonumber(step) then
      redis.call('HSET', session(id), 'step', step, 'seq', seq, 'acknowledged', acknowledged, 'floor', floor,
        'cursor', cursor, 'needed', needed)
      if drop ~= '0' then redis.call('LTRIM', breaks(id), drop, -1) end
      for i = at + 10, at + 9 + fresh do redis.call('RPUSH', breaks(id), ARGV[i]) end
      if fresh ~= '0' then redis.call('PEXPIRE', breaks(id), redis.call('PTTL', session(id))) end
    elseif made ~= tonumber(step) then state = 'gone' end
  end
  answers[#answers + 1] = state
  at = at + 10 + fresh
end
return answers
`;

const RESTORE = `
local id, owner, fence, ms, budget, account, login, binding, wishes, since = unpack(ARGV)
local step, seq, acknowledged, floor, cursor, needed, count = unpack(ARGV, 11, 17)
local found = redis.call('HMGET', session(id), 'owner', 'fence')
if found[2] and (tonumber(found[2]) > tonumber(fence) or (found[2] == fence and found[1] ~= owner)) then return 'moved' end
redis.call('DEL', session(id), breaks(id))
redis.call('HSET', session(id), 'owner', owner, 'fence', fence, 'account', account, 'binding', binding, 'wishes', wishes,
  'step', step, 'seq', seq, 'acknowledged', acknowledged, 'floor', floor, 'cursor', cursor, 'needed', needed,
  'since', since)
if login ~= '' then redis.call('HSET', session(id), 'login', login) end
local at = store(account, 18, tonumber(count), budget, ms)
for i = at, #ARGV do redis.call('RPUSH', breaks(id), ARGV[i]) end
keep(id, ms)
return 'held'
`;

const CLAIM = `
local id, owner, fence, binding, from, ms = unpack(ARGV)
local found = redis.call('HMGET', session(id), 'owner', 'fence', 'binding', 'seq', 'acknowledged', 'floor')
local seq = tonumber(from)
if not found[2] then return { 'unknown' } end
if found[3] ~= binding then return { 'foreign' } end
if seq > tonumber(found[4]) or seq < tonumber(found[5]) then return { 'impossible' } end
if seq < tonumber(found[6]) then return { 'evicted' } end
keep(id, ms)
local told = redis.call('HGET', session(id), 'told')
redis.call('HDEL', session(id), 'told')
if found[1] == owner and found[2] == fence then return { 'held' } end
redis.call('HSET', session(id), 'owner', owner)
local state = redis.call('HMGET', session(id), 'seq', 'acknowledged', 'floor', 'cursor', 'step', 'since', 'wishes',
  'account', 'needed')
local payloads = {}
for _, ref in ipairs(redis.call('LRANGE', order(state[8]), 0, -1)) do
  if place(ref) >= tonumber(state[9]) then
    payloads[#payloads + 1] = ref
    payloads[#payloads + 1] = redis.call('HGET', log(state[8]), ref)
  end
end
return { 'claimed', redis.call('HINCRBY', session(id), 'fence', 1), state, redis.call('LRANGE', breaks(id), 0, -1),
  payloads, told and told ~= changes(state[8]) and 1 or 0 }
`;

/**
 * Renewal is the only code that removes expired sessions from the list of an account. One process that serves another
 * session of the account is notified, once.
 * It also deletes events that no session can replay: those before the position that all sessions have passed. At that
 * position, it deletes the session lists that no map refers to.
 */
const RENEW = `
local owner, ms = unpack(ARGV)
local states, ended, seen = {}, {}, {}
local function named(sessions)
  local found = {}
  for _, id in ipairs(sessions) do
    for _, entry in ipairs(redis.call('LRANGE', breaks(id), 0, -1)) do
      found[string.match(entry, ' (.*)$')] = true
    end
  end
  return found
end
local function trim(account, sessions)
  local oldest = redis.call('LINDEX', order(account), 0)
  if not oldest then return end
  local needed = math.huge
  for _, id in ipairs(sessions) do
    needed = math.min(needed, tonumber(redis.call('HGET', session(id), 'needed') or math.huge))
  end
  local kept, lists = 0, nil
  while oldest and place(oldest) <= needed do
    if isList(oldest) then lists = lists or named(sessions) end
    if place(oldest) == needed and (not isList(oldest) or lists[oldest]) then kept = kept + 1
    else
      redis.call('LREM', order(account), 1, oldest)
      forget(account, oldest)
    end
    oldest = redis.call('LINDEX', order(account), kept)
  end
end
for i = 3, #ARGV, 2 do
  local id = ARGV[i]
  local state = holding(id, owner, ARGV[i + 1])
  states[#states + 1] = state
  if state == 'held' then
    keep(id, ms)
    local account = redis.call('HGET', session(id), 'account')
    local listed = prefix .. 'account:' .. account
    if not seen[account] then
      if redis.call('ZREMRANGEBYSCORE', listed, '-inf', now) > 0 then
        changed(account)
        ended[#ended + 1] = account
      end
      trim(account, redis.call('ZRANGE', listed, 0, -1))
    end
    seen[account] = true
  end
end
return { states, ended }
`;

const RETAIN = `
local owner = ARGV[1]
for i = 2, #ARGV, 4 do
  local id, fence, ms, isTold = unpack(ARGV, i, i + 3)
  if holding(id, owner, fence) == 'held' then
    local told = isTold == '1' and changes(redis.call('HGET', session(id), 'account')) or '-'
    redis.call('HSET', session(id), 'told', told)
    keep(id, ms)
  end
end
`;

/** An expired session stays listed until a process removes it. */
const REMOVE = `
local owner = ARGV[1]
local function isElsewhere(account)
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', prefix .. 'account:' .. account, '(' .. now, '+inf')) do
    local by = redis.call('HGET', session(id), 'owner')
    if by and by ~= owner then return 1 end
  end
  return 0
end
local answers = {}
for i = 2, #ARGV, 3 do
  local id, fence, account = unpack(ARGV, i, i + 2)
  local state = holding(id, owner, fence)
  if state == 'held' then remove(id)
  elseif state == 'gone' and redis.call('ZREM', prefix .. 'account:' .. account, id) == 1 then
    changed(account)
    state = 'held'
  end
  answers[#answers + 1] = { state, state == 'held' and isElsewhere(account) or 0 }
end
return answers
`;

const REVOKE = `
local ended, seen = {}, {}
for i = 1, #ARGV do
  for _, id in ipairs(redis.call('ZRANGE', prefix .. ARGV[i], 0, -1)) do
    local account = redis.call('HGET', session(id), 'account')
    if account then
      remove(id)
      if not seen[account] then ended[#ended + 1] = account end
      seen[account] = true
    end
  end
end
return ended
`;

const LIST = `
return list(ARGV[1], ARGV[2])
`;

/** Counts of a process expire if it stops reporting. */
const SOCKETS = `
local owner, ms = unpack(ARGV)
local totals = {}
for i = 3, #ARGV, 2 do
  local key = prefix .. 'sockets:' .. ARGV[i]
  if ARGV[i + 1] == '0' then redis.call('HDEL', key, owner)
  else redis.call('HSET', key, owner, ARGV[i + 1] .. ' ' .. (now + ms)) end
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

export type Script = (...args: (string | number)[]) => Promise<unknown>;
export type Scripts = Record<keyof typeof SCRIPTS, Script>;

/** The complete source of each script. */
export const SOURCES = Object.entries(SCRIPTS).map(([name, lua]) => [name, COMMON + lua] as const);
