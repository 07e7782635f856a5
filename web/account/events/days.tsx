import type { ComponentChildren } from 'preact';
import { formatDate, language, t } from '../../core/language.js';
import { Ago } from '../../kit/ago.js';
import { Icon } from '../../kit/icon.js';
import { Badge } from '../../kit/portrait.js';
import { eventHeadline, eventIcon, isFoldable, originOf, type SecurityEvent } from './words.js';

/** Events of one day that are shown as one, newest first. */
export type Entry = readonly [SecurityEvent, ...SecurityEvent[]];

/** The local midnight before a time. */
const dayOf = (time: string | number): number => new Date(time).setHours(0, 0, 0, 0);
const dayOfEntry = ([{ at }]: Entry): number => dayOf(at);

/** Folds consecutive events of a day with the same words. */
export function foldEvents(events: readonly SecurityEvent[]): Entry[] {
  const entries: [SecurityEvent, ...SecurityEvent[]][] = [];
  for (const event of events) {
    const last = entries.at(-1);
    if (last && isFoldable(last[0], event) && dayOf(last[0].at) === dayOf(event.at)) last.push(event);
    else entries.push([event]);
  }
  return entries;
}

/** A day as a heading: today, yesterday, or its date. */
function dayTitle(day: number): string {
  const ago = Math.round((dayOf(Date.now()) - day) / 86_400_000);
  if (ago > 1) return formatDate(day);
  const words = new Intl.RelativeTimeFormat(language.value, { numeric: 'auto' }).format(-ago, 'day');
  return words.charAt(0).toLocaleUpperCase(language.value) + words.slice(1);
}

/** Icon, sentence, origin and time of an entry. */
export function EventLine({ entry }: { readonly entry: Entry }) {
  const [event] = entry;
  const isCounted = entry.length > 1 && event.type !== 'session_ended';
  return (
    <>
      <Icon name={eventIcon(event)} />
      <span class="what">
        <strong dir="auto">{eventHeadline(event, entry.length)}</strong>{' '}
        {isCounted && <Badge>{t('events.times', { count: entry.length })}</Badge>}
        {event.client && <span class="small quiet origin">{originOf(event)}</span>}
      </span>
      <span class="small quiet">
        <Ago time={event.at} />
      </span>
    </>
  );
}

export interface DaysProps {
  readonly entries: readonly Entry[];
  readonly children: (entry: Entry) => ComponentChildren;
}

/** Lists entries under a heading for each day. */
export function Days({ entries, children }: DaysProps) {
  const days = [...new Set(entries.map(dayOfEntry))];
  return (
    <>
      {days.map((day) => (
        <div key={day} class="stack tight">
          <h3 id={`day-${day}`} class="small quiet">
            {dayTitle(day)}
          </h3>
          <ul class="list events" aria-labelledby={`day-${day}`}>
            {entries
              .filter((entry) => dayOfEntry(entry) === day)
              .map((entry) => (
                <li key={entry[0].id}>{children(entry)}</li>
              ))}
          </ul>
        </div>
      ))}
    </>
  );
}
