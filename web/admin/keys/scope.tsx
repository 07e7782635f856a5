import type { Signal } from '@preact/signals';
import { t } from '../../core/language.js';
import { Choice } from '../../kit/field.js';
import { Notice } from '../../kit/notice.js';
import { Badge } from '../../kit/portrait.js';
import { AclWords } from '../parts/acl-words.js';
import { hasAcl } from '../rights.js';
import { routesAllowedBy, selectableAcls } from './key.js';
import './keys.css';

const AclLabel = ({ acl }: { readonly acl: string }) => (
  <span class="stack acl-label">
    <span class="row">
      <code dir="ltr">{acl}</code>
      {!hasAcl(acl) && <Badge kind="warn">{t('adminKeys.notYours')}</Badge>}
    </span>
    <span class="small quiet">
      <AclWords acl={acl} />
    </span>
  </span>
);

/** The routes that the selected ACLs allow, updated during selection. */
export function Preview({ acls }: { readonly acls: readonly string[] }) {
  const open = routesAllowedBy(acls);
  const isBeyond = acls.some((acl) => !hasAcl(acl));
  return (
    <div class="stack tight">
      <p role="status">{t('adminKeys.opens', { count: open.length })}</p>
      {isBeyond && (
        <Notice kind="warn" isAnnounced={false}>
          {t('adminKeys.beyond')}
        </Notice>
      )}
      {open.length > 0 && (
        <details class="opened-operations">
          <summary>{t('adminKeys.operations')}</summary>
          <ul class="points" aria-label={t('adminKeys.operations')}>
            {open.map(({ method, path }) => (
              <li key={`${method} ${path}`}>
                <code dir="ltr">
                  {method} {path}
                </code>
              </li>
            ))}
          </ul>
          <p class="small quiet">{t('adminKeys.notKeys')}</p>
        </details>
      )}
    </div>
  );
}

export interface ScopeProps {
  readonly chosen: Signal<readonly string[]>;
  /** ACLs already on the key, even if the owner lacks them. */
  readonly held?: readonly string[];
}

/** Checkboxes for ACLs, limited to those of the owner, and the routes that they allow. */
export function Scope({ chosen, held = [] }: ScopeProps) {
  const offered = selectableAcls(held);
  const choose = (acl: string) => (isChosen: boolean) => {
    chosen.value = offered.filter((one) => (one === acl ? isChosen : chosen.value.includes(one)));
  };
  return (
    <>
      <fieldset class="lines">
        <legend>{t('adminKeys.acls')}</legend>
        <p class="small quiet">{t('adminKeys.aclsHint')}</p>
        {offered.map((acl) => (
          <Choice
            key={acl}
            name={`acl.${acl}`}
            checked={chosen.value.includes(acl)}
            onChecked={choose(acl)}
            label={<AclLabel acl={acl} />}
          />
        ))}
      </fieldset>
      <Preview acls={chosen.value} />
    </>
  );
}
