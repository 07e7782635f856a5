import { t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import { FailureNotice, Notice } from '../../kit/notice.js';
import { type AuditedAction, ReasonField } from '../parts/audited-action.js';
import { type Difference, Differences, wordsOfSecret } from '../parts/differences.js';
import { CLAIMS, type Connection, SWITCHES, type SwitchName, TEXT_LABELS, type TextName } from './connection.js';
import type { Changes } from './draft.js';

const textOf = (value: string | number | null | undefined): string => String(value ?? '') || t('adminInstance.nothing');
const listOf = (domains: readonly string[]): string => textOf(domains.join(', '));
const stateOf = (isOn: boolean): string => t(isOn ? 'adminInstance.on' : 'adminInstance.off');

function claimDifferences(stored: Connection, { claims }: Changes): Difference[] {
  if (claims === undefined) return [];
  return CLAIMS.filter((name) => claims?.[name] !== stored.claims?.[name]).map((name) => ({
    ...{ name: `claims.${name}`, label: t(`adminConnections.claim_${name}`) },
    ...{ before: textOf(stored.claims?.[name]), after: textOf(claims?.[name]) },
  }));
}

/** The changes with old and new values. */
function differencesOf(stored: Connection, changes: Changes): Difference[] {
  const { allowed_domains: domains, position, client_secret: secret } = changes;
  const texts = (Object.keys(TEXT_LABELS) as TextName[]).filter((name) => changes[name] !== undefined);
  const switches = (Object.keys(SWITCHES) as SwitchName[]).filter((name) => changes[name] !== undefined);
  return [
    ...texts.map((name) => ({
      ...{ name, label: t(TEXT_LABELS[name]), before: textOf(stored[name]), after: textOf(changes[name]) },
    })),
    ...(secret === undefined
      ? []
      : [{ name: 'client_secret', label: t('adminInstance.ssoClientSecret'), words: wordsOfSecret(secret) }]),
    ...switches.map((name) => ({
      ...{ name, label: t(SWITCHES[name][0]), before: stateOf(stored[name]), after: stateOf(changes[name] === true) },
    })),
    ...(domains === undefined
      ? []
      : [
          {
            ...{ name: 'allowed_domains', label: t('adminInstance.ssoDomains') },
            ...{ before: listOf(stored.allowed_domains), after: listOf(domains) },
          },
        ]),
    ...claimDifferences(stored, changes),
    ...(position === undefined
      ? []
      : [
          {
            ...{ name: 'position', label: t('adminConnections.position') },
            ...{ before: textOf(stored.position), after: textOf(position) },
          },
        ]),
  ];
}

/** Whether the change removes the links of administrators (connections.md section 1). */
const isOfProvider = (changes: Changes): boolean =>
  ['client_id', 'claims', 'issuer'].some((name) => name in changes) ||
  Object.keys(changes).some((name) => name.endsWith('_url'));

interface ReviewProps {
  readonly of: Connection;
  readonly changes: Changes;
  readonly audited: AuditedAction;
  readonly onSave: (event: Event) => void;
  readonly onCancel: () => void;
}

/** The changes, before they are saved. */
export function Review({ of: stored, changes, audited, onSave, onCancel }: ReviewProps) {
  const differences = differencesOf(stored, changes);
  return (
    <form class="stack" onSubmit={onSave}>
      <p>{t('adminInstance.reviewWhat', { count: differences.length })}</p>
      <Differences of={differences} />
      {isOfProvider(changes) && (
        <Notice kind="warn" isAnnounced={false}>
          {t('adminConnections.warnProvider')}
        </Notice>
      )}
      <ReasonField of={audited} isRequired />
      <FailureNotice of={audited.action} />
      <div class="actions">
        <Button kind="plain" onClick={onCancel}>
          {t('common.cancel')}
        </Button>
        <Button submits action={audited.action}>
          {t('adminInstance.save')}
        </Button>
      </div>
    </form>
  );
}
