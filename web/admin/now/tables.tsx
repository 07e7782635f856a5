import { t, wordsOfCode } from '../../core/language.js';
import { InnerLink } from '../../kit/opened.js';
import { Table } from '../../kit/parts.js';
import { Empty } from '../../kit/shown.js';
import { ago, clock, duration, milliseconds, rate, whole } from './format.js';
import { type Counts, countOf, type Numbers, type Replica, type Sample, sumCounts, timeOf } from './numbers.js';

export interface CodesProps {
  /** Counts of each sample, by code. */
  readonly recent: readonly Counts[];
  /** Counts since the start. */
  readonly total: Counts;
  /** Time of the first sample. */
  readonly since: number;
}

/** Errors by code, most frequent in recent samples first. */
export function Codes({ recent, total: ever, since }: CodesProps) {
  const late = sumCounts(recent);
  const codes = Object.keys({ ...late, ...ever }).sort(
    (a, b) => (late[b] ?? 0) - (late[a] ?? 0) || (ever[b] ?? 0) - (ever[a] ?? 0) || a.localeCompare(b, 'en'),
  );
  return (
    <div class="section numbers codes">
      <h2>{t('adminNow.byCode')}</h2>
      {codes.length === 0 ? (
        <Empty>{t('adminNow.noRefusals')}</Empty>
      ) : (
        <Table
          caption={t('adminNow.byCode')}
          rows={codes}
          keyOf={(code) => code}
          columns={{
            [t('adminNow.code')]: (code) => <code dir="ltr">{code}</code>,
            [t('adminNow.meaning')]: (code) => wordsOfCode(code),
            [t('adminNow.since', { time: clock(since) })]: (code) => whole(late[code] ?? 0),
            [t('adminNow.ever')]: (code) => whole(ever[code] ?? 0),
          }}
        />
      )}
    </div>
  );
}

const secondsFrom = (time: string, to: string): number => (Date.parse(to) - Date.parse(time)) / 1000;

/** All replicas with version, uptime, last update and metrics. */
export function Replicas({ sample: { statistics, replicas } }: { readonly sample: Sample }) {
  const now = timeOf(statistics);
  const numbersOf = ({ worker_id }: Replica): Numbers | undefined => replicas.get(worker_id);
  return (
    <div class="section numbers">
      <h2>{t('adminNow.replicas')}</h2>
      <Table
        caption={t('adminNow.replicas')}
        rows={statistics.replicas}
        keyOf={({ worker_id }) => String(worker_id)}
        columns={{
          [t('adminNow.replica')]: ({ worker_id: id }) => (
            <InnerLink href={`/admin/now?replica=${id}`}>
              <code dir="ltr">{id}</code>
            </InnerLink>
          ),
          [t('adminNow.version')]: ({ version }) => <code dir="ltr">{version}</code>,
          [t('adminNow.uptime')]: ({ started_at }) => duration(secondsFrom(started_at, now)),
          [t('adminNow.seen')]: ({ seen_at }) => ago(secondsFrom(seen_at, now)),
          [t('adminNow.requests')]: (one) => rate(numbersOf(one)?.requestsPerSecond ?? 0),
          [t('adminNow.refusals')]: ({ refusals }) => whole(countOf(refusals)),
          [t('adminNow.signIns')]: ({ sign_ins }) => whole(sign_ins),
          [t('adminNow.sockets')]: ({ gateway_sockets }) => whole(gateway_sockets),
          [t('adminNow.delay')]: ({ event_loop_delay_ms }) => milliseconds(event_loop_delay_ms),
        }}
      />
      <p class="small quiet">{t('adminNow.fromStart')}</p>
    </div>
  );
}
