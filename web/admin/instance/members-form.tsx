import { Fragment } from 'preact';
import { t } from '../../core/language.js';
import type { AuditedAction } from '../parts/audited-action.js';
import { Control } from './control.js';
import { type Draft, mayChange } from './draft.js';
import { type Config, type Member, storedIn, wordsOf } from './members.js';

export interface PartProps {
  readonly config: Config;
  readonly draft: Draft;
  readonly auditedAction: AuditedAction;
}

function stored(config: Config, member: Member): string {
  if (member.kind !== 'secret') return wordsOf(member, storedIn(config, member));
  return t(config.sso.client_secret_set ? 'adminInstance.secretIsSet' : 'adminInstance.secretIsNotSet');
}

const ReadOnly = ({ config, members }: { readonly config: Config; readonly members: readonly Member[] }) => (
  <dl class="facts">
    {members.map((member) => (
      <Fragment key={member.path}>
        <dt>{t(member.label)}</dt>
        <dd>
          <bdi>{stored(config, member)}</bdi>
        </dd>
      </Fragment>
    ))}
  </dl>
);

/** Members of one section: controls for editable ones, text for the others. */
export const Members = ({
  members,
  config,
  draft,
  auditedAction,
}: PartProps & { readonly members: readonly Member[] }) => (
  <>
    {members.filter(mayChange).map((member) => (
      <Control
        key={member.path}
        member={member}
        config={config}
        value={draft.current(member)}
        onValue={(value) => draft.set(member, value)}
        action={auditedAction.action}
      />
    ))}
    {members.some((member) => !mayChange(member)) && (
      <ReadOnly config={config} members={members.filter((member) => !mayChange(member))} />
    )}
  </>
);
