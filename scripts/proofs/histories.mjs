/** Histories of clients and services while replicas, servers and services fail. */
import { machine, row, runInJest } from './in-jest.mjs';

const SECONDS = 1800;
/** forward-auth.md section 4: from the revoking response to the moment at which no service admits the credential. */
const LAG_P99_MS = 100;
/** Rules of the checker, with the promises of which they are the opposite. */
const PROMISES = {
  'used after its end': 'No use of a credential succeeds if it began after its revocation was acknowledged',
  'admitted by a service after its end':
    'No service admits a credential more than 1 s after its revocation was acknowledged',
  'admitted by a service that was cut off': 'No service admits a credential while it is cut off',
  'a leaked credential stayed valid': 'A credential that is reported as leaked ends',
  'redeemed twice': 'No secret is redeemed twice',
  'an acknowledged change was lost': 'No acknowledged change is lost',
  'a change that was refused': 'No rejected change takes effect',
  'refused without a cause': 'No valid credential is rejected',
  'a socket outlived its credential': 'No socket stays open longer than the contract allows',
  'an event was passed over': 'No session that continues misses an event',
  'a session was forgotten': 'No gateway session is lost without a fault',
  'a session ended without its logout token': 'A session that an application knows never ends without its logout token',
  'a logout token without a cause': 'No logout token is sent before its session ends',
  'a key set without the key of a token': 'Every key set contains the keys of the tokens that its readers may have',
  'a token with a wrong signature': 'Published keys verify every token',
};

const count = (value) => value.toLocaleString('en-US');
const sum = (counts) => Object.values(counts).reduce((total, one) => total + one, 0);
const table = (head, rows) => [row(head), row(head.map((_, n) => (n === 0 ? '---' : '---:'))), ...rows.map(row)];
const OUTCOMES = ['ok', 'refused', 'unknown'];

function quantiles(name, { count: number, median, p99, max }) {
  const ms = (value) => (value === null ? '-' : value.toFixed(0));
  return [name, count(number), ms(median), ms(p99), ms(max)];
}

/** @returns the report of a run in Markdown */
export function describeHistory(figures) {
  const { seed, seconds, findings, counts, outcomes, revocations, faults, socketDelays, lags, calmLags } = figures;
  return [
    '# Histories with injected faults',
    '',
    machine(),
    'Written by `npm run proof -- histories`.',
    '',
    `Three replicas with their own PostgreSQL and Redis, and three services that keep decisions, ran for ${count(seconds)} s, with faults.`,
    `The seed was ${seed}. ${sum(findings) === 0 ? 'No violation was found.' : `Violations found: ${count(sum(findings))}.`}`,
    '',
    ...table(
      ['Promise', 'Broken'],
      Object.entries(PROMISES).map(([rule, promise]) => [promise, findings[rule] ?? 0]),
    ),
    '',
    ...table(
      ['Attempts', 'All', 'Successful', 'Rejected', 'Unknown outcome'],
      Object.entries(outcomes).map(([name, some]) => [
        name,
        count(sum(some)),
        ...OUTCOMES.map((outcome) => count(some[outcome] ?? 0)),
      ]),
    ),
    '',
    ...table(
      ['Observations', 'Count'],
      Object.entries(counts).map(([name, value]) => [name, count(value)]),
    ),
    '',
    ...table(['Acknowledged revocations', 'Count'], Object.entries(revocations)),
    '',
    ...table(['Faults', 'Times'], Object.entries(faults)),
    '',
    ...table(
      ['Time after the response to a revocation, in ms', 'Samples', 'Median', 'p99', 'Max'],
      [
        quantiles('until a socket closes at an undisturbed replica', socketDelays),
        quantiles('until a service no longer admits the credential', lags),
        quantiles('the same without a fault at the time', calmLags),
      ],
    ),
  ].join('\n');
}

export async function report() {
  const env = { HISTORY_SECONDS: process.env.HISTORY_SECONDS ?? String(SECONDS) };
  const title = 'of revocations while replicas';
  const { figures, isPassed } = runInJest('test/history/history.e2e-spec.ts', {
    ...{ variable: 'HISTORY_FIGURES', env, title },
  });
  if (!figures) throw new Error('The run wrote no figures. Are PostgreSQL and Redis installed?');
  const isKept = isPassed && (figures.calmLags.p99 ?? 0) <= LAG_P99_MS;
  return { text: describeHistory(figures), isKept };
}
