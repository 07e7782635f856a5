/** The report of a run: tables, charts and a part of docs/performance.md, all made only from its figures. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { barChart } from './chart.mjs';
import { SUBJECTS } from './subjects.mjs';

const root = join(import.meta.dirname, '../..');
const BEGIN = '<!-- written by npm run bench -- peers -->';
const END = '<!-- up to here -->';
const BARE = 'bare node:http';
const FASTIFY = 'Gatehouse, Fastify';
const EXPRESS = 'Gatehouse, Express';

const ratio = (value) => (value >= 10 ? value.toFixed(0) : value >= 0.1 ? value.toFixed(2) : value.toFixed(3));
const whole = (value) => String(Math.round(value));
const micro = (value) => (value >= 100 ? whole(value) : value.toFixed(1));
const milli = (value) => (value >= 100 ? whole(value) : value.toFixed(1));
const kindOf = (name) => (name.startsWith('Gatehouse') ? 'ours' : SUBJECTS[name]?.floor ? 'floor' : undefined);

function callerTable({ rows, fixedRate }) {
  const bare = rows[BARE];
  return [
    [
      'Who is the caller',
      'asks',
      'requests/s',
      'of bare',
      'CPU us',
      'x bare',
      'database us',
      `p50 ms at ${fixedRate}/s`,
      'p99 ms',
    ],
    ...Object.entries(rows).map(([name, row]) => [
      name,
      SUBJECTS[name].asks,
      whole(row.requestsPerSecond),
      ratio(row.requestsPerSecond / bare.requestsPerSecond),
      micro(row.cpuMicroseconds),
      ratio(row.cpuMicroseconds / bare.cpuMicroseconds),
      row.databaseMicroseconds ? micro(row.databaseMicroseconds) : '',
      milli(row.p50),
      milli(row.p99),
    ]),
  ];
}

function signInTable({ rows, fixedRate }) {
  const raw = rows['raw argon2'];
  return [
    [
      'Sign-in by password',
      'sign-ins/s',
      'of raw argon2',
      'CPU ms',
      'x raw argon2',
      `p50 ms at ${fixedRate}/s`,
      'p99 ms',
    ],
    ...Object.entries(rows).map(([name, row]) => [
      name,
      row.requestsPerSecond.toFixed(1),
      ratio(row.requestsPerSecond / raw.requestsPerSecond),
      milli(row.cpuMicroseconds / 1000),
      ratio(row.cpuMicroseconds / raw.cpuMicroseconds),
      milli(row.p50),
      milli(row.p99),
    ]),
  ];
}

function meanwhileTable({ meanwhile: { rate, rows } }) {
  return [
    [
      `GETs at ${rate}/s`,
      'p50 ms idle',
      'p99 ms idle',
      'p50 ms while 8 sign in',
      'p99 ms while 8 sign in',
      'p99 x idle',
    ],
    ...Object.entries(rows).map(([name, { idle, busy }]) => [
      name,
      milli(idle.p50),
      milli(idle.p99),
      milli(busy.p50),
      milli(busy.p99),
      ratio(busy.p99 / idle.p99),
    ]),
  ];
}

function oauthTables(operations) {
  return operations.map(({ name: operation, rows, fixedRate }) => {
    const peer = rows['oidc-provider'];
    return [
      [
        `OAuth2: ${operation}`,
        'requests/s',
        'x oidc-provider',
        'CPU us',
        'of its CPU',
        'database us',
        `p50 ms at ${fixedRate}/s`,
        'p99 ms',
      ],
      ...Object.entries(rows).map(([name, row]) => [
        name,
        whole(row.requestsPerSecond),
        ratio(row.requestsPerSecond / peer.requestsPerSecond),
        micro(row.cpuMicroseconds),
        ratio(row.cpuMicroseconds / peer.cpuMicroseconds),
        micro(row.databaseMicroseconds),
        milli(row.p50),
        milli(row.p99),
      ]),
    ];
  });
}

function gatewayTable({ rows }) {
  const raw = rows['plain ws and a statement'];
  return [
    ['Gateway: connect, Identify, READY, close', 'per second', 'of plain ws', 'CPU us', 'x plain ws'],
    ...Object.entries(rows).map(([name, row]) => [
      name,
      whole(row.requestsPerSecond),
      ratio(row.requestsPerSecond / raw.requestsPerSecond),
      micro(row.cpuMicroseconds),
      ratio(row.cpuMicroseconds / raw.cpuMicroseconds),
    ]),
  ];
}

function startTable({ rows }) {
  return [
    ['Start and memory', 'start ms', 'RSS MiB, started', 'RSS MiB, after its load'],
    ...Object.entries(rows).map(([name, { milliseconds, idleMib, loadedMib }]) => [
      name,
      whole(milliseconds),
      whole(idleMib),
      whole(loadedMib),
    ]),
  ];
}

const verdict = (...met) => (met.every(Boolean) ? 'yes' : met.some(Boolean) ? 'by one of the two' : 'no');

/**
 * The targets and the results of this run. Rates are also compared by CPU time, because it predicts the rates of
 * servers on a core of their own.
 */
function targetTable({ caller, signIn, oauth }) {
  const rows = [['Target', 'asked', 'by rate', 'by processor time', 'met']];
  const times = (what, least, row, other) => {
    const rate = row.requestsPerSecond / other.requestsPerSecond;
    const cpu = other.cpuMicroseconds / row.cpuMicroseconds;
    rows.push([what, `at least ${least}`, ratio(rate), ratio(cpu), verdict(rate >= least, cpu >= least)]);
  };
  const atMost = (what, most, value, ofTime) => {
    const cells = ofTime ? ['', ratio(value)] : [ratio(value), ''];
    rows.push([what, `at most ${most}`, ...cells, verdict(value <= most)]);
  };
  if (caller) {
    const { rows: of } = caller;
    const asking = Object.keys(of).filter(
      (name) => SUBJECTS[name].asks === 'the database' && kindOf(name) === undefined,
    );
    const best = asking.reduce((one, other) => (of[one].cpuMicroseconds < of[other].cpuMicroseconds ? one : other));
    times('P1 session, Fastify: of bare', 0.36, of[FASTIFY], of[BARE]);
    atMost('P1 processor time x bare', 2.5, of[FASTIFY].cpuMicroseconds / of[BARE].cpuMicroseconds, true);
    times('P1 x better-auth', 25, of[FASTIFY], of['better-auth']);
    times('P1 x passport-jwt, which asks nobody', 10, of[FASTIFY], of['passport-jwt']);
    times(`P1 x the best peer that asks a database (${best})`, 3, of[FASTIFY], of[best]);
    times('P2 session, Express: x bare Nest on Express', 1.3, of[EXPRESS], of['bare Nest, Express']);
    times('P2 x better-auth', 8, of[EXPRESS], of['better-auth']);
    times('P2 x passport-jwt, which asks nobody', 3, of[EXPRESS], of['passport-jwt']);
    times('P2 x oidc-provider in memory', 1, of[EXPRESS], of['oidc-provider, in memory']);
  }
  for (const name of signIn ? [FASTIFY, EXPRESS] : []) {
    const { idle, busy } = signIn.meanwhile.rows[name];
    times(`P6 sign-ins of raw argon2, ${name}`, 0.9, signIn.rows[name], signIn.rows['raw argon2']);
    atMost(`P6 p99 of GETs while others sign in x idle, ${name}`, 3, busy.p99 / idle.p99, false);
  }
  for (const { name: operation, rows: of } of oauth ?? []) {
    for (const name of [FASTIFY, EXPRESS])
      times(`P7 ${operation} x oidc-provider, ${name}`, 2, of[name], of['oidc-provider']);
    if (operation !== 'refresh') continue;
    const { requestsPerSecond, cpuMicroseconds } = of[FASTIFY];
    const ofCore = 1e6 / cpuMicroseconds;
    const met = verdict(requestsPerSecond >= 300, ofCore >= 300);
    rows.push(['P7 refreshes/s of a core, Fastify', 'at least 300', ratio(requestsPerSecond), ratio(ofCore), met]);
  }
  return rows;
}

/** The tables of a run, or of its measured parts. */
export function summary(result) {
  const { caller, signIn, oauth, gateway, start } = result;
  return [
    ...(caller ? [callerTable(caller)] : []),
    ...(signIn ? [signInTable(signIn), meanwhileTable(signIn)] : []),
    ...(oauth ? oauthTables(oauth) : []),
    ...(gateway ? [gatewayTable(gateway)] : []),
    ...(start ? [startTable(start)] : []),
    ...(caller || signIn || oauth ? [targetTable(result)] : []),
  ];
}

export function markdownTable([head, ...rows]) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, column) => (column === 0 ? '---' : '--:'))), ...rows.map(line)].join('\n');
}

const machineOf = ({ machine: { processor, cores, memoryGib } }) => `${processor}, ${cores} cores, ${memoryGib} GiB`;
const JOBS = { caller: 'identification', oauth: 'OAuth2', signIn: 'sign-in', gateway: 'gateway', start: 'start' };
const loadOf = ({ load }) =>
  `one-minute load average before and after each part: ${Object.entries(load)
    .map(([job, { before, after }]) => `${JOBS[job]} ${before[0]} and ${after[0]}`)
    .join(', ')}`;
const versionsOf = ({ versions: { node, postgresql, ...peers } }) =>
  [
    `Node ${node}`,
    `PostgreSQL ${postgresql}`,
    ...Object.entries(peers).map(([name, version]) => `${name} ${version}`),
  ].join(', ');

export function markdown(result) {
  const { date, conditions, sources } = result;
  return `# The service and its peers, ${date}

${machineOf(result)}; ${loadOf(result)}. ${versionsOf(result)}.
Sources: \`git rev-parse HEAD:src\` is \`${sources}\`.

Medians of ${conditions.rounds} rounds of ${conditions.seconds} s, in which everybody takes a turn; pinned: ${conditions.pinned}; ${conditions.connectionsToDatabase} connections to the
database for each server, \`NODE_ENV=production\`, rate limits of all off. How each is set up stands in its file in
[servers](../servers), what is measured in [the README of the benches](../README.md#the-service-and-its-peers). On a machine that does other things too,
ratios of processor time mean most and requests per second least.

${summary(result).map(markdownTable).join('\n\n')}

Latencies are of all rounds together, which last half as long; starts are medians of ${conditions.starts}.
`;
}

const conditionsOf = ({ conditions: { rounds, seconds }, date, machine }, { before, after }) =>
  `Medians of ${rounds} interleaved rounds of ${seconds} s, ${date}; ${machine.processor}, ${machine.cores} cores, load average ${whole(before[0])} to ${whole(after[0])}.`;

const bars = (rows, lengthOf, figureOf) =>
  Object.entries(rows)
    .map(([name, row]) => ({ name, value: lengthOf(row), figure: figureOf(row), kind: kindOf(name) }))
    .sort((a, b) => a.value - b.value);

const CHARTS = {
  caller: {
    words: 'CPU time to identify the caller, by service',
    draw: ({ caller: { rows } }) => ({
      title: 'Identify the caller: CPU time of one request',
      what: 'Microseconds of the server, and the ratio to a bare node:http of the same run. Shorter is better.',
      shared: true,
      groups: [
        ['Queries the database on every request', 'the database'],
        ['No query: bare servers, and tokens that are valid until they expire', 'nobody'],
      ].map(([name, asked]) => ({
        name,
        bars: bars(
          Object.fromEntries(Object.entries(rows).filter(([who]) => SUBJECTS[who].asks === asked)),
          ({ cpuMicroseconds }) => cpuMicroseconds,
          ({ cpuMicroseconds: cpu }) => `${whole(cpu)} us, ${ratio(cpu / rows[BARE].cpuMicroseconds)} x bare`,
        ),
      })),
    }),
  },
  latency: {
    words: 'Latency of the same requests at a fixed rate',
    needs: 'caller',
    draw: ({ caller: { rows, fixedRate } }) => ({
      title: `Identify the caller: latency at ${fixedRate} requests/s`,
      what: 'Milliseconds from the planned start of a request to its response: p99 (the bar) and median. Shorter is better.',
      groups: [
        {
          bars: bars(
            rows,
            ({ p99 }) => p99,
            ({ p50, p99 }) => `${milli(p99)} ms, median ${milli(p50)} ms`,
          ),
        },
      ],
    }),
  },
  oauth: {
    words: 'CPU time of code exchange, refresh and introspection',
    draw: ({ oauth }) => ({
      title: 'OAuth2: CPU time of one request',
      what: 'Microseconds of the server, and the ratio to oidc-provider. Shorter is better.',
      groups: oauth.map(({ name, rows }) => ({
        name: name[0].toUpperCase() + name.slice(1),
        bars: bars(
          rows,
          ({ cpuMicroseconds }) => cpuMicroseconds,
          ({ cpuMicroseconds: cpu }) => `${whole(cpu)} us, ${ratio(cpu / rows['oidc-provider'].cpuMicroseconds)} x`,
        ),
      })),
    }),
  },
  'sign-in': {
    words: 'CPU time of a sign-in with a password',
    needs: 'signIn',
    draw: ({ signIn: { rows } }) => ({
      title: 'Sign-in with a password: CPU time',
      what: 'Milliseconds, and the ratio to a server that only verifies argon2id. Shorter is better.',
      groups: [
        {
          bars: bars(
            rows,
            ({ cpuMicroseconds }) => cpuMicroseconds,
            ({ cpuMicroseconds: cpu }) =>
              `${milli(cpu / 1000)} ms, ${ratio(cpu / rows['raw argon2'].cpuMicroseconds)} x raw`,
          ),
        },
      ],
    }),
  },
  start: {
    words: 'Startup time and memory',
    draw: ({ start: { rows } }) => ({
      title: 'Start and memory',
      what: 'From the start of the process until it is ready, on an existing database; RSS after the load.',
      groups: [
        {
          name: 'Start',
          bars: bars(
            rows,
            ({ milliseconds }) => milliseconds,
            ({ milliseconds }) => `${whole(milliseconds)} ms`,
          ),
        },
        {
          name: 'Memory after load',
          bars: bars(
            rows,
            ({ loadedMib }) => loadedMib,
            ({ loadedMib }) => `${whole(loadedMib)} MiB`,
          ),
        },
      ],
    }),
  },
};

const drawn = (result) => Object.entries(CHARTS).filter(([name, { needs = name }]) => result[needs]);

/** SVG by chart name, for the measured parts. */
export function charts(result) {
  return Object.fromEntries(
    drawn(result).map(([name, { draw, needs = name }]) => {
      const { what, ...chart } = draw(result);
      return [name, barChart({ ...chart, what: [what, conditionsOf(result, result.load[needs])] })];
    }),
  );
}

/** The part of docs/performance.md about a run, with its two markers. */
export function performancePart(result) {
  const { date } = result;
  const pictures = drawn(result).map(([name, { words }]) => `![${words}](../bench/results/${name}.svg)`);
  return `${BEGIN}

Measured on ${date} by \`npm run bench -- peers\` on ${machineOf(result)},
${loadOf(result)}. If the load is above 2, the machine also did other work. In that case, compare ratios and CPU time, not
rates and latencies. Versions: ${versionsOf(result)}.

- [Tables and targets](../bench/results/${date}.md)
- [All figures as JSON](../bench/results/${date}.json)
- [How it is measured](../bench/README.md)

${pictures.join('\n\n')}

${END}`;
}

export function withPerformancePart(page, result) {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error('docs/performance.md lacks the marks around its figures');
  return page.slice(0, begin) + performancePart(result) + page.slice(end + END.length);
}

const results = join(root, 'bench/results');
const isDated = (name) => /^\d{4}-\d\d-\d\d\.json$/.test(name);

/** The run of the current report. */
export function written() {
  const [name] = existsSync(results) ? readdirSync(results).filter(isDated) : [];
  return name && JSON.parse(readFileSync(join(results, name), 'utf8'));
}

/** JSON with one line for each part of a section. */
function shortJson(result) {
  const isSection = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
  const line =
    (indent) =>
    ([name, value]) =>
      `${indent}${JSON.stringify(name)}: ${JSON.stringify(value)}`;
  const sections = Object.entries(result).map(([name, value]) => {
    if (!isSection(value)) return line('  ')([name, value]);
    return `  ${JSON.stringify(name)}: {\n${Object.entries(value).map(line('    ')).join(',\n')}\n  }`;
  });
  return `{\n${sections.join(',\n')}\n}\n`;
}

/**
 * Writes the report of a run: tables, charts, figures, and the part of docs/performance.md. Replaces earlier
 * reports.
 */
export function report(result) {
  mkdirSync(results, { recursive: true });
  for (const name of readdirSync(results)) {
    if (/^\d{4}-\d\d-\d\d\.(json|md)$|\.svg$/.test(name)) rmSync(join(results, name));
  }
  const write = (path, text) => writeFileSync(join(root, path), text);
  write(`bench/results/${result.date}.json`, shortJson(result));
  write(`bench/results/${result.date}.md`, markdown(result));
  for (const [name, svg] of Object.entries(charts(result))) write(`bench/results/${name}.svg`, svg);
  const page = 'docs/performance.md';
  write(page, withPerformancePart(readFileSync(join(root, page), 'utf8'), result));
}
