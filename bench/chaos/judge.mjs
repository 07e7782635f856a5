/**
 * How much higher each figure of a replica may be at the end than at the start, both at rest. A new connection prepares
 * each statement when it first sends it, so it has some dozens more after a while.
 */
export const BOUNDS = {
  heap: ['heap after collection, MiB', 8],
  resources: ['resources of the event loop but sockets', 6],
  files: ['open files', 6],
  sockets: ['TCP sockets', 6],
  connections: ['connections to PostgreSQL', 2],
  statements: ['prepared statements of a connection', 40],
};

/**
 * Returns the minimum of each figure. `kinds` is that of the sample with the fewest resources.
 * @param samples of one replica
 */
export function leastOf(samples) {
  const { kinds } = samples.reduce((a, b) => (b.resources < a.resources ? b : a));
  const least = Object.keys(BOUNDS).map((key) => [key, Math.min(...samples.map((sample) => sample[key]))]);
  return { ...Object.fromEntries(least), kinds };
}

export function judgeLeaks(start, end) {
  return start.flatMap((before, replica) =>
    Object.entries(BOUNDS).map(([key, [name, most]]) => {
      const more = end[replica][key] - before[key];
      return { name, replica, before: before[key], after: end[replica][key], bound: most, isHeld: more <= most };
    }),
  );
}

/**
 * The readiness that the guide documents for each fault. `red`: every replica becomes unready and recovers. `green`:
 * all replicas stay ready. `silent`: one replica does not respond, and the others stay ready.
 */
export const READINESS = {
  'database restart': 'red',
  failover: 'red',
  'Redis lost': 'green',
  'disk full': 'green',
  'clock stepped': 'green',
  'mail server dead': 'green',
  'replica frozen': 'silent',
};

/** @param looks the observed state of each replica with the time: `green`, `red` or `silent` */
export function judgeReadiness(fault, looks, replicas) {
  const during = looks.filter(({ at }) => at >= fault.start && at <= fault.whole);
  const saw = (replica, state) => during.some((look) => look.replica === replica && look.state === state);
  const all = Array.from({ length: replicas }, (_, replica) => replica);
  const expected = READINESS[fault.name];
  const wrong = [];
  for (const replica of all) {
    const isSilent = expected === 'silent' && replica === fault.replica;
    const isRed = saw(replica, 'red');
    if (expected === 'red' && !isRed) wrong.push(`replica ${replica} stayed green`);
    if (expected !== 'red' && !isSilent && isRed) wrong.push(`replica ${replica} turned red`);
    if (isSilent && !saw(replica, 'silent')) wrong.push(`replica ${replica} answered`);
  }
  return { expected, wrong };
}

const sum = (text, pattern) => [...text.matchAll(pattern)].reduce((total, [, value]) => total + Number(value), 0);

/** The figures of a scrape that the alerts of the guide use. */
export const numbersOf = (text) => ({
  requests: sum(text, /^gatehouse_http_request_seconds_count\{[^}]*\} (\S+)$/gm),
  failed: sum(text, /^gatehouse_http_request_seconds_count\{[^}]*status="5\d\d"[^}]*\} (\S+)$/gm),
  shed: sum(text, /^gatehouse_shed_total(?:\{[^}]*\})? (\S+)$/gm),
  lag: sum(text, /^gatehouse_outbox_lag_seconds (\S+)$/gm),
  signals: sum(text, /^gatehouse_abuse_signals_total(?:\{[^}]*\})? (\S+)$/gm),
  parked: sum(text, /^gatehouse_webhook_events_total\{[^}]*outcome="parked"[^}]*\} (\S+)$/gm),
  deferred: sum(text, /^gatehouse_mail_total\{[^}]*outcome="deferred"[^}]*\} (\S+)$/gm),
});

/** How much a counter grew from the last scrape before a fault to the first one after it, over all replicas. */
function grew(scrapes, fault, key, replicas) {
  let total = 0;
  for (let replica = 0; replica < replicas; replica++) {
    const own = scrapes.filter((one) => one.replica === replica && one.isUp);
    const before = own.findLast(({ at }) => at <= fault.start) ?? own[0];
    const after = own.find(({ at }) => at >= fault.whole) ?? own.at(-1);
    total += (after?.[key] ?? 0) - (before?.[key] ?? 0);
  }
  return total;
}

/** The alerts of the guide that each fault must affect. They are checked by their metrics, see `judgeAlerts`. */
const MOVES = {
  'database restart': ['GatehouseFails'],
  failover: ['GatehouseFails'],
  'disk full': ['GatehouseFails'],
  'mail server dead': ['GatehouseMailWaits'],
  'replica frozen': ['GatehouseDown'],
};

/** The minimum age of waiting emails in this check, in seconds. The alert itself requires 300 s. */
const WAITING_SECONDS = 5;

export function judgeAlerts(fault, scrapes, replicas) {
  const during = scrapes.filter(({ at }) => at >= fault.start && at <= fault.whole);
  const moved = {
    GatehouseDown: () => during.some(({ replica, isUp }) => replica === fault.replica && !isUp),
    GatehouseFails: () => grew(scrapes, fault, 'failed', replicas) > 0,
    GatehouseMailWaits: () =>
      grew(scrapes, fault, 'deferred', replicas) > 0 && during.some(({ lag = 0 }) => lag >= WAITING_SECONDS),
  };
  const expected = MOVES[fault.name] ?? [];
  return { expected, wrong: expected.filter((alert) => !moved[alert]()).map((alert) => `${alert} did not move`) };
}
