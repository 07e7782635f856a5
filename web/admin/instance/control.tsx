import type { Action } from '../../core/action.js';
import { t } from '../../core/language.js';
import { Choice, Field, Notes, PasswordField, Select } from '../../kit/field.js';
import { DomainsField } from '../parts/lines-field.js';
import { type Config, type Member, modes, REQUIREMENTS, type Value, wordsOfRequirement } from './members.js';

export interface ControlProps {
  readonly member: Member;
  readonly value: Value;
  readonly onValue: (value: Value) => void;
  readonly config: Config;
  readonly action: Action;
}

const Requirements = ({ member, value, onValue, action }: ControlProps) => {
  const bits = Number(value);
  return (
    <fieldset class="lines">
      <legend>{t(member.label)}</legend>
      {REQUIREMENTS.map((name, bit) => (
        <Choice
          key={name}
          name={`${member.path}.${name}`}
          label={wordsOfRequirement(name)}
          checked={Boolean(bits & (1 << bit))}
          onChecked={() => onValue(bits ^ (1 << bit))}
        />
      ))}
      <Notes id={member.path} wrong={action.of(member.path)} />
    </fieldset>
  );
};

/** The secret is never shown. Input replaces the stored value. */
const Secret = ({ member, value, onValue, config, action }: ControlProps) => (
  <div class="stack tight">
    {value !== null && (
      <PasswordField
        name={member.path}
        label={t(member.label)}
        hint={t(config.sso.client_secret_set ? 'adminInstance.secretSet' : 'adminInstance.secretNotSet')}
        value={String(value)}
        onValue={onValue}
        maxLength={1024}
        autocomplete="off"
        wrong={action.of(member.path)}
      />
    )}
    {config.sso.client_secret_set && (
      <Choice
        name={`${member.path}.remove`}
        label={t('adminInstance.secretRemove')}
        checked={value === null}
        onChecked={(isRemoved) => onValue(isRemoved ? null : '')}
      />
    )}
  </div>
);

const Domains = ({ member, value, onValue, action }: ControlProps) => (
  <DomainsField name={member.path} value={String(value)} onValue={onValue} action={action} />
);

const Mode = ({ member, value, onValue, action }: ControlProps) => (
  <Select
    name={member.path}
    label={t(member.label)}
    hint={member.hint && t(member.hint)}
    value={String(value)}
    options={modes()}
    onValue={onValue}
    wrong={action.of(member.path)}
  />
);

const Switch = ({ member, value, onValue, action }: ControlProps) => (
  <Choice
    name={member.path}
    label={
      <>
        {t(member.label)}
        {member.hint && <span class="hint">{t(member.hint)}</span>}
      </>
    }
    checked={value === true}
    onChecked={onValue}
    wrong={action.of(member.path)}
  />
);

function Line({ member, value, onValue, action }: ControlProps) {
  if (member.kind !== 'text' && member.kind !== 'url') return null;
  return (
    <Field
      name={member.path}
      label={t(member.label)}
      hint={member.hint && t(member.hint)}
      value={String(value)}
      onValue={onValue}
      maxLength={member.maxLength}
      required={member.isRequired ?? false}
      isVerbatim={member.kind === 'url' || member.isTrust === true}
      inputMode="text"
      wrong={action.of(member.path)}
    />
  );
}

const CONTROLS = {
  ...{ text: Line, url: Line, switch: Switch, mode: Mode },
  ...{ requirements: Requirements, secret: Secret, domains: Domains },
};

export function Control(props: ControlProps) {
  const Fitting = CONTROLS[props.member.kind];
  return <Fitting {...props} />;
}
