import { type TranslationKey, t } from '../../core/language.js';
import { Notice } from '../../kit/notice.js';
import { type Difference, Differences, wordsOfSecret } from '../parts/differences.js';
import { type Config, type Member, storedIn, type Value, wordsOf } from './members.js';

export type Changes = ReadonlyMap<Member, Value>;

function differenceOf(config: Config, member: Member, value: Value): Difference {
  const about = { name: member.path, label: t(member.label) };
  if (member.kind === 'secret') return { ...about, words: wordsOfSecret(value) };
  return { ...about, before: wordsOf(member, storedIn(config, member)), after: wordsOf(member, value) };
}

/** The changes of the configuration with old and new values. */
export const ConfigDifferences = ({ config, changes }: { readonly config: Config; readonly changes: Changes }) => (
  <Differences of={[...changes].map(([member, value]) => differenceOf(config, member, value))} />
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
