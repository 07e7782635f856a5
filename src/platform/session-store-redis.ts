import { hash, randomUUID } from 'node:crypto';
import { connectRedis } from './redis-client.js';
import {
  type Claim,
  type ClaimInput,
  type HeldSession,
  type Holding,
  type NewSession,
  type Renewal,
  SessionStore,
  type SessionWrite,
  type SocketCount,
} from './session-store.js';

/**
 * A session is a hash, its events a stream under their sequence, and it is listed in a sorted set of its account and
 * one of its login session by the time of its expiry. Keys follow from what is stored: one server, no cluster.
 */
const COMMON = `
local prefix = 'gatehouse:gateway:'
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function session(id) return prefix .. 'session:' .. id end
local function events(id) return prefix .. 'events:' .. id end
local function lists(id)
  local names = redis.call('HMGET', session(id), 'account', 'login')
  local keys = {}
  if names[1] then keys[1] = prefix .. 'account:' .. names[1] end
  if names[2] then keys[2] = prefix .. 'login:' .. names[2] end
  return keys
end
local function keep(id, ms)
  redis.call('PEXPIRE', session(id), ms)
  redis.call('PEXPIRE', events(id), ms)
  for _, list in ipairs(lists(id)) do
    redis.call('ZADD', list, now + ms, id)
    if redis.call('PTTL', list) < tonumber(ms) then redis.call('PEXPIRE', list, ms) end
  end
end
local function remove(id)
  for _, list in ipairs(lists(id)) do redis.call('ZREM', list, id) end
  redis.call('DEL', session(id), events(id))
end
local function holding(id, owner, fence)
  local found = redis.call('HMGET', session(id), 'owner', 'fence')
  if not found[2] then return 'gone' end
  if found[1] ~= owner or found[2] ~= fence then return 'moved' end
  return 'held'
end
`;

const CREATE = `
local id, owner, ms, limit, account, login, binding, wishes = unpack(ARGV)
local list = prefix .. 'account:' .. account
if redis.call('ZCOUNT', list, '(' .. now, '+inf') >= tonumber(limit) then return 0 end
redis.call('HSET', session(id), 'owner', owner, 'fence', 1, 'account', account, 'binding', binding, 'wishes', wishes,
  'seq', 1, 'acknowledged', 0, 'floor', 0, 'cursor', '', 'since', now)
if login ~= '' then redis.call('HSET', session(id), 'login', login) end
keep(id, ms)
return 1
`;

/** Events keep the expiry of their session. A step that was made already is not made again. */
const WRITE = `
local id, owner, fence, from, seq, acknowledged, floor, cursor = unpack(ARGV)
local state = holding(id, owner, fence)
if state ~= 'held' then return state end
local stored = redis.call('HGET', session(id), 'seq')
if stored == seq and seq ~= from then return 'held' end
if stored ~= from then return 'gone' end
for i = 9, #ARGV, 3 do
  redis.call('XADD', events(id), ARGV[i] .. '-0', 't', ARGV[i + 1], 'd', ARGV[i + 2])
end
redis.call('HSET', session(id), 'seq', seq, 'acknowledged', acknowledged, 'floor', floor, 'cursor', cursor)
redis.call('XTRIM', events(id), 'MINID', (math.max(tonumber(acknowledged), tonumber(floor)) + 1) .. '-0')
redis.call('PEXPIRE', events(id), redis.call('PTTL', session(id)))
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
if found[1] == owner and found[2] == fence then return { 'held' } end
redis.call('HSET', session(id), 'owner', owner)
return { 'claimed', redis.call('HINCRBY', session(id), 'fence', 1),
  redis.call('HMGET', session(id), 'seq', 'acknowledged', 'floor', 'wishes', 'cursor'),
  redis.call('XRANGE', events(id), '-', '+') }
`;

/** Nothing else takes expired sessions from the list of an account: whoever serves one that lives is told, once. */
const RENEW = `
local owner, ms = unpack(ARGV)
local states, changed, seen = {}, {}, {}
for i = 3, #ARGV, 2 do
  local id = ARGV[i]
  local state = holding(id, owner, ARGV[i + 1])
  states[#states + 1] = state
  if state == 'held' then
    keep(id, ms)
    local account = redis.call('HGET', session(id), 'account')
    if not seen[account] and redis.call('ZREMRANGEBYSCORE', prefix .. 'account:' .. account, '-inf', now) > 0 then
      changed[#changed + 1] = account
    end
    seen[account] = true
  end
end
return { states, changed }
`;

const RETAIN = `
local id, owner, fence, ms = unpack(ARGV)
if holding(id, owner, fence) == 'held' then keep(id, ms) end
`;

/** A session that has just expired is listed until somebody takes it out. */
const REMOVE = `
local id, owner, fence, account = unpack(ARGV)
local state = holding(id, owner, fence)
if state == 'held' then remove(id)
elseif state == 'gone' and redis.call('ZREM', prefix .. 'account:' .. account, id) == 1 then return 'held' end
return state
`;

const REVOKE = `
local except = ARGV[1]
local changed, seen = {}, {}
for i = 2, #ARGV do
  for _, id in ipairs(redis.call('ZRANGE', prefix .. ARGV[i], 0, -1)) do
    local account, login = unpack(redis.call('HMGET', session(id), 'account', 'login'))
    if account and (not login or login ~= except) then
      remove(id)
      if not seen[account] then changed[#changed + 1] = account end
      seen[account] = true
    end
  end
end
return changed
`;

const LIST = `
local found = {}
for _, id in ipairs(redis.call('ZRANGEBYSCORE', prefix .. 'account:' .. ARGV[1], '(' .. now, '+inf')) do
  local wishes, since = unpack(redis.call('HMGET', session(id), 'wishes', 'since'))
  if wishes then found[#found + 1] = { id, wishes, since } end
end
return found
`;

/** A process that no longer says what it has is gone. */
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
  ...{ create: CREATE, write: WRITE, claim: CLAIM, renew: RENEW },
  ...{ retain: RETAIN, remove: REMOVE, revoke: REVOKE, list: LIST, sockets: SOCKETS },
};
type Script = (...args: (string | number)[]) => Promise<unknown>;
type Scripts = Record<keyof typeof SCRIPTS, Script>;

const COUNTED_AT_ONCE = 200;
const ANSWER_MS = 2000;

interface Times {
  readonly retentionMs: number;
  readonly renewMs: number;
}

/** So that a session is retained in full when its process ends without a word. */
const leaseMs = ({ retentionMs, renewMs }: Times): number => retentionMs + renewMs;

const MISSED_RENEWALS = 3;

/** Sessions in Redis or Valkey. Whoever calls has to expect that it does not answer. */
export class RedisSessions extends SessionStore {
  readonly isShared = true;
  private readonly owner = randomUUID();

  private constructor(
    private readonly scripts: Scripts,
    private readonly times: Times,
    private readonly disconnect: () => void,
  ) {
    super();
  }

  static async open(url: string, times: Times): Promise<RedisSessions> {
    const client = await connectRedis(url, ANSWER_MS);
    const commands = client as unknown as Record<string, Script>;
    const define = (name: string, lua: string): Script => {
      client.defineCommand(name, { numberOfKeys: 0, lua: COMMON + lua });
      return (...args) => (commands[name] as Script).apply(client, args);
    };
    const scripts = Object.entries(SCRIPTS).map(([name, lua]) => [name, define(`gatehouseSession${name}`, lua)]);
    return new RedisSessions(Object.fromEntries(scripts), times, () => client.disconnect());
  }

  async create({ id, account, login, binding, wishes }: NewSession, limit: number): Promise<boolean> {
    const state = [account, login ?? '', binding, wishes];
    return (await this.scripts.create(id, this.owner, leaseMs(this.times), limit, ...state)) === 1;
  }

  write({ id, fence }: HeldSession, write: SessionWrite): Promise<Holding> {
    const { from, seq, acknowledged, floor, cursor, events } = write;
    const entries = events.flatMap(({ s, type, json }) => [s, type, json]);
    const state = [from, seq, acknowledged, floor, cursor];
    return this.scripts.write(id, this.owner, fence, ...state, ...entries) as Promise<Holding>;
  }

  async claim({ id, fence, binding, seq }: ClaimInput): Promise<Claim> {
    const answer = await this.scripts.claim(id, this.owner, fence, binding, seq, leaseMs(this.times));
    const [outcome, newFence, state, entries] = answer as [Claim, number, string[], [string, string[]][]];
    if ((outcome as string) !== 'claimed') return outcome;
    const [stored, acknowledged, floor, wishes = '', cursor = ''] = state;
    return {
      fence: newFence,
      seq: Number(stored),
      acknowledged: Number(acknowledged),
      floor: Number(floor),
      wishes,
      cursor,
      events: entries.map(([s, [, type = '', , json = '']]) => ({ s: Number.parseInt(s, 10), type, json })),
    };
  }

  async renew(sessions: readonly HeldSession[]): Promise<Renewal> {
    const held = sessions.flatMap(({ id, fence }) => [id, fence]);
    const answer = await this.scripts.renew(this.owner, leaseMs(this.times), ...held);
    const [holdings, changed] = answer as [Holding[], string[]];
    return { holdings, changed };
  }

  async retain({ id, fence }: HeldSession): Promise<void> {
    await this.scripts.retain(id, this.owner, fence, this.times.retentionMs);
  }

  remove({ id, fence }: HeldSession, account: string): Promise<Holding> {
    return this.scripts.remove(id, this.owner, fence, account) as Promise<Holding>;
  }

  async revoke(logins: readonly string[], accounts: readonly string[], except: string | undefined): Promise<string[]> {
    const lists = [...logins.map((id) => `login:${id}`), ...accounts.map((id) => `account:${id}`)];
    return lists.length > 0 ? (this.scripts.revoke(except ?? '', ...lists) as Promise<string[]>) : [];
  }

  async list(account: string): Promise<Pick<NewSession, 'id' | 'wishes'>[]> {
    const found = (await this.scripts.list(account)) as [id: string, wishes: string, since: string][];
    found.sort(([, , a], [, , b]) => Number(a) - Number(b));
    return found.map(([id, wishes]) => ({ id, wishes }));
  }

  async sockets(counts: readonly SocketCount[]): Promise<number[]> {
    const totals: number[] = [];
    const silentMs = MISSED_RENEWALS * this.times.renewMs;
    for (let first = 0; first < counts.length; first += COUNTED_AT_ONCE) {
      const some = counts.slice(first, first + COUNTED_AT_ONCE);
      // Client addresses are not kept in the clear.
      const pairs = some.flatMap(({ key, count }) => [hash('sha256', key, 'base64url'), count]);
      totals.push(...((await this.scripts.sockets(this.owner, silentMs, ...pairs)) as number[]));
    }
    return totals;
  }

  async close(): Promise<void> {
    this.disconnect();
  }
}
