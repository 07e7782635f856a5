/**
 * `ok`: acknowledged. `refused`: not done. `unknown`: the response was 503 or missing, and the change may still happen.
 */
export class Ledger {
  /** Cells that have the value written last, by name. Values are in order and are written one at a time. */
  cells = new Map();
  /** Things that exist once or not at all, by kind and name. */
  things = new Map();
  /** Secrets that only one request may redeem. */
  secrets = new Map();
  sessions = new Map();

  /** @param isAnswered if it is false, the request may be processed after later ones */
  wrote(cell, value, outcome, isAnswered = true) {
    if (outcome === 'refused') return;
    const writes = this.cells.get(cell) ?? [];
    this.cells.set(cell, writes);
    writes.push({ value, outcome, isAnswered });
  }

  made(kind, name, outcome) {
    if (outcome === 'refused') return;
    const things = this.things.get(kind) ?? new Map();
    this.things.set(kind, things.set(name, outcome));
  }

  redeemed(kind, secret, outcome) {
    const known = this.secrets.get(secret) ?? { kind, ok: 0, tries: 0 };
    known.tries++;
    if (outcome === 'ok') known.ok++;
    this.secrets.set(secret, known);
  }

  opened(token) {
    this.sessions.set(token, 'open');
  }

  revoked(token, outcome) {
    if (outcome !== 'refused') this.sessions.set(token, outcome === 'ok' ? 'revoked' : 'unknown');
  }

  /** The values that a cell may have now. Empty if no write to it is certain. */
  possible(cell) {
    const writes = this.cells.get(cell) ?? [];
    const last = writes.findLastIndex(({ outcome }) => outcome === 'ok');
    if (last < 0) return [];
    return writes
      .filter((write, n) => n >= last || (write.outcome === 'unknown' && !write.isAnswered))
      .map(({ value }) => value);
  }
}

const short = (value) => JSON.stringify(value)?.slice(0, 60);

/** @param found the value of each cell, the number of each thing, and the response status of each session */
export function judgeLedger(ledger, { cells, things, sessions }) {
  const [lost, doubled, revived] = [[], [], []];
  for (const cell of ledger.cells.keys()) {
    const possible = ledger.possible(cell);
    if (possible.length > 0 && !possible.includes(cells.get(cell)))
      lost.push(`${cell} holds ${short(cells.get(cell))}, not ${possible.map(short).join(' or ')}`);
  }
  for (const [kind, named] of ledger.things) {
    for (const [name, outcome] of named) {
      const count = things.get(kind)?.get(name) ?? 0;
      if (count === 0 && outcome === 'ok') lost.push(`${kind} ${name}`);
      if (count > 1) doubled.push(`${kind} ${name}: ${count}`);
    }
  }
  for (const [token, state] of ledger.sessions) {
    const status = sessions.get(token);
    const name = `session ${token.slice(0, 8)}`;
    if (state === 'open' && status !== 200) lost.push(`${name} is answered with ${status}`);
    if (state === 'revoked' && status !== 401) revived.push(`${name} is answered with ${status}`);
  }
  for (const { kind, ok } of ledger.secrets.values()) if (ok > 1) doubled.push(`${kind}, redeemed ${ok} times`);
  return { lost, doubled, revived };
}

/**
 * @param ledger has the accounts, which must get one registration email each, as `account`
 * @param delivered pairs of recipient and message ID; the same ID again is the same message
 */
export function judgeMail(ledger, delivered) {
  const ids = new Map();
  let repeated = 0;
  for (const { to, id } of delivered) {
    const known = ids.get(to) ?? new Set();
    ids.set(to, known);
    if (known.has(id)) repeated++;
    known.add(id);
  }
  const [lost, doubled] = [[], []];
  for (const [to, outcome] of ledger.things.get('account') ?? []) {
    const count = ids.get(to)?.size ?? 0;
    if (count === 0 && outcome === 'ok') lost.push(`mail to ${to}`);
    if (count > 1) doubled.push(`mail to ${to}: ${count}`);
  }
  return { lost, doubled, repeated, count: [...ids.values()].reduce((sum, { size }) => sum + size, 0) };
}

/** Whether a message is in a gap, which a client has if it was away for too long. */
const isIn = ({ after = '0', before }, id) =>
  BigInt(id) > BigInt(after) && (before === undefined || BigInt(id) < BigInt(before));

/**
 * @param stored messages of a listener's webhook in the order of their IDs. `seen`: those that it received, in order.
 *   `invalidated`: for each session that ended too early, the seconds for which its client was away.
 */
export function judgeEvents(name, { stored, seen, invalidated, gaps, repeated }) {
  const [lost, doubled] = [[], []];
  const told = new Set(seen);
  const missing = stored.filter((id) => !told.has(id) && !gaps.some((gap) => isIn(gap, id)));
  if (missing.length > 0) lost.push(`${missing.length} events of ${name}`);
  for (const seconds of invalidated) lost.push(`a gateway session of ${name}, which was away for ${seconds} s`);
  const strange = [...told].filter((id) => !stored.includes(id));
  if (strange.length > 0) lost.push(`${strange.length} messages that ${name} was told of`);
  if (seen.length > told.size) doubled.push(`${seen.length - told.size} events of ${name}`);
  if (repeated > 0) doubled.push(`${repeated} sequences of ${name}`);
  return { lost, doubled };
}
