import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { assertNoArguments, parseCount } from '../terminal/arguments.js';
import { type Command, UsageError } from '../terminal/command.js';
import { printResult } from '../terminal/words.js';
import { type ExpectedLoad, type Measured, type Plan, planCapacity } from './plan.js';

const MEASURED = join(import.meta.dirname, 'measured.json');
const MAX = 999_999_999;
const NUMBER = { type: 'string' } as const;
const OPTIONS = {
  accounts: NUMBER,
  sockets: NUMBER,
  requests: NUMBER,
  'sign-ins': NUMBER,
} as const;

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** Formats a number of bytes with two significant digits, such as `12 GiB`. */
function formatBytes(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${UNITS[unit]}`;
}

const formatNumber = (value: number): string =>
  value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString('en');

function linesOf({ service, database, redis, ceiling, warnings }: Plan, measured: Measured): string[] {
  const rows = [
    ['Service', `${service.processes} processes (WORKERS or replicas), each with one core`],
    ['', `${formatNumber(service.cores)} cores in use, memory ${formatBytes(service.memoryBytes)} per process`],
    ['PostgreSQL', `${database.cores} cores, ${database.connections} connections`],
    ['', `accounts ${formatBytes(database.accountBytes)}, sign-ins ${formatBytes(database.signInBytesPerDay)} per day`],
    ['', `${formatNumber(database.rowsPerSecond)} changed rows/s, WAL ${formatBytes(database.walBytesPerSecond)}/s`],
    ['', `audit log ${formatBytes(database.auditBytesPerMillion)} per million entries`],
    ['Redis', formatBytes(redis.bytes)],
    [
      'Ceiling',
      `${formatNumber(ceiling.requestsPerSecond)} requests/s or ${formatNumber(ceiling.signInsPerSecond)} sign-ins/s`,
    ],
    ['', `for one PostgreSQL primary with ${ceiling.cores} cores (upper bound, from CPU time)`],
    ['Measured', `${measured.measured_on} on ${measured.machine}`],
    ...warnings.map((warning) => ['Warning', warning]),
  ];
  return rows.map(([title = '', text]) => `${title.padEnd(11)} ${text}`);
}

/** Calculates processes, database and Redis for a load, from costs that `npm run bench -- capacity` has measured. */
export const capacity: Command = async (args, terminal) => {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: OPTIONS });
  assertNoArguments(positionals);
  const read = (name: 'accounts' | 'sockets' | 'requests' | 'sign-ins') =>
    parseCount(`--${name}`, values[name], 0, [0, MAX]);
  const demand: ExpectedLoad = {
    accounts: read('accounts'),
    sockets: read('sockets'),
    requests: read('requests'),
    signIns: read('sign-ins'),
  };
  if (Object.values(demand).every((value) => value === 0))
    throw new UsageError('Give at least one of --accounts, --sockets, --requests and --sign-ins.');
  const measured = JSON.parse(readFileSync(MEASURED, 'utf8')) as Measured;
  const plan = planCapacity(demand, measured);
  printResult(terminal, { demand, plan, measured }, linesOf(plan, measured));
  return 0;
};
