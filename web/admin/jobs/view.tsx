import { useRef } from 'preact/hooks';
import { api } from '../../core/api.js';
import { formatDateTime, rich, t } from '../../core/language.js';
import { useLostFocus } from '../../kit/lost-focus.js';
import { Table, Tabs } from '../../kit/parts.js';
import { toast } from '../../kit/toast.js';
import { queryParameter, setQueryParameters } from '../parts/address.js';
import { AuditedActionButton, useAuditedAction } from '../parts/audited-action.js';
import { Pages } from '../parts/paged.js';
import { can } from '../rights.js';
import { escapeUnprintable, type Job, type Queue, type State, useJobs } from './job.js';
import './jobs.css';

const Name = ({ of: { name, is_declared } }: { readonly of: Job | Queue }) => (
  <>
    <code dir="ltr">{name}</code>
    {!is_declared && (
      <>
        {' '}
        <span class="small quiet">{t('adminJobs.notDeclared')}</span>
      </>
    )}
  </>
);

const Queues = ({ queues }: { readonly queues: readonly Queue[] }) => (
  <div class="section queues">
    <h2>{t('adminJobs.byName')}</h2>
    <Table
      caption={t('adminJobs.byName')}
      rows={queues}
      keyOf={({ name }) => name}
      columns={{
        [t('adminJobs.name')]: (queue) => <Name of={queue} />,
        [t('adminJobs.waiting')]: ({ waiting }) => waiting,
        [t('adminJobs.running')]: ({ active }) => active,
        [t('adminJobs.failed')]: ({ failed }) => failed,
        [t('adminJobs.due')]: ({ due_at }) => (due_at === null ? '' : formatDateTime(due_at)),
      }}
    />
    {queues.some(({ is_declared }) => !is_declared) && (
      <p class="small quiet">
        {rich('adminJobs.notDeclaredHint', { command: <code dir="ltr">gatehouse jobs delete</code> })}
      </p>
    )}
  </div>
);

const TIMES = {
  waiting: 'adminJobs.dueAt',
  active: 'adminJobs.startedAt',
  failed: 'adminJobs.failedAt',
} as const;

function RetryButton({ job: { id, name }, onRetried }: { readonly job: Job; readonly onRetried: () => void }) {
  const auditedAction = useAuditedAction(async (sent) => {
    await api.post('/v1/admin/jobs/{job_id}/retry', { ...sent, path: { job_id: id } });
    toast(t('adminJobs.retried'));
    onRetried();
  });
  return (
    <AuditedActionButton label={t('adminJobs.retry')} title={t('adminJobs.retryTitle')} of={auditedAction} kind="plain">
      <p>{rich('adminJobs.retryWhat', { name: <code dir="ltr">{name}</code> })}</p>
    </AuditedActionButton>
  );
}

const Item = ({ job, onRetried }: { readonly job: Job; readonly onRetried: () => void }) => (
  <li>
    <div class="stack tight job">
      <strong>
        <Name of={job} />
      </strong>
      <span class="small quiet">
        {t(TIMES[job.state], { time: formatDateTime(job.at) })} · {t('adminJobs.attempts', { attempts: job.attempts })}{' '}
        · <code dir="ltr">{job.id}</code>
      </span>
      {job.error !== null && (
        <code class="small error" dir="ltr">
          {escapeUnprintable(job.error)}
        </code>
      )}
    </div>
    {job.state === 'failed' && job.is_declared && can('post', '/v1/admin/jobs/{job_id}/retry') && (
      <RetryButton job={job} onRetried={onRetried} />
    )}
  </li>
);

/** Failed and waiting background jobs, without their payloads, and their counts by name. */
export default function Jobs() {
  const state: State = queryParameter('state') === 'waiting' ? 'waiting' : 'failed';
  const { paged, queues } = useJobs(state);
  const heading = useRef<HTMLHeadingElement>(null);
  useLostFocus(heading);
  return (
    <>
      <p class="quiet">{t('adminJobs.lead')}</p>
      {queues.value.length > 0 && <Queues queues={queues.value} />}
      <section class="section" aria-labelledby="jobs">
        <h2 id="jobs" ref={heading} tabIndex={-1}>
          {t('adminJobs.list')}
        </h2>
        <Tabs
          label={t('adminJobs.list')}
          tabs={{ failed: t('adminJobs.failed'), waiting: t('adminJobs.waiting') }}
          current={state}
          onChange={(next) => setQueryParameters({ state: next === 'waiting' ? next : '' })}
        >
          <Pages of={paged} empty={t(state === 'failed' ? 'adminJobs.noneFailed' : 'adminJobs.noneWaiting')}>
            {(jobs) => (
              <ul class="list" aria-labelledby="jobs">
                {jobs.map((job) => (
                  <Item key={job.id} job={job} onRetried={() => void paged.again.run()} />
                ))}
              </ul>
            )}
          </Pages>
        </Tabs>
      </section>
    </>
  );
}
