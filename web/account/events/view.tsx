import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { formatDateTime, t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import { Icon } from '../../kit/icon.js';
import { Loading, useLoaded } from '../../kit/loaded.js';
import { FailureNotice } from '../../kit/notice.js';
import { Empty } from '../../kit/shown.js';
import { Lockdown } from './lockdown.js';
import { eventDetails, eventHeadline, eventIcon, type SecurityEvent } from './words.js';

const PAGE = 25;

const page = (before?: string): Promise<SecurityEvent[]> =>
  api.get('/v1/users/@me/security-events', { query: { limit: PAGE, ...(before === undefined ? {} : { before }) } });

function Item({ event }: { readonly event: SecurityEvent }) {
  const facts = eventDetails(event);
  const { at, client } = event;
  return (
    <li tabIndex={-1} class="with-icon">
      <Icon name={eventIcon(event)} />
      <div class="stack tight">
        <strong dir="auto">{eventHeadline(event)}</strong>
        {facts.length > 0 && <span class="small">{facts.join(' ')}</span>}
        <span class="small quiet">
          <time dateTime={at}>{formatDateTime(at)}</time>
          {client && (
            <>
              {' · '}
              <bdi>{client.os ?? t('device.unknown')}</bdi> · <bdi>{client.masked_ip}</bdi>
            </>
          )}
        </span>
      </div>
    </li>
  );
}

/** The newest events, with a button that loads older ones. The focus moves to the first new event. */
function List({ newest }: { readonly newest: readonly SecurityEvent[] }) {
  const older = useSignal<readonly SecurityEvent[]>([]);
  const isWhole = useSignal(newest.length < PAGE);
  const list = useRef<HTMLUListElement>(null);
  const more = useAction(async () => {
    const shown = [...newest, ...older.value];
    const next = await page(shown.at(-1)?.id);
    older.value = [...older.value, ...next];
    isWhole.value = next.length < PAGE;
    requestAnimationFrame(() => (list.current?.children[shown.length] as HTMLElement | undefined)?.focus());
  });
  if (newest.length === 0) return <Empty>{t('events.none')}</Empty>;
  return (
    <>
      <ul class="list" aria-labelledby="events" ref={list}>
        {[...newest, ...older.value].map((event) => (
          <Item key={event.id} event={event} />
        ))}
      </ul>
      <FailureNotice of={more} />
      {!isWhole.value && (
        <div>
          <Button kind="plain" action={more}>
            {t('common.more')}
          </Button>
        </div>
      )}
    </>
  );
}

export default function Events() {
  const events = useLoaded(() => page());
  return (
    <>
      <Lockdown onLocked={events.again.run} />
      <section class="section" aria-labelledby="events">
        <h2 id="events">{t('events.latest')}</h2>
        <p class="quiet">{t('events.what')}</p>
        <Loading of={events}>{(newest) => <List key={newest[0]?.id} newest={newest} />}</Loading>
      </section>
    </>
  );
}
