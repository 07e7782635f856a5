import type { ComponentChildren } from 'preact';
import { formatDate, language } from '../../core/language.js';
import { Ago } from '../../kit/ago.js';
import { Icon } from '../../kit/icon.js';
import { eventHeadline, eventIcon, originOf, type SecurityEvent } from './words.js';

/** The local midnight before a time. */
const dayOf = (time: string | number): number => new Date(time).setHours(0, 0, 0, 0);

/** A day as a heading: today, yesterday, or its date. */
function dayTitle(day: number): string {
  const ago = Math.round((dayOf(Date.now()) - day) / 86_400_000);
  if (ago > 1) return formatDate(day);
  const words = new Intl.RelativeTimeFormat(language.value, { numeric: 'auto' }).format(-ago, 'day');
  return words.charAt(0).toLocaleUpperCase(language.value) + words.slice(1);
}

export const EventLine = ({ event }: { readonly event: SecurityEvent }) => (
  <>
    <Icon name={eventIcon(event)} />
    <div class="stack tight">
      <strong dir="auto">{eventHeadline(event)}</strong>
      {event.client && <span class="small quiet">{originOf(event.client)}</span>}
    </div>
    <span class="small quiet">
      <Ago time={event.at} />
    </span>
  </>
);

export interface DaysProps<T> {
  readonly items: readonly T[];
  readonly timeOf: (item: T) => string;
  readonly children: (item: T) => ComponentChildren;
}

/** Lists items by day, under a heading for each day. */
export function Days<T>({ items, timeOf, children }: DaysProps<T>) {
  const days = [...new Set(items.map((item) => dayOf(timeOf(item))))];
  return (
    <>
      {days.map((day) => (
        <div key={day} class="stack tight">
          <h3 id={`day-${day}`} class="small quiet">
            {dayTitle(day)}
          </h3>
          <ul class="list" aria-labelledby={`day-${day}`}>
            {items.filter((item) => dayOf(timeOf(item)) === day).map(children)}
          </ul>
        </div>
      ))}
    </>
  );
}
