import { t } from '../../core/language.js';
import { AclWords } from '../parts/acl-words.js';
import { AclCode } from './choices.js';

const SIGNS = { removed: '−', added: '+' } as const;

function Side({ side, acls }: { readonly side: keyof typeof SIGNS; readonly acls: readonly string[] }) {
  const Mark = side === 'removed' ? 'del' : 'ins';
  return acls.map((acl) => (
    <li key={acl}>
      <Mark>
        <span aria-hidden="true">{SIGNS[side]} </span>
        {t(`adminAcls.${side}`)}: <AclCode acl={acl} />
      </Mark>{' '}
      <span class="small quiet">
        <AclWords acl={acl} />
      </span>
    </li>
  ));
}

export interface AclDifferenceProps {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** The ACLs that saving adds and removes. */
export function AclDifference({ before, after }: AclDifferenceProps) {
  const removed = before.filter((acl) => !after.includes(acl));
  const added = after.filter((acl) => !before.includes(acl));
  return (
    <div class="acl-difference" role="status" aria-label={t('adminAcls.changes')}>
      <p class="acl-difference-title">{t('adminAcls.changes')}</p>
      {removed.length + added.length === 0 ? (
        <p class="small quiet">{t('adminAcls.unchanged')}</p>
      ) : (
        <ul>
          <Side side="removed" acls={removed} />
          <Side side="added" acls={added} />
        </ul>
      )}
    </div>
  );
}
