import { useSignal } from '@preact/signals';
import { t } from '../../core/language.js';
import { Field, Select } from '../../kit/field.js';
import { Badge } from '../../kit/portrait.js';
import { CopyButton } from '../../kit/shown.js';
import { type Draft, mayChange } from './draft.js';
import {
  type Config,
  SSO_ADVANCED,
  SSO_CLIENT,
  SSO_ENDPOINTS,
  SSO_ISSUER,
  SSO_NAME,
  SSO_SWITCHES,
  storedIn,
} from './members.js';
import { Members, type PartProps } from './members-form.js';
import { type Choice, choiceFor, choices, PRESET_NAMES, PRESETS, presetOf } from './presets.js';

interface SsoStateProps {
  readonly of: Config['sso'];
  /** The result of the last test of the saved settings in this view. Null without one. */
  readonly isTested: boolean | null;
}

const TestState = ({ isTested }: Pick<SsoStateProps, 'isTested'>) =>
  isTested === null ? (
    <Badge>{t('adminInstance.notTested')}</Badge>
  ) : (
    <Badge kind={isTested ? 'good' : 'bad'}>{t(isTested ? 'adminInstance.tested' : 'adminInstance.testFailed')}</Badge>
  );

/** The state of single sign-on as users see it, not as it is entered here. Only a test shows that it works. */
export function SsoState({ of: { enabled, enforced, issuer, client_id: client }, isTested }: SsoStateProps) {
  if (!enabled) return <Badge>{t('adminInstance.off')}</Badge>;
  if (issuer === null || client === null) return <Badge kind="warn">{t('adminInstance.incomplete')}</Badge>;
  return (
    <span class="row">
      <Badge>{t(enforced ? 'adminExplain.sso:on' : 'adminInstance.on')}</Badge>
      <TestState isTested={isTested} />
    </span>
  );
}

const RedirectAddress = ({ of: { sso } }: { readonly of: Config }) => (
  <div class="stack tight">
    <p class="small quiet">{t('adminInstance.redirect')}</p>
    <div class="row">
      <code dir="ltr">{sso.redirect_uri}</code>
      <CopyButton text={sso.redirect_uri} />
    </div>
  </div>
);

/** Fills in the issuer of a provider. Its discovery document then names the endpoints. */
function fillIn(draft: Draft, choice: Choice, input: string): void {
  const preset = presetOf(choice);
  if (!preset) return;
  draft.set(SSO_ISSUER, preset.issuerOf(input) ?? '');
  for (const endpoint of SSO_ENDPOINTS) draft.set(endpoint, '');
  const name = String(draft.current(SSO_NAME));
  const isOfPreset = PRESET_NAMES.some((one) => PRESETS[one].name === name);
  if (name === '' || isOfPreset) draft.set(SSO_NAME, preset.name);
}

/** The choice of the provider, with one input or none. Other providers need their issuer. */
function Provider(part: PartProps) {
  const { config, draft } = part;
  const saved = String(storedIn(config, SSO_ISSUER));
  const choice = useSignal<Choice>(choiceFor(saved));
  const inputFor = (next: Choice): string => presetOf(next)?.inputOf(saved) ?? '';
  const input = useSignal(inputFor(choice.value));
  const preset = presetOf(choice.value);
  const isInvalid = preset !== null && input.value !== '' && preset.issuerOf(input.value.trim()) === null;
  const choose = (next: Choice, text: string) => {
    choice.value = next;
    input.value = text;
    fillIn(draft, next, text.trim());
  };
  return (
    <>
      <Select
        name="sso_preset"
        label={t('adminInstance.preset')}
        value={choice.value}
        options={choices()}
        onValue={(value) => choose(value as Choice, inputFor(value as Choice))}
      />
      {preset?.input && (
        <Field
          name="sso_preset_input"
          label={t(preset.input.label)}
          hint={t(preset.input.hint)}
          value={input.value}
          onValue={(text) => choose(choice.value, text)}
          wrong={isInvalid ? t('codes.INVALID_FORMAT') : part.auditedAction.action.of(SSO_ISSUER.path)}
          isVerbatim
          maxLength={512}
        />
      )}
      {preset ? (
        <p class="small quiet">
          {t('adminInstance.ssoIssuer')}: <bdi>{String(draft.current(SSO_ISSUER)) || t('adminInstance.nothing')}</bdi>
        </p>
      ) : (
        <Members {...part} members={[SSO_ISSUER]} />
      )}
    </>
  );
}

/** True if an advanced setting was rejected, or if the saved configuration has its own endpoints. */
const needsAdvanced = ({ config, auditedAction }: PartProps): boolean =>
  SSO_ADVANCED.some(({ path }) => auditedAction.action.of(path)) ||
  SSO_ENDPOINTS.some((member) => storedIn(config, member) !== '');

/** The settings of single sign-on. */
export function SingleSignOn(part: PartProps) {
  const { config } = part;
  return (
    <>
      <RedirectAddress of={config} />
      <Members {...part} members={SSO_SWITCHES} />
      {mayChange(SSO_ISSUER) ? <Provider {...part} /> : <Members {...part} members={[SSO_ISSUER]} />}
      <Members {...part} members={[SSO_NAME, ...SSO_CLIENT]} />
      <details open={needsAdvanced(part)}>
        <summary>{t('adminInstance.advanced')}</summary>
        <div class="stack advanced">
          <Members {...part} members={SSO_ADVANCED} />
        </div>
      </details>
    </>
  );
}
