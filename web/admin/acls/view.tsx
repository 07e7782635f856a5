import { rich, type TranslationKey, t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import { Notice } from '../../kit/notice.js';
import { InnerLink } from '../../kit/opened.js';
import { Table } from '../../kit/parts.js';
import { Empty } from '../../kit/shown.js';
import { EMPTY_QUESTION, explainUrl, METHODS, oneOf } from '../explain/question.js';
import { queryParameter, setQueryParameters } from '../parts/address.js';
import { can, hasAcl, registry } from '../rights.js';
import { ALL_ACLS, BASE_ACL, grants, inOrder, missingAcls, type Rule } from './acl.js';
import { AclChoices, AclCode, AclList } from './choices.js';
import { canLoadHolders, HolderList, useHolders } from './holders.js';
import { ROLES } from './role.js';
import { Roles } from './roles.js';

const chosenNow = (): readonly string[] => inOrder(queryParameter('acls')?.split(',') ?? []);
const choose = (acls: readonly string[]): void => setQueryParameters({ acls: acls.join(',') });

/** A user with `*` is shown only that ACL. */
const isOwn = (acl: string): boolean => (hasAcl(ALL_ACLS) ? acl === ALL_ACLS : hasAcl(acl));

/** A link from a route to the explanation of a request with these ACLs. */
const RouteLink = ({ rule: { method, path }, acls }: { readonly rule: Rule; readonly acls: readonly string[] }) => (
  <InnerLink
    href={explainUrl({ ...EMPTY_QUESTION, method: oneOf(METHODS, method), path, credential: 'session', acls })}
  >
    <code dir="ltr">
      {method} {path}
    </code>
  </InnerLink>
);

interface RoutesProps {
  readonly title: TranslationKey;
  readonly rules: readonly Rule[];
  readonly chosen: readonly string[];
}

function Routes({ title, rules, chosen }: RoutesProps) {
  const missing = (rule: Rule) => {
    const acls = missingAcls(chosen, rule);
    const isAny = rule.mode === 'any' && !acls.includes(BASE_ACL);
    return <AclList of={acls} mode={isAny ? 'any' : 'all'} />;
  };
  const needed = ({ acls, mode }: Rule) => <AclList of={acls} mode={mode} />;
  const isOpen = rules.every((rule) => missingAcls(chosen, rule).length === 0);
  return (
    <div class="stack routes">
      <h3>{t(title)}</h3>
      {rules.length === 0 ? (
        <Empty>{t('adminAcls.noRoute')}</Empty>
      ) : (
        <Table
          caption={t(title)}
          rows={rules}
          keyOf={({ method, path }) => `${method} ${path}`}
          columns={{
            [t('adminAcls.route')]: (rule) => <RouteLink rule={rule} acls={chosen} />,
            ...(isOpen ? { [t('adminAcls.needs')]: needed } : { [t('adminAcls.missing')]: missing }),
          }}
        />
      )}
    </div>
  );
}

/** Notes about special ACLs in the selection. */
function Remarks({ chosen }: { readonly chosen: readonly string[] }) {
  if (chosen.includes(ALL_ACLS)) {
    return <Notice>{rich('adminAcls.everything', { acl: <AclCode acl={ALL_ACLS} /> })}</Notice>;
  }
  if (grants(chosen, BASE_ACL)) return null;
  return (
    <Notice kind="warn">
      <p>{rich('adminAcls.gate', { acl: <AclCode acl={BASE_ACL} /> })}</p>
      <Button kind="plain" size="small" onClick={() => choose(inOrder([...chosen, BASE_ACL]))}>
        {t('adminAcls.addGate')}
      </Button>
    </Notice>
  );
}

function Opened({ chosen }: { readonly chosen: readonly string[] }) {
  const rules = registry.value?.operations ?? [];
  const open = rules.filter((rule) => missingAcls(chosen, rule).length === 0);
  return (
    <section class="section" aria-labelledby="opened">
      <h2 id="opened">{t('adminAcls.opened')}</h2>
      <p role="status">
        {chosen.length === 0
          ? t('adminAcls.nothing')
          : t('adminAcls.count', { count: open.length, total: rules.length })}
      </p>
      {chosen.length > 0 && (
        <>
          <Remarks chosen={chosen} />
          <p class="quiet small">{t('adminAcls.leads')}</p>
          <Routes title="adminAcls.open" rules={open} chosen={chosen} />
          <Routes title="adminAcls.closed" rules={rules.filter((rule) => !open.includes(rule))} chosen={chosen} />
        </>
      )}
    </section>
  );
}

export default function Acls() {
  const chosen = chosenNow();
  const all = registry.value?.acls ?? [];
  const holders = useHolders();
  return (
    <>
      <section class="section" aria-labelledby="registry">
        <h2 id="registry">{t('adminAcls.registry')}</h2>
        <p class="quiet">{t('adminAcls.lead')}</p>
        <div class="row">
          <Button kind="plain" size="small" onClick={() => choose(all.filter(isOwn))}>
            {t('adminAcls.chooseMine')}
          </Button>
          <Button kind="plain" size="small" disabled={chosen.length === 0} onClick={() => choose([])}>
            {t('adminAcls.chooseNone')}
          </Button>
        </div>
        <AclChoices label={t('adminAcls.choose')} name="acl" chosen={chosen} onChosen={choose} />
      </section>
      {canLoadHolders() && <HolderList of={holders} chosen={chosen} />}
      <Opened chosen={chosen} />
      {can('get', ROLES) && (
        <Roles
          chosen={chosen}
          {...(canLoadHolders()
            ? {
                onHolders: (acls: readonly string[]) => {
                  choose(inOrder(acls));
                  holders.show();
                },
              }
            : {})}
        />
      )}
    </>
  );
}
