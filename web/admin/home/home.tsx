import type { paths, ResponseBody } from '@gatehouse-auth/client';
import type { ComponentChildren } from 'preact';
import { api } from '../../core/api.js';
import { formatDateTime, rich, t, wordsOfCode } from '../../core/language.js';
import { Loading, useLoaded } from '../../kit/loaded.js';
import { InnerLink } from '../../kit/opened.js';
import { Table } from '../../kit/parts.js';
import { Empty } from '../../kit/shown.js';
import { pathOfEntry, pathWith } from '../audit/addresses.js';
import type { Entry } from '../audit/entry.js';
import { Actor, Target } from '../audit/named.js';
import { actionText } from '../audit/words.js';
import { duration, rate, whole } from '../now/format.js';
import { type Statistics, timeOf } from '../now/numbers.js';
import { can } from '../rights.js';
import { openSteps } from '../setup/steps.js';
import { DaysChart } from './days-chart.js';
import './home.css';
import { causesOf, type Day, failuresOf } from './statistics.js';

const MAX_CAUSES = 6;
const LATEST_ENTRIES = 5;

interface FigureProps {
  readonly label: string;
  readonly value: number;
  readonly children?: ComponentChildren;
}

const Figure = ({ label, value, children }: FigureProps) => (
  <li>
    <span class="small quiet">{label}</span>
    <strong>{whole(value)}</strong>
    {children && <span class="small quiet">{children}</span>}
  </li>
);

interface InstanceData {
  readonly days: readonly Day[];
  readonly current: Statistics;
  /** Number of registrations that wait for approval. */
  readonly pending: number;
}

const yesterdayText = (count: number) => t('adminHome.yesterday', { count: whole(count) });

function Figures({ days, current, pending }: InstanceData) {
  const [yesterday, today] = days.slice(-2);
  if (!today || !yesterday) return null;
  return (
    <ul class="figures" aria-label={t('adminHome.today')}>
      <Figure label={t('adminHome.accounts')} value={today.accounts}>
        {t('adminHome.newToday', { count: today.sign_ups })}
      </Figure>
      <Figure label={t('adminHome.signInsToday')} value={today.sign_ins}>
        {yesterdayText(yesterday.sign_ins)}
      </Figure>
      <Figure label={t('adminHome.failuresToday')} value={failuresOf(today)}>
        {yesterdayText(failuresOf(yesterday))}
      </Figure>
      <Figure label={t('adminRegistrations.title')} value={pending}>
        {pending > 0 && <InnerLink href="/admin/registrations">{t('adminHome.review')}</InnerLink>}
      </Figure>
      <Figure label={t('adminNow.mail')} value={current.mail_waiting} />
    </ul>
  );
}

function Causes({ days }: { readonly days: readonly Day[] }) {
  const causes = causesOf(days).slice(0, MAX_CAUSES);
  const highest = causes[0]?.count ?? 1;
  return (
    <section class="section" aria-labelledby="causes">
      <h2 id="causes">{t('adminHome.causes')}</h2>
      {causes.length === 0 && <Empty>{t('adminHome.noFailures')}</Empty>}
      <ul class="causes">
        {causes.map(({ code, count }) => (
          <li key={code}>
            <div class="row between">
              <span title={code}>{wordsOfCode(code) ?? code}</span>
              <span>{whole(count)}</span>
            </div>
            <span class="bar" style={{ width: `${(100 * count) / highest}%` }} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Replicas({ current }: { readonly current: Statistics }) {
  const now = Date.parse(timeOf(current));
  return (
    <div class="section">
      <h2>{t('adminNow.replicas')}</h2>
      <Table
        caption={t('adminNow.replicas')}
        rows={current.replicas}
        keyOf={({ worker_id }) => String(worker_id)}
        columns={{
          [t('adminNow.replica')]: ({ worker_id: id }) => (
            <InnerLink href={`/admin/now?replica=${id}`}>
              <code dir="ltr">{id}</code>
            </InnerLink>
          ),
          [t('adminNow.version')]: ({ version }) => <code dir="ltr">{version}</code>,
          [t('adminNow.requests')]: ({ requests_per_second }) => rate(requests_per_second),
          [t('adminNow.uptime')]: ({ started_at }) => duration((now - Date.parse(started_at)) / 1000),
        }}
      />
    </div>
  );
}

function Instance() {
  const loaded = useLoaded<InstanceData>(async () => {
    const [{ days }, current, { total }] = await Promise.all([
      api.get('/v1/admin/instance/statistics/daily'),
      api.get('/v1/admin/instance/statistics'),
      api.get('/v1/admin/instance/pending-registrations', { query: { limit: 1 } }),
    ]);
    return { days, current, pending: total };
  });
  return (
    <Loading of={loaded}>
      {(data) => (
        <>
          <Figures {...data} />
          <DaysChart days={data.days} />
          <div class="home-columns">
            <Causes days={data.days} />
            <Replicas current={data.current} />
          </div>
        </>
      )}
    </Loading>
  );
}

/** Steps of the setup checklist that are not done. Nothing if all are done. */
function FirstSteps() {
  const loaded = useLoaded(() => Promise.all([api.get('/v1/admin/instance/config'), api.get('/.well-known/service')]));
  const steps = loaded.value.value ? openSteps(...loaded.value.value) : [];
  if (steps.length === 0) return null;
  return (
    <section class="section" aria-labelledby="steps">
      <h2 id="steps">{t('adminHome.steps')}</h2>
      <ul class="points">
        {steps.map((step) => (
          <li key={step}>{t(step)}</li>
        ))}
      </ul>
      <p>
        <a href="/admin/setup">{t('adminSetup.title')}</a>
      </p>
    </section>
  );
}

const LatestEntry = ({ of }: { readonly of: Entry }) => (
  <li>
    <div class="stack tight">
      <InnerLink href={pathOfEntry(of.log_id)}>
        <bdi>{actionText(of.action)}</bdi>
      </InnerLink>
      <span class="small">
        {rich('adminAudit.on', { target: <Target of={of} /> })}
        {' · '}
        {rich('adminAudit.by', { who: <Actor of={of} /> })}
      </span>
    </div>
    <time class="small quiet" dateTime={of.created_at}>
      {formatDateTime(of.created_at)}
    </time>
  </li>
);

type AuditPage = ResponseBody<paths, '/v1/admin/audit-logs', 'get'>;

function LatestEntries() {
  const loaded = useLoaded<AuditPage>(() => api.get('/v1/admin/audit-logs', { query: { limit: LATEST_ENTRIES } }));
  return (
    <section class="section" aria-labelledby="latest">
      <div class="row between">
        <h2 id="latest">{t('adminHome.latest')}</h2>
        <InnerLink href={pathWith({})}>{t('adminHome.allEntries')}</InnerLink>
      </div>
      <Loading of={loaded}>
        {({ logs }) =>
          logs.length === 0 ? (
            <Empty>{t('adminAudit.none')}</Empty>
          ) : (
            <ul class="list" aria-labelledby="latest">
              {logs.map((entry) => (
                <LatestEntry key={entry.log_id} of={entry} />
              ))}
            </ul>
          )
        }
      </Loading>
    </section>
  );
}

/** The state of the platform at a glance. Each part is shown to those who may see its data. */
export const Home = () => (
  <>
    {can('get', '/v1/admin/instance/config') && <FirstSteps />}
    {can('get', '/v1/admin/instance/statistics/daily') && <Instance />}
    {can('get', '/v1/admin/audit-logs') && <LatestEntries />}
  </>
);
