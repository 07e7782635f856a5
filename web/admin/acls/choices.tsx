import { useSignal } from '@preact/signals';
import { language, t } from '../../core/language.js';
import { Choice, Field, setterOf } from '../../kit/field.js';
import { Badge } from '../../kit/portrait.js';
import { AclWords } from '../parts/acl-words.js';
import { hasAcl, registry } from '../rights.js';
import { inOrder } from './acl.js';
import './acls.css';
import { type AclGroup, groupsOf, matches } from './groups.js';

export const AclCode = ({ acl }: { readonly acl: string }) => <code dir="ltr">{acl}</code>;

/** Formats ACLs as a list in a sentence, joined by "and" or "or". */
export const AclList = ({ of, mode }: { readonly of: readonly string[]; readonly mode: 'all' | 'any' }) => (
  <>
    {new Intl.ListFormat(language.value, { type: mode === 'all' ? 'conjunction' : 'disjunction' })
      .formatToParts(of)
      .map(({ type, value }) => (type === 'element' ? <AclCode acl={value} /> : value))}
  </>
);

export interface AclChoicesProps {
  readonly label: string;
  readonly name: string;
  readonly chosen: readonly string[];
  readonly onChosen: (chosen: readonly string[]) => void;
  /** The ACLs that can be chosen. Default: all. */
  readonly offered?: readonly string[];
  /** Whether the user's own ACLs are marked. Default: true. */
  readonly isOwnMarked?: boolean;
}

type GroupProps = Omit<AclChoicesProps, 'label' | 'offered'> & { readonly of: AclGroup };

const Group = ({ of: { name: area, acls }, name, chosen, onChosen, isOwnMarked = true }: GroupProps) => (
  <fieldset class="choices">
    <legend>{t(`adminAcls.group_${area}`)}</legend>
    {acls.map((acl) => (
      <Choice
        key={acl}
        name={`${name}.${acl}`}
        checked={chosen.includes(acl)}
        onChecked={(isChosen) => onChosen(inOrder(isChosen ? [...chosen, acl] : chosen.filter((one) => one !== acl)))}
        label={
          <span class="acl">
            <span class="row">
              <AclCode acl={acl} />
              {isOwnMarked && hasAcl(acl) && <Badge>{t('adminAcls.yours')}</Badge>}
            </span>{' '}
            <span class="small quiet">
              <AclWords acl={acl} />
            </span>
          </span>
        }
      />
    ))}
  </fieldset>
);

/** Checkboxes for ACLs with descriptions, in groups, with a search. Choices that the search hides stay chosen. */
export function AclChoices({ label, offered, ...choosing }: AclChoicesProps) {
  const search = useSignal('');
  const query = search.value.trim();
  const found = (offered ?? registry.value?.acls ?? []).filter((acl) => query === '' || matches(acl, query));
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would announce its legend before that of each group
    <div role="group" class="stack" aria-label={label}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: Enter in the search must not submit the form around it */}
      <div
        class="acl-search"
        onKeyDown={(event) => {
          if (event.key === 'Enter') event.preventDefault();
        }}
      >
        <Field
          label={t('adminAcls.search')}
          name={`${choosing.name}.search`}
          value={search.value}
          onValue={setterOf(search)}
          autocomplete="off"
          isVerbatim
        />
      </div>
      <p role="status" class="small quiet">
        {query !== '' && t('adminAcls.found', { count: found.length })}
      </p>
      {groupsOf(found).map((group) => (
        <Group key={group.name} of={group} {...choosing} />
      ))}
    </div>
  );
}
