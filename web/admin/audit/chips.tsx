import { useRef } from 'preact/hooks';
import { formatDateTime, t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import { setQueryParameters } from '../parts/address.js';
import { FILTERS, type Filter, filtersInUrl } from './addresses.js';
import type { Entry } from './entry.js';
import { nameOfAccount } from './named.js';
import { actionText, targetText } from './words.js';

const timeOf = (value: string): string => (Number.isNaN(Date.parse(value)) ? value : formatDateTime(value));

/** Formats filter values. Accounts use the names from the loaded entries. */
const FILTER_TEXT: Readonly<Partial<Record<Filter, (value: string, entries: readonly Entry[]) => string>>> = {
  admin_user_id: (id, entries) => {
    const found = entries.find((entry) => entry.admin_user_id === id)?.admin_user;
    if (found) return nameOfAccount(found);
    return id === '0' ? t('adminAudit.console') : id;
  },
  target_id: (id, entries) => {
    const found = entries.find((entry) => entry.target_id === id)?.target_user;
    return found ? nameOfAccount(found) : id;
  },
  action: actionText,
  target_type: targetText,
  from: timeOf,
  to: timeOf,
};

/** The active filters, each with a remove button. */
export function Chips({ entries }: { readonly entries: readonly Entry[] }) {
  const place = useRef<HTMLElement>(null);
  const filters = filtersInUrl();
  const names = FILTERS.filter((name) => filters[name] !== undefined);
  if (names.length === 0) return null;
  const remove = (gone: readonly Filter[]) => {
    // The focused button disappears with its filter.
    place.current?.focus();
    setQueryParameters(Object.fromEntries(gone.map((name) => [name, null])));
  };
  const said = (name: Filter): string => {
    const value = filters[name] ?? '';
    return FILTER_TEXT[name]?.(value, entries) ?? value;
  };
  return (
    <section ref={place} tabIndex={-1} aria-label={t('adminAudit.filters')}>
      <div class="row">
        <ul class="chips">
          {names.map((name) => (
            <li key={name}>
              <span>
                {t(`adminAudit.${name}`)}: <bdi>{said(name)}</bdi>
              </span>
              <Button
                kind="bare"
                size="small"
                label={t('adminAudit.remove', { filter: `${t(`adminAudit.${name}`)}: ${said(name)}` })}
                onClick={() => remove([name])}
              >
                <span aria-hidden="true">×</span>
              </Button>
            </li>
          ))}
        </ul>
        {names.length > 1 && (
          <Button kind="plain" size="small" onClick={() => remove(FILTERS)}>
            {t('adminAudit.clear')}
          </Button>
        )}
      </div>
    </section>
  );
}
