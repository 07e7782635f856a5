import { useSignal } from '@preact/signals';
import { failureText } from '../../core/action.js';
import { api } from '../../core/api.js';
import { t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import { Select } from '../../kit/field.js';
import { Notice } from '../../kit/notice.js';
import { Skeleton } from '../../kit/shown.js';
import { queryParameter, setQueryParameters } from '../parts/address.js';
import { Chart, type Point } from './chart.js';
import { clock, milliseconds, rate, whole } from './format.js';
import './now.css';
import { addSample, countOf, type History, type Minute, type Numbers, type Sample } from './numbers.js';
import { type Polled, usePolled } from './polling.js';
import { saveHistory, storedHistory } from './stored.js';
import { Codes, Replicas } from './tables.js';

const POLL_INTERVAL_MS = 5000;

/** The replica in the URL; null for all. */
function chosenReplica(): number | null {
  const said = Number(queryParameter('replica') ?? Number.NaN);
  return Number.isInteger(said) ? said : null;
}

interface Shown {
  readonly history: History;
  readonly latest: Sample;
  /** Null for all replicas together. */
  readonly replica: number | null;
}

const numbersOf = ({ total, replicas }: Minute, replica: number | null): Numbers | undefined =>
  replica === null ? total : replicas.get(replica);

const sinceOf = ({ history: { since }, latest }: Shown): number => since ?? latest.at;

function Charts(shown: Shown) {
  const { history, latest, replica } = shown;
  const known = history.minutes.flatMap((minute) => {
    const numbers = numbersOf(minute, replica);
    return numbers ? [{ at: minute.at, numbers }] : [];
  });
  const pointsOf = (read: (numbers: Numbers) => number): Point[] =>
    known.map(({ at, numbers }) => ({ at, value: read(numbers) }));
  const since = t('adminNow.since', { time: clock(sinceOf(shown)) });
  const now = replica === null ? latest.total : (latest.replicas.get(replica) ?? known.at(-1)?.numbers);
  const refusals = pointsOf((numbers) => countOf(numbers.refusals));
  const signIns = pointsOf((numbers) => numbers.signIns);
  const sumOf = (points: readonly Point[]) => whole(points.reduce((sum, { value }) => sum + value, 0));
  const mail = history.minutes.map(({ at, mail: value }) => ({ at, value }));
  const line = { kind: 'line', note: since } as const;
  const bars = { kind: 'bars', note: `${since} · ${t('adminNow.perMinute')}` } as const;
  return (
    <div class="charts">
      <Chart
        {...{ ...line, title: 'adminNow.requests', format: rate }}
        points={pointsOf(({ requestsPerSecond }) => requestsPerSecond)}
        figure={rate(now?.requestsPerSecond ?? 0)}
      />
      <Chart {...{ ...bars, title: 'adminNow.refusals', points: refusals, format: whole }} figure={sumOf(refusals)} />
      <Chart {...{ ...bars, title: 'adminNow.signIns', points: signIns, format: whole }} figure={sumOf(signIns)} />
      <Chart
        {...{ ...line, title: 'adminNow.sockets', format: whole }}
        points={pointsOf(({ sockets }) => sockets)}
        figure={whole(now?.sockets ?? 0)}
      />
      <Chart
        {...{ ...line, title: 'adminNow.delay', format: milliseconds }}
        points={pointsOf(({ delayMs }) => delayMs)}
        figure={milliseconds(now?.delayMs ?? 0)}
        note={`${since} · ${t('adminNow.delayHint')}`}
      />
      {replica === null && (
        <Chart
          {...{ ...line, title: 'adminNow.mail', points: mail, format: whole }}
          figure={whole(latest.statistics.mail_waiting)}
        />
      )}
    </div>
  );
}

const ALL = '#';
/** The prefix keeps the order: object keys that look like integers would sort first. */
const nameOf = (replica: number | null): string => `${ALL}${replica ?? ''}`;

/** Selects all replicas or one. A replica that no longer reports can still be selected. */
function Scope({ latest, replica }: Shown) {
  const ids = latest.statistics.replicas.map(({ worker_id }) => worker_id);
  const isGone = replica !== null && !ids.includes(replica);
  const named = isGone ? [...ids, replica] : ids;
  const entries = named.map((id) => [nameOf(id), t('adminNow.replicaName', { id: String(id) })]);
  const versions = new Set(latest.statistics.replicas.map(({ version }) => version));
  return (
    <>
      <Select
        name="replica"
        label={t('adminNow.scope')}
        value={nameOf(replica)}
        options={{ [ALL]: t('adminNow.all'), ...Object.fromEntries(entries) }}
        onValue={(value) => setQueryParameters({ replica: value.slice(ALL.length) })}
      />
      {isGone && <Notice kind="warn">{t('adminNow.gone', { id: String(replica) })}</Notice>}
      {versions.size > 1 && (
        <Notice kind="warn">
          {t('adminNow.versions')} <bdi>{[...versions].join(', ')}</bdi>
        </Notice>
      )}
    </>
  );
}

function Freshness({ of: { now, lost }, at }: { readonly of: Polled; readonly at: number | undefined }) {
  const failure = lost.value;
  return (
    <>
      <div class="row between">
        <span class="quiet">{at !== undefined && t('adminNow.asOf', { time: clock(at) })}</span>
        <Button kind="plain" size="small" onClick={() => void now.run()}>
          {t('adminNow.refresh')}
        </Button>
      </div>
      {failure && (
        <Notice kind="warn">
          <p>{failureText(failure)}</p>
          <p>{t('adminNow.lost')}</p>
        </Notice>
      )}
    </>
  );
}

function Panels(shown: Shown) {
  const { history, latest, replica } = shown;
  const numbers = history.minutes.flatMap((minute) => numbersOf(minute, replica) ?? []);
  const current = latest.statistics.replicas.find(({ worker_id }) => worker_id === replica);
  const ever = replica === null ? latest.statistics.total.refusals : (current?.refusals ?? {});
  return (
    <>
      <Scope {...shown} />
      <Charts {...shown} />
      <Codes recent={numbers.map(({ refusals }) => refusals)} total={ever} since={sinceOf(shown)} />
      <Replicas sample={latest} />
    </>
  );
}

/** Live metrics of the service. They are polled while the page is visible and kept for an hour. */
export default function Now() {
  const history = useSignal(storedHistory(Date.now()));
  const polled = usePolled(async () => {
    const statistics = await api.get('/v1/admin/instance/statistics');
    history.value = addSample(history.value, statistics, Date.now());
    saveHistory(history.value);
  }, POLL_INTERVAL_MS);
  const { latest } = history.value;
  return (
    <>
      <p class="quiet">{t('adminNow.lead')}</p>
      <Freshness of={polled} at={latest?.at} />
      {latest ? (
        <Panels history={history.value} latest={latest} replica={chosenReplica()} />
      ) : (
        !polled.lost.value && <Skeleton lines={6} />
      )}
    </>
  );
}
