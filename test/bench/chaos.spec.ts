import { join } from 'node:path';

const load = (name: string) => import(join(import.meta.dirname, '../..', 'bench', 'chaos', `${name}.mjs`));

const FAULTS = ['one', 'two', 'three'];

describe('chance', () => {
  test('a seed gives the same numbers again, and every fault occurs once before one repeats', async () => {
    const { Random, rounds } = await load('random');
    const names = (seed: number) => {
      const order = rounds(new Random(seed), FAULTS);
      return Array.from({ length: 6 }, () => order.next().value as string);
    };
    expect(names(7)).toEqual(names(7));
    expect(names(7).slice(0, 3).toSorted()).toEqual(FAULTS.toSorted());
    expect(names(7).slice(3).toSorted()).toEqual(FAULTS.toSorted());
    expect(new Set([1, 2, 3, 4, 5, 6, 7, 8].map((seed) => names(seed).join())).size).toBeGreaterThan(1);
  });
});

describe('the ledger', () => {
  const newLedger = async () => {
    const { Ledger, judgeLedger } = await load('ledger');
    const ledger = new Ledger();
    const judge = (found: { cells?: object; things?: object; sessions?: object }) =>
      judgeLedger(ledger, {
        cells: new Map(Object.entries(found.cells ?? {})),
        things: new Map([['account', new Map(Object.entries(found.things ?? {}))]]),
        sessions: new Map(Object.entries(found.sessions ?? {})),
      });
    return { ledger, judge };
  };

  test('a value may be the last acknowledged one or one that may have followed it, and no other', async () => {
    const { ledger, judge } = await newLedger();
    ledger.wrote('bio', 'before', 'unknown');
    ledger.wrote('bio', 'late', 'unknown', false);
    ledger.wrote('bio', 'old', 'ok');
    ledger.wrote('bio', 'last', 'ok');
    ledger.wrote('bio', 'maybe', 'unknown');
    ledger.wrote('bio', 'never', 'refused');
    const lostBy = (value: string) => judge({ cells: { bio: value } }).lost.length;
    expect(['last', 'maybe', 'late'].map(lostBy)).toEqual([0, 0, 0]);
    expect(['before', 'old', 'never'].map(lostBy)).toEqual([1, 1, 1]);
  });

  test('acknowledged objects exist once, those of unknown outcome at most once, and rejected ones do not exist', async () => {
    const { ledger, judge } = await newLedger();
    ledger.made('account', 'sure', 'ok');
    ledger.made('account', 'perhaps', 'unknown');
    ledger.made('account', 'no', 'refused');
    expect(judge({ things: { sure: 1 } })).toEqual({ lost: [], doubled: [], revived: [] });
    expect(judge({ things: { sure: 1, perhaps: 1 } })).toEqual({ lost: [], doubled: [], revived: [] });
    expect(judge({ things: { perhaps: 2 } })).toEqual({
      lost: ['account sure'],
      doubled: ['account perhaps: 2'],
      revived: [],
    });
  });

  test('a session is valid until its end is acknowledged, and never after it', async () => {
    const { ledger, judge } = await newLedger();
    for (const token of ['open', 'ended', 'unclear', 'refused']) ledger.opened(token);
    ledger.revoked('ended', 'ok');
    ledger.revoked('unclear', 'unknown');
    ledger.revoked('refused', 'refused');
    expect(judge({ sessions: { open: 200, ended: 401, unclear: 401, refused: 200 } }).lost).toEqual([]);
    const broken = judge({ sessions: { open: 401, ended: 200, unclear: 200, refused: 401 } });
    expect(broken.lost).toEqual(['session open is answered with 401', 'session refused is answered with 401']);
    expect(broken.revived).toEqual(['session ended is answered with 200']);
  });

  test('a secret redeemed twice is reported as doubled', async () => {
    const { ledger, judge } = await newLedger();
    for (const outcome of ['ok', 'refused', 'unknown']) ledger.redeemed('code', 'first', outcome);
    expect(judge({}).doubled).toEqual([]);
    for (const outcome of ['ok', 'ok']) ledger.redeemed('code', 'second', outcome);
    expect(judge({}).doubled).toEqual(['code, redeemed 2 times']);
  });

  test('an email repeated with its ID is the same message, with another ID it is doubled', async () => {
    const { ledger } = await newLedger();
    const { judgeMail } = await load('ledger');
    for (const [to, outcome] of [
      ['a', 'ok'],
      ['b', 'ok'],
      ['c', 'unknown'],
    ])
      ledger.made('account', to, outcome);
    const twice = [
      { to: 'a', id: '1' },
      { to: 'a', id: '1' },
    ];
    expect(judgeMail(ledger, [...twice, { to: 'b', id: '2' }])).toEqual({
      lost: [],
      doubled: [],
      repeated: 1,
      count: 2,
    });
    expect(judgeMail(ledger, [...twice, { to: 'a', id: '3' }])).toMatchObject({
      lost: ['mail to b'],
      doubled: ['mail to a: 2'],
    });
  });

  test('a client of the gateway sees every message once', async () => {
    const { judgeEvents } = await load('ledger');
    const well = { stored: ['1', '2'], seen: ['1', '2'], invalidated: [], gaps: [], repeated: 0 };
    expect(judgeEvents('it', well)).toEqual({ lost: [], doubled: [] });
    expect(judgeEvents('it', { ...well, seen: ['1'] }).lost).toEqual(['1 events of it']);
    expect(judgeEvents('it', { ...well, seen: ['1', '2', '3'] }).lost).toEqual(['1 messages that it was told of']);
    expect(judgeEvents('it', { ...well, invalidated: [3] }).lost).toEqual([
      'a gateway session of it, which was away for 3 s',
    ]);
    const away = { ...well, stored: ['1', '2', '3', '4'], seen: ['1', '4'] };
    expect(judgeEvents('it', { ...away, gaps: [{ after: '1', before: '4' }] }).lost).toEqual([]);
    expect(judgeEvents('it', { ...away, gaps: [{ after: '2', before: '4' }] }).lost).toEqual(['1 events of it']);
    expect(judgeEvents('it', { ...well, seen: ['1', '2', '2'] }).doubled).toEqual(['1 events of it']);
    expect(judgeEvents('it', { ...well, repeated: 1 }).doubled).toEqual(['1 sequences of it']);
  });
});

describe('checks of a run', () => {
  const look = (replica: number, at: number, state: string) => ({ replica, at, state });
  const fault = (name: string, more: object = {}) => ({ name, start: 10, end: 20, whole: 30, ...more });

  test('readiness is red when the guide says so, and at no other time', async () => {
    const { judgeReadiness, READINESS } = await load('judge');
    const wrong = (of: object, looks: object[]): string[] => judgeReadiness(of, looks, 2).wrong;
    const both = [look(0, 15, 'red'), look(1, 15, 'red')];
    expect(wrong(fault('failover'), both)).toEqual([]);
    expect(wrong(fault('failover'), [look(0, 15, 'red'), look(1, 5, 'red')])).toEqual(['replica 1 stayed green']);
    expect(wrong(fault('Redis lost'), [look(0, 15, 'silent')])).toEqual([]);
    expect(wrong(fault('Redis lost'), both)).toHaveLength(2);
    const frozen = fault('replica frozen', { replica: 1 });
    expect(wrong(frozen, [look(0, 15, 'green'), look(1, 15, 'silent')])).toEqual([]);
    expect(wrong(frozen, [look(0, 15, 'red'), look(1, 15, 'green')])).toEqual([
      'replica 0 turned red',
      'replica 1 answered',
    ]);
    const { Faults } = await load('faults');
    expect(Object.keys(new Faults({}, undefined).kinds).toSorted()).toEqual(Object.keys(READINESS).toSorted());
  });

  test('the scraped numbers are those that the alerts of the guide read', async () => {
    const { numbersOf } = await load('judge');
    const text = [
      '# HELP gatehouse_http_request_seconds Requests',
      'gatehouse_http_request_seconds_count{route="a",status="200"} 7',
      'gatehouse_http_request_seconds_count{route="a",status="503"} 2',
      'gatehouse_outbox_lag_seconds 12.5',
      'gatehouse_mail_total{type="email_verification",outcome="deferred"} 3',
      'gatehouse_shed_total{queue="work"} 1',
    ].join('\n');
    expect(numbersOf(text)).toMatchObject({ requests: 9, failed: 2, lag: 12.5, deferred: 3, shed: 1, parked: 0 });
  });

  test('an alert must have changed', async () => {
    const { judgeAlerts } = await load('judge');
    const scrape = (replica: number, at: number, more: object) => ({
      replica,
      at,
      isUp: true,
      lag: 0,
      deferred: 0,
      ...more,
    });
    const wrong = (of: object, scrapes: object[]): string[] => judgeAlerts(of, scrapes, 2).wrong;
    expect(wrong(fault('failover'), [scrape(0, 5, { failed: 1 }), scrape(0, 35, { failed: 3 })])).toEqual([]);
    expect(wrong(fault('failover'), [scrape(0, 5, { failed: 1 }), scrape(0, 35, { failed: 1 })])).toHaveLength(1);
    const mail = [scrape(1, 5, {}), scrape(1, 15, { lag: 9 }), scrape(1, 31, { deferred: 1 })];
    expect(wrong(fault('mail server dead'), mail)).toEqual([]);
    expect(
      wrong(
        fault('mail server dead'),
        mail.filter(({ lag }) => lag === 0),
      ),
    ).toHaveLength(1);
    expect(wrong(fault('replica frozen', { replica: 1 }), [scrape(0, 15, { isUp: false })])).toHaveLength(1);
    expect(wrong(fault('replica frozen', { replica: 0 }), [scrape(0, 15, { isUp: false })])).toEqual([]);
  });

  test('growth beyond its limit is a leak', async () => {
    const { BOUNDS, judgeLeaks } = await load('judge');
    const held = Object.fromEntries(Object.keys(BOUNDS).map((key) => [key, 100]));
    const grown = { ...held, heap: 100 + BOUNDS.heap[1] };
    const leaked = (end: object) =>
      judgeLeaks([held], [end]).flatMap(({ name, isHeld }: { name: string; isHeld: boolean }) =>
        isHeld ? [] : [name],
      );
    expect(leaked(grown)).toEqual([]);
    expect(leaked({ ...grown, heap: grown.heap + 1 })).toEqual([BOUNDS.heap[0]]);
  });

  test('a single sample is not enough for a leak at rest', async () => {
    const { BOUNDS, leastOf } = await load('judge');
    const all = (value: number, kinds: object) => ({
      ...Object.fromEntries(Object.keys(BOUNDS).map((key) => [key, value])),
      kinds,
    });
    const busy = { ...all(9, { Timeout: 9 }), heap: 1 };
    const quiet = { ...all(3, { Timeout: 3 }), heap: 2 };
    expect(leastOf([busy, quiet])).toEqual({ ...quiet, heap: 1 });
    expect(leastOf([quiet, busy])).toEqual({ ...quiet, heap: 1 });
  });

  test('a report lists the violations, and nothing else', async () => {
    const { report, verdicts } = await load('report');
    const name = 'failover';
    const run = {
      ...{
        date: '2020-02-03',
        machine: 'a machine',
        seconds: 60,
        seed: 7,
        rate: 5,
        load: '0.5',
        postgres: '17.1',
        diskMib: 8,
      },
      faults: [fault(name)],
      ledger: { lost: ['account x'], doubled: [], revived: [] },
      mail: { lost: [], doubled: [], repeated: 1, count: 2 },
      events: { lost: [], doubled: [] },
      files: [],
      leaks: [{ name: 'heap', replica: 0, before: 1, after: 20, bound: 8, isHeld: false }],
      readiness: [{ name, at: 3, expected: 'red', wrong: [] }],
      alerts: [{ name, at: 3, expected: ['GatehouseFails'], wrong: [] }],
      unexpected: [],
      counts: { accounts: 1 },
      done: { 'read by session': 9 },
    };
    const broken = verdicts(run).filter(({ faults }: { faults: string[] }) => faults.length > 0);
    expect(broken).toEqual([
      { name: 'nothing acknowledged is lost', faults: ['account x'] },
      { name: 'nothing leaks', faults: ['heap of replica 0: 1.0, then 20.0'] },
    ]);
    const text: string = report(run);
    expect(text).not.toMatch(/NaN|undefined|Infinity/);
    for (const line of ['- nothing acknowledged is lost: account x', '- nothing is doubled: kept'])
      expect(text).toContain(line);
  });
});
