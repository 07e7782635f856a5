/** What a service that keeps decisions returns in each second of an outage. */
import { machine, row, runInJest } from './in-jest.mjs';

const TITLES = {
  'the stream of revocations freezes':
    'The stream of revocations stays open and contains nothing. Decisions work. The service asks Gatehouse about every request.',
  'the replica that sends the stream is killed':
    'The replica is killed with `kill -9` and started again. The load balancer also sends new connections to it, because it has no health check.',
  'the database is away':
    'PostgreSQL is suspended with all its processes. No replica can decide, so the service returns 503.',
};
/** A status without a response. */
const NO_RESPONSE = '504';

const statusesOf = (statuses) =>
  Object.entries(statuses)
    .map(([status, count]) => `${count} x ${status === NO_RESPONSE ? 'no response in 3 s' : status}`)
    .join(', ');

/** @returns the report in Markdown */
export function describeOutages(figures) {
  return [
    '# Services during outages',
    '',
    machine(),
    'Written by `npm run proof -- outages`.',
    '',
    'A service uses `@gatehouse-auth/verify` with three replicas behind a load balancer. It receives a request with the same session every 100 ms.',
    'A row contains the responses to the requests that began in this second. *Cache* is the number of requests that a kept admission answered,',
    'and *Gatehouse* the number of those for which the service asked. The service uses no kept admission from 800 ms after the last heartbeat.',
    'A request waits up to 2 s for Gatehouse, so the last requests of an outage can succeed after its end.',
    ...Object.entries(figures).flatMap(([name, rows]) => [
      '',
      `## ${name[0].toUpperCase()}${name.slice(1)}`,
      '',
      TITLES[name],
      '',
      row(['Second', 'Outage', 'Responses', 'Cache', 'Gatehouse']),
      row(['---:', '---', '---', '---:', '---:']),
      ...rows.map(({ second, isOutage, statuses, hits, misses }) =>
        row([second, isOutage ? 'yes' : '', statusesOf(statuses), hits, misses]),
      ),
    ]),
  ].join('\n');
}

export async function report() {
  const { figures, isPassed } = runInJest('test/history/outages.proof.ts', { variable: 'OUTAGE_FIGURES', env: {} });
  if (!figures) throw new Error('The run wrote no figures. Are PostgreSQL and Redis installed?');
  return { text: describeOutages(figures), isKept: isPassed };
}
