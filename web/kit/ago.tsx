import { formatAgo, formatDateTime } from '../core/language.js';

/** A relative time. The exact time is shown on hover, and in a list also while a control of the item has the focus. */
export const Ago = ({ time }: { readonly time: string }) => (
  <time class="ago" dateTime={time}>
    {formatAgo(time)}
    <span class="unseen exact"> ({formatDateTime(time)})</span>
  </time>
);
