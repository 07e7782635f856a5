import { computed } from '@preact/signals';
import { t } from '../../core/language.js';
import { onLinkClick, query } from '../../core/views.js';
import type { SecurityEvent } from './words.js';

/** The event types of each filter, by parts of their names. */
const FILTERS = {
  all: /^/,
  sign_ins: /^sign|^sso|handed_over|suspicious_activity$|reactivated/,
  devices: /session|^ip_|locked_down/,
  factors: /password|email|totp|passkey|factor|codes|mfa|sudo/,
  applications: /application|^bot_|client_secret|webhook|admin_key|leaked/,
} as const;

type Filter = keyof typeof FILTERS;

const NAMES = Object.keys(FILTERS) as Filter[];
const PATH = '/account/events';

/** The filter in the URL. */
export const filter = computed<Filter>(() => {
  const wanted = new URLSearchParams(query.value).get('show');
  return NAMES.find((name) => name === wanted) ?? 'all';
});

export const isOfFilter = ({ type }: SecurityEvent): boolean => FILTERS[filter.value].test(type);

const pathOf = (name: Filter): string => (name === 'all' ? PATH : `${PATH}?show=${name}`);

export const Filters = () => (
  <fieldset class="chips" aria-label={t('events.filter')}>
    {[...NAMES.slice(1), 'all' as const].map((name) => (
      <a
        key={name}
        href={pathOf(name)}
        aria-current={filter.value === name ? 'true' : undefined}
        onClick={(event) => onLinkClick(event, pathOf(name))}
      >
        {t(`events.show_${name}`)}
      </a>
    ))}
  </fieldset>
);
