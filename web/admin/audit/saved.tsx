import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { t } from '../../core/language.js';
import { onLinkClick, query } from '../../core/views.js';
import { Button } from '../../kit/button.js';
import { Field, setterOf } from '../../kit/field.js';
import { Icon } from '../../kit/icon.js';
import { ExpandableForm } from '../../kit/opened.js';
import { toast } from '../../kit/toast.js';
import { filtersInUrl, pathOfSingleFilter } from './addresses.js';
import { deleteFilter, type SavedFilter, savedFilters, saveFilter } from './saved-filters.js';

const NAME_LENGTH = 40;

function NameForm({ onDone }: { readonly onDone: () => void }) {
  const name = useSignal('');
  const submit = (event: Event) => {
    event.preventDefault();
    const said = name.value.trim();
    if (said === '') return;
    saveFilter(said, filtersInUrl());
    toast(t('adminAudit.filterSaved'));
    onDone();
  };
  return (
    <form class="section" onSubmit={submit} aria-label={t('adminAudit.saveFilter')}>
      <Field
        name="filter_name"
        label={t('adminAudit.filterName')}
        hint={t('adminAudit.filterNameHint')}
        value={name.value}
        onValue={setterOf(name)}
        maxLength={NAME_LENGTH}
        autocomplete="off"
        required
      />
      <div class="actions">
        <Button kind="plain" onClick={onDone}>
          {t('common.cancel')}
        </Button>
        <Button submits>{t('adminInstance.save')}</Button>
      </div>
    </form>
  );
}

const Item = ({ of: { name, filters }, onDelete }: { readonly of: SavedFilter; readonly onDelete: () => void }) => {
  const href = pathOfSingleFilter(filters);
  const isCurrent = href === pathOfSingleFilter(filtersInUrl());
  return (
    <li>
      <a href={href} aria-current={isCurrent ? 'true' : undefined} onClick={(event) => onLinkClick(event, href)}>
        <bdi>{name}</bdi>
      </a>
      <Button kind="bare" size="small" label={t('adminAudit.deleteFilter', { name })} onClick={onDelete}>
        <Icon name="x" size={16} />
      </Button>
    </li>
  );
};

/** Filters that were saved on this device, and a form to save the current ones. */
export function Saved() {
  const place = useRef<HTMLElement>(null);
  const all = savedFilters();
  const remove = (name: string) => () => {
    // The focused button disappears with its filter.
    place.current?.focus();
    deleteFilter(name);
  };
  const isFiltered = Object.keys(filtersInUrl()).length > 0;
  if (all.length === 0 && !isFiltered) return null;
  return (
    <section class="stack tight" ref={place} tabIndex={-1} aria-label={t('adminAudit.saved')}>
      {all.length > 0 && (
        <div class="row">
          <span class="small quiet" aria-hidden="true">
            {t('adminAudit.saved')}
          </span>
          <ul class="chips" aria-label={t('adminAudit.saved')}>
            {all.map((one) => (
              <Item key={one.name} of={one} onDelete={remove(one.name)} />
            ))}
          </ul>
        </div>
      )}
      {isFiltered && (
        <ExpandableForm label={t('adminAudit.saveFilter')} kind="plain">
          {(fold) => <NameForm key={query.value} onDone={fold} />}
        </ExpandableForm>
      )}
    </section>
  );
}
