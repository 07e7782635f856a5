import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { formatDateTime, t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import { Field, fieldOf } from '../../kit/field.js';
import { useLostFocus } from '../../kit/lost-focus.js';
import { FailureNotice } from '../../kit/notice.js';
import { Badge } from '../../kit/portrait.js';
import { toast } from '../../kit/toast.js';
import { AuditedActionButton, useAuditedAction } from '../parts/audited-action.js';
import { type Paged, Pages, usePaged } from '../parts/paged.js';
import { can } from '../rights.js';
import type { Delivery } from './endpoint.js';

const DELIVERIES = '/v1/admin/event-endpoints/{endpoint_id}/deliveries';
const REPLAY = '/v1/admin/event-endpoints/{endpoint_id}/deliveries/{delivery_id}/replay';
const REPLAY_FAILED = '/v1/admin/event-endpoints/{endpoint_id}/replay';
const TEST = '/v1/admin/event-endpoints/{endpoint_id}/test';
const PAGE_SIZE = 20;
const HOUR_MS = 3_600_000;
const DEFAULT_HOURS = '72';

const BADGES = { delivered: 'good', failed: 'bad', pending: 'warn' } as const;

interface OfEndpoint {
  readonly id: string;
  readonly onSent: () => void;
}

function ReplayButton({ id, delivery, onSent }: OfEndpoint & { readonly delivery: Delivery }) {
  const replay = useAuditedAction(async (sent) => {
    await api.post(REPLAY, { path: { endpoint_id: id, delivery_id: delivery.id }, ...sent });
    toast(t('adminEvents.replayed'));
    onSent();
  });
  return (
    <AuditedActionButton label={t('adminEvents.replay')} title={t('adminEvents.replayTitle')} of={replay} kind="plain">
      <p>{t('adminEvents.replayWhat')}</p>
      <p>
        <code dir="ltr">{delivery.message_id}</code>
      </p>
    </AuditedActionButton>
  );
}

const Item = ({ id, delivery, onSent }: OfEndpoint & { readonly delivery: Delivery }) => (
  <li>
    <div class="stack tight">
      <strong>
        <code dir="ltr">{delivery.event_type}</code>
      </strong>
      <span class="small quiet">
        {formatDateTime(delivery.created_at)} · {t('adminEvents.attempts', { attempts: delivery.attempts })} ·{' '}
        <code dir="ltr">{delivery.message_id}</code>
      </span>
      {delivery.error !== null && (
        <span class="small">
          {delivery.response_status === null
            ? t(`adminEvents.error_${delivery.error}`)
            : t('adminEvents.status', { status: delivery.response_status })}
        </span>
      )}
      {delivery.next_attempt_at !== null && (
        <span class="small quiet">{t('adminEvents.next', { time: formatDateTime(delivery.next_attempt_at) })}</span>
      )}
    </div>
    <div class="row">
      <Badge kind={BADGES[delivery.status]}>{t(`adminEvents.${delivery.status}`)}</Badge>
      {delivery.status !== 'pending' && can('post', REPLAY) && (
        <ReplayButton id={id} delivery={delivery} onSent={onSent} />
      )}
    </div>
  </li>
);

function ReplayFailed({ id, onSent }: OfEndpoint) {
  const hours = useSignal(DEFAULT_HOURS);
  const replay = useAuditedAction(
    async (sent) => {
      const since = new Date(Date.now() - (Number(hours.value) || 0) * HOUR_MS).toISOString();
      const { replayed } = await api.post(REPLAY_FAILED, { path: { endpoint_id: id }, body: { since }, ...sent });
      toast(t('adminEvents.replayedCount', { count: replayed }));
      onSent();
    },
    { fields: ['since'] },
  );
  return (
    <AuditedActionButton
      label={t('adminEvents.replayFailed')}
      title={t('adminEvents.replayFailedTitle')}
      of={replay}
      kind="plain"
    >
      <p>{t('adminEvents.replayFailedWhat')}</p>
      <Field
        {...fieldOf(hours, replay.action, 'since')}
        label={t('adminEvents.hours')}
        inputMode="numeric"
        maxLength={3}
        required
      />
    </AuditedActionButton>
  );
}

function SendTest({ id, onSent }: OfEndpoint) {
  const send = useAction(async () => {
    await api.post(TEST, { path: { endpoint_id: id } });
    toast(t('adminEvents.testSent'));
    onSent();
  });
  return (
    <>
      <Button kind="plain" size="small" action={send}>
        {t('adminEvents.test')}
      </Button>
      <FailureNotice of={send} />
    </>
  );
}

/** The deliveries to an endpoint, newest first. */
export function Deliveries({ id, isDisabled }: { readonly id: string; readonly isDisabled: boolean }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useLostFocus(heading);
  const paged: Paged<Delivery> = usePaged<Delivery>(async (known) => {
    const before = known.at(-1)?.id;
    const query = { limit: PAGE_SIZE, ...(before === undefined ? {} : { before }) };
    const { deliveries, has_more } = await api.get(DELIVERIES, { path: { endpoint_id: id }, query });
    return { items: deliveries, hasMore: has_more };
  }, id);
  const reload = () => void paged.again.run();
  return (
    <section class="section" aria-labelledby="deliveries">
      <h3 id="deliveries" ref={heading} tabIndex={-1}>
        {t('adminEvents.deliveries')}
      </h3>
      <p class="small quiet">{t('adminEvents.deliveriesLead')}</p>
      <div class="row">
        <Button kind="plain" size="small" action={paged.again}>
          {t('adminEvents.reload')}
        </Button>
        {!isDisabled && can('post', TEST) && <SendTest id={id} onSent={reload} />}
        {!isDisabled && can('post', REPLAY_FAILED) && <ReplayFailed id={id} onSent={reload} />}
      </div>
      <Pages of={paged} empty={t('adminEvents.deliveriesNone')}>
        {(deliveries) => (
          <ul class="list" aria-labelledby="deliveries">
            {deliveries.map((delivery) => (
              <Item key={delivery.id} id={id} delivery={delivery} onSent={reload} />
            ))}
          </ul>
        )}
      </Pages>
    </section>
  );
}
