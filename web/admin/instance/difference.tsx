import { Fragment } from 'preact';
import { type TranslationKey, t } from '../../core/language.js';
import { Notice } from '../../kit/notice.js';
import { type Config, type Member, storedIn, type Value, wordsOf } from './members.js';

export type Changes = ReadonlyMap<Member, Value>;

const isSecret = ({ kind }: Member): boolean => kind === 'secret';

const Change = ({
  config,
  member,
  value,
}: {
  readonly config: Config;
  readonly member: Member;
  readonly value: Value;
}) =>
  isSecret(member) ? (
    <dd>{t(value === null ? 'adminInstance.secretRemoved' : 'adminInstance.secretChanged')}</dd>
  ) : (
    <>
      <dd>
        <span class="quiet">{t('adminInstance.before')}</span> <bdi>{wordsOf(member, storedIn(config, member))}</bdi>
      </dd>
      <dd>
        <span class="quiet">{t('adminInstance.after')}</span>{' '}
        <strong>
          <bdi>{wordsOf(member, value)}</bdi>
        </strong>
      </dd>
    </>
  );

/** The changes with old and new values. */
export const Difference = ({ config, changes }: { readonly config: Config; readonly changes: Changes }) => (
  <dl class="difference">
    {[...changes].map(([member, value]) => (
      <Fragment key={member.path}>
        <dt>{t(member.label)}</dt>
        <Change config={config} member={member} value={value} />
      </Fragment>
    ))}
  </dl>
);

/** Changing one of these removes all links between administrators and the identity provider (sso.md section 3). */
const PROVIDER: ReadonlySet<string> = new Set(
  ['issuer', 'authorization_url', 'token_url', 'userinfo_url', 'jwks_url', 'client_id'].map((name) => `sso.${name}`),
);

const WARNINGS: Readonly<Record<string, (value: Value) => TranslationKey | null>> = {
  'registration.mode': (mode) => (mode === 'closed' ? 'adminInstance.warnClosed' : null),
  'sso.enforced': (isOn) => (isOn ? 'adminInstance.warnEnforced' : 'adminInstance.warnNotEnforced'),
  'sso.enabled': (isOn) => (isOn ? null : 'adminInstance.warnDisabled'),
};

function warningsOf(changes: Changes): TranslationKey[] {
  const all = [...changes].map(([{ path }, value]) =>
    PROVIDER.has(path) ? 'adminInstance.warnProvider' : (WARNINGS[path]?.(value) ?? null),
  );
  return [...new Set(all.filter((words) => words !== null))];
}

/** Warnings about side effects of the changes. */
export function Warnings({ of: changes }: { readonly of: Changes }) {
  const warnings = warningsOf(changes);
  if (warnings.length === 0) return null;
  return (
    <Notice kind="warn" isAnnounced={false}>
      {warnings.map((words) => (
        <p key={words}>{t(words)}</p>
      ))}
    </Notice>
  );
}
