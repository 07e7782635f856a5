import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { formatDateTime, t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import { Loading, useLoaded } from '../../kit/loaded.js';
import { FailureNotice } from '../../kit/notice.js';
import { Empty } from '../../kit/shown.js';
import type { Session } from '../sessions/session.js';
import { Days, type Entry, EventLine, foldEvents } from './days.js';
import './events.css';
import { Filters, filter, isOfFilter } from './filters.js';
import { Lockdown } from './lockdown.js';
import { NotMine } from './not-mine.js';
import { eventDetails, type SecurityEvent } from './words.js';

const PAGE = 25;
/** The size of a request and the most requests for events of one kind, because the service does not filter them. */
const SEARCH_PAGE = 100;
const MAX_SEARCH_REQUESTS = 5;

const page = (limit: number, before?: string): Promise<SecurityEvent[]> =>
  api.get('/v1/users/@me/security-events', { query: { limit, ...(before === undefined ? {} : { before }) } });

/** The next events, until there are enough of the filter. */
async function search(before: string | undefined): Promise<{ found: SecurityEvent[]; isEnd: boolean }> {
  const limit = filter.value === 'all' ? PAGE : SEARCH_PAGE;
  const found: SecurityEvent[] = [];
  for (let request = 0; request < MAX_SEARCH_REQUESTS; request++) {
    const next = await page(limit, found.at(-1)?.id ?? before);
    found.push(...next);
    if (next.length < limit) return { found, isEnd: true };
    if (found.filter(isOfFilter).length >= PAGE) break;
  }
  return { found, isEnd: false };
}

interface OfSessions {
  readonly sessions: readonly Session[];
}

function Item({ entry, sessions }: OfSessions & { readonly entry: Entry }) {
  const [event] = entry;
  const first = entry.at(-1) ?? event;
  const times = [...new Set([first.at, event.at].map(formatDateTime))];
  return (
    <details>
      <summary>
        <EventLine entry={entry} />
      </summary>
      <div class="stack tight">
        {eventDetails(event).map((fact) => (
          <p key={fact}>{fact}</p>
        ))}
        <p class="small quiet">{times.join(' – ')}</p>
        {event.client && <NotMine event={event} sessions={sessions} />}
      </div>
    </details>
  );
}

/** The newest events, with a button that loads older ones. The focus moves to the first new entry. */
function List({ newest, sessions }: OfSessions & { readonly newest: readonly SecurityEvent[] }) {
  const older = useSignal<readonly SecurityEvent[]>([]);
  const isWhole = useSignal(newest.length < PAGE);
  const list = useRef<HTMLDivElement>(null);
  const loaded = [...newest, ...older.value];
  const entries = foldEvents(loaded.filter(isOfFilter));
  const load = useAction(async () => {
    const { found, isEnd } = await search([...newest, ...older.value].at(-1)?.id);
    older.value = [...older.value, ...found];
    isWhole.value = isEnd;
  });
  const more = async () => {
    const shown = entries.length;
    await load.run();
    requestAnimationFrame(() => list.current?.querySelectorAll('summary')[shown]?.focus());
  };
  const isShort = entries.length === 0 && !isWhole.value;
  useEffect(() => {
    if (isShort) void load.run();
  }, [isShort, load]);
  return (
    <div class="stack" ref={list}>
      {entries.length === 0 && isWhole.value && (
        <Empty>{t(loaded.length === 0 ? 'events.none' : 'events.noneOfKind')}</Empty>
      )}
      <Days entries={entries}>{(entry) => <Item entry={entry} sessions={sessions} />}</Days>
      <FailureNotice of={load} />
      {!isWhole.value && (
        <div>
          <Button kind="plain" action={{ ...load, run: more }}>
            {t('common.more')}
          </Button>
        </div>
      )}
    </div>
  );
}

export default function Events() {
  const events = useLoaded(() => page(PAGE));
  const sessions = useLoaded(() => api.get('/v1/auth/sessions'), ['SESSIONS_REPLACE']);
  return (
    <>
      <Lockdown onLocked={events.again.run} />
      <section class="section" aria-labelledby="events">
        <h2 id="events">{t('events.latest')}</h2>
        <p class="quiet">{t('events.what')}</p>
        <Filters />
        <Loading of={events}>
          {(newest) => <List key={newest[0]?.id} newest={newest} sessions={sessions.value.value ?? []} />}
        </Loading>
      </section>
    </>
  );
}
