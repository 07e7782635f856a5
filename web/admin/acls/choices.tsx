import { language, t } from '../../core/language.js';
import { Choice } from '../../kit/field.js';
import { Badge } from '../../kit/portrait.js';
import { AclWords } from '../parts/acl-words.js';
import { hasAcl, registry } from '../rights.js';
import { inOrder } from './acl.js';
import './acls.css';

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
}

/** Checkboxes for all ACLs with descriptions. The user's own ACLs are marked. */
export const AclChoices = ({ label, name, chosen, onChosen }: AclChoicesProps) => (
  <fieldset class="choices">
    <legend>{label}</legend>
    {registry.value?.acls.map((acl) => (
      <Choice
        key={acl}
        name={`${name}.${acl}`}
        checked={chosen.includes(acl)}
        onChecked={(isChosen) => onChosen(inOrder(isChosen ? [...chosen, acl] : chosen.filter((one) => one !== acl)))}
        label={
          <span class="acl">
            <span class="row">
              <AclCode acl={acl} />
              {hasAcl(acl) && <Badge>{t('adminAcls.yours')}</Badge>}
            </span>
            <span class="small quiet">
              <AclWords acl={acl} />
            </span>
          </span>
        }
      />
    ))}
  </fieldset>
);
