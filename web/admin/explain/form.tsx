import { type Signal, useComputed } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { Action } from '../../core/action.js';
import { type TranslationKey, t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import { Choice, Field, Select } from '../../kit/field.js';
import { FailureNotice } from '../../kit/notice.js';
import { AclChoices } from '../acls/choices.js';
import { CREDENTIALS, ENFORCEMENTS, METHODS, oneOf, PARTS, type Question } from './question.js';

/** Names of the suspicious-activity bits, lowest first (account.md section 7). */
const FLAGS = [
  'REQUIRE_VERIFIED_EMAIL',
  'REQUIRE_REVERIFIED_EMAIL',
  'REQUIRE_VERIFIED_PHONE',
  'REQUIRE_REVERIFIED_PHONE',
  'REQUIRE_VERIFIED_EMAIL_OR_VERIFIED_PHONE',
  'REQUIRE_REVERIFIED_EMAIL_OR_VERIFIED_PHONE',
  'REQUIRE_VERIFIED_EMAIL_OR_REVERIFIED_PHONE',
  'REQUIRE_REVERIFIED_EMAIL_OR_REVERIFIED_PHONE',
] as const;

const wordsFor = (names: readonly string[], kind: string): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, t(`adminExplain.${kind}:${name}` as TranslationKey)]));

interface PartProps {
  readonly question: Question;
  readonly set: (change: Partial<Question>) => void;
}

interface FoldedProps {
  readonly label: string;
  readonly count: number;
  readonly children: ComponentChildren;
}

/** A collapsed list. The summary shows the number of selected items. */
const Folded = ({ label, count, children }: FoldedProps) => (
  <details class="folded">
    <summary>
      {label} <span class="quiet">· {t('adminExplain.chosen', { count })}</span>
    </summary>
    {children}
  </details>
);

const Scopes = ({ question, set }: PartProps) => (
  <Field
    name="scopes"
    label={t('adminExplain.scopes')}
    hint={t('adminExplain.scopesHint')}
    value={question.scopes}
    onValue={(scopes) => set({ scopes })}
    isVerbatim
  />
);

const Acls = ({ question: { acls }, set }: PartProps) => (
  <Folded label={t('adminExplain.acls')} count={acls.length}>
    <AclChoices label={t('adminExplain.acls')} name="acls" chosen={acls} onChosen={(chosen) => set({ acls: chosen })} />
  </Folded>
);

const KeyAcls = ({ question: { acls, keyAcls }, set }: PartProps) => (
  <>
    <Choice
      name="same"
      label={t('adminExplain.keyAclsSame')}
      checked={keyAcls === null}
      onChecked={(isSame) => set({ keyAcls: isSame ? null : acls })}
    />
    {keyAcls && (
      <Folded label={t('adminExplain.keyAcls')} count={keyAcls.length}>
        <AclChoices
          label={t('adminExplain.keyAcls')}
          name="key_acls"
          chosen={keyAcls}
          onChosen={(chosen) => set({ keyAcls: chosen })}
        />
      </Folded>
    )}
  </>
);

const Flags = ({ question: { flags }, set }: PartProps) => (
  <Folded label={t('adminExplain.flags')} count={FLAGS.filter((_, bit) => flags & (1 << bit)).length}>
    <fieldset class="choices">
      <legend>{t('adminExplain.flags')}</legend>
      {FLAGS.map((name, bit) => (
        <Choice
          key={name}
          name={name}
          checked={(flags & (1 << bit)) !== 0}
          onChecked={() => set({ flags: flags ^ (1 << bit) })}
          label={
            <span class="acl">
              <code dir="ltr">{name}</code>
              <span class="small quiet">{t(`adminExplain.flag:${name}`)}</span>
            </span>
          }
        />
      ))}
    </fieldset>
  </Folded>
);

const FIELDS = { scopes: Scopes, acls: Acls, keyAcls: KeyAcls, flags: Flags } as const;

interface RequestProps extends PartProps {
  readonly action: Action;
}

const Request = ({ question, set, action }: RequestProps) => (
  <>
    <div class="request">
      <Select
        name="method"
        label={t('adminExplain.method')}
        value={question.method}
        options={Object.fromEntries(METHODS.map((method) => [method, method]))}
        onValue={(method) => set({ method: oneOf(METHODS, method) })}
      />
      <Field
        name="path"
        label={t('adminExplain.path')}
        hint={t('adminExplain.pathHint')}
        value={question.path}
        onValue={(path) => set({ path })}
        wrong={action.of('path')}
        required
        isVerbatim
      />
    </div>
    <Select
      name="credential"
      label={t('adminExplain.credential')}
      hint={t('adminExplain.credentialHint')}
      value={question.credential}
      options={wordsFor(CREDENTIALS, 'credential')}
      onValue={(credential) => set({ credential: oneOf(CREDENTIALS, credential) })}
    />
  </>
);

export interface QuestionFormProps {
  readonly draft: Signal<Question>;
  readonly action: Action;
  readonly onAsked: () => void;
}

/** A form for a hypothetical request. It asks only for properties that the credential has. */
export function QuestionForm({ draft, action, onAsked }: QuestionFormProps) {
  const parts = useComputed(() => PARTS[draft.value.credential]);
  const question = draft.value;
  const set = (change: Partial<Question>) => {
    draft.value = { ...draft.value, ...change };
  };
  const submit = (event: Event) => {
    event.preventDefault();
    onAsked();
  };
  return (
    <form class="stack" onSubmit={submit}>
      <Request question={question} set={set} action={action} />
      {parts.value.map((part) => {
        const Part = FIELDS[part];
        return <Part key={part} question={question} set={set} />;
      })}
      <Select
        name="sso"
        label={t('adminExplain.sso')}
        value={question.sso}
        options={wordsFor(ENFORCEMENTS, 'sso')}
        onValue={(sso) => set({ sso: oneOf(ENFORCEMENTS, sso) })}
      />
      <FailureNotice of={action} />
      <div>
        <Button submits action={action}>
          {t('adminExplain.explain')}
        </Button>
      </div>
    </form>
  );
}
