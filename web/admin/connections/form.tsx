import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { api } from '../../core/api.js';
import { type TranslationKey, t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import { Dialog } from '../../kit/dialog.js';
import { Choice, Field, PasswordField } from '../../kit/field.js';
import { FailureNotice, Notice } from '../../kit/notice.js';
import { toast } from '../../kit/toast.js';
import { type AuditedAction, useAuditedAction } from '../parts/audited-action.js';
import { DomainsField, linePaths } from '../parts/lines-field.js';
import {
  advancedTexts,
  CLAIMS,
  CONNECTION,
  type Connection,
  isOAuth2,
  mainTexts,
  SWITCHES,
  type SwitchName,
  TEXT_LABELS,
  type TextName,
} from './connection.js';
import { type Draft, useDraft } from './draft.js';
import { Review } from './review.js';

interface PartProps {
  readonly of: Connection;
  readonly draft: Draft;
  readonly action: AuditedAction['action'];
}

const HINTS: Readonly<Partial<Record<TextName, TranslationKey>>> = {
  display_name: 'adminConnections.nameHint',
  icon: 'adminConnections.iconHint',
  issuer: 'adminInstance.ssoIssuerHint',
  scope: 'adminInstance.ssoScopeHint',
};

function hintOf(name: TextName, { kind }: Connection): string | undefined {
  if (name === 'issuer' && kind === 'microsoft') return t('adminConnections.tenantHint');
  const key = HINTS[name] ?? (name.endsWith('_url') && !isOAuth2(kind) ? 'adminInstance.ssoUrlHint' : undefined);
  return key && t(key);
}

const Texts = ({ of, draft, action, names }: PartProps & { readonly names: readonly TextName[] }) => (
  <>
    {names.map((name) => (
      <Field
        key={name}
        name={name}
        label={t(TEXT_LABELS[name])}
        hint={hintOf(name, of)}
        value={draft.textOf(name)}
        onValue={(text) => draft.setText(name, text)}
        wrong={action.of(name)}
        maxLength={name === 'display_name' ? 64 : 2048}
        required={name === 'display_name'}
        isVerbatim={name !== 'display_name'}
      />
    ))}
  </>
);

/** The secret is never shown. Input replaces the stored one. */
const Secret = ({ of: { client_secret_set: isSet }, draft, action }: PartProps) => (
  <div class="stack tight">
    {draft.secret !== null && (
      <PasswordField
        name="client_secret"
        label={t('adminInstance.ssoClientSecret')}
        hint={t(isSet ? 'adminInstance.secretSet' : 'adminInstance.secretNotSet')}
        value={draft.secret}
        onValue={(secret) => draft.change({ secret })}
        maxLength={1024}
        autocomplete="off"
        wrong={action.of('client_secret')}
      />
    )}
    {isSet && (
      <Choice
        name="client_secret.remove"
        label={t('adminInstance.secretRemove')}
        checked={draft.secret === null}
        onChecked={(isRemoved) => draft.change({ secret: isRemoved ? null : '' })}
      />
    )}
  </div>
);

const Switches = ({ draft, action }: PartProps) => (
  <>
    {(Object.keys(SWITCHES) as SwitchName[]).map((name) => (
      <Choice
        key={name}
        name={name}
        label={
          <>
            {t(SWITCHES[name][0])}
            <span class="hint">{t(SWITCHES[name][1])}</span>
          </>
        }
        checked={draft.switchOf(name)}
        onChecked={(isOn) => draft.setSwitch(name, isOn)}
        wrong={action.of(name)}
      />
    ))}
  </>
);

const ClaimMap = ({ draft, action }: PartProps) => (
  <fieldset class="lines">
    <legend>{t('adminConnections.claims')}</legend>
    <p class="small quiet">{t('adminConnections.claimsHint')}</p>
    {CLAIMS.map((name) => (
      <Field
        key={name}
        name={`claims.${name}`}
        label={t(`adminConnections.claim_${name}`)}
        value={draft.claimOf(name)}
        onValue={(path) => draft.setClaim(name, path)}
        wrong={name === 'id' ? action.of('claims') : undefined}
        maxLength={256}
        isVerbatim
      />
    ))}
  </fieldset>
);

const FIELDS = [
  ...[...Object.keys(TEXT_LABELS), ...Object.keys(SWITCHES), ...linePaths('allowed_domains')],
  ...['client_secret', 'claims', 'position'],
];

const Advanced = (part: PartProps) => {
  const { of, draft, action } = part;
  const names = advancedTexts(of.kind);
  // Without a preset, the endpoints of OAuth 2 are needed.
  const isOpen = of.kind === 'oauth2' || [...names, 'claims', 'position'].some((name) => action.of(name));
  return (
    <details open={isOpen}>
      <summary>{t('adminInstance.advanced')}</summary>
      <div class="stack advanced">
        <Texts {...part} names={names} />
        {isOAuth2(of.kind) && <ClaimMap {...part} />}
        <Field
          name="position"
          label={t('adminConnections.position')}
          hint={t('adminConnections.positionHint')}
          value={draft.position}
          onValue={(position) => draft.change({ position })}
          wrong={action.of('position')}
          inputMode="numeric"
          maxLength={4}
        />
      </div>
    </details>
  );
};

interface EditFormProps {
  readonly of: Connection;
  readonly onSaved: (connection: Connection) => void;
}

/** Reviews and saves the changes. Errors of members move the focus back to their fields. */
function useSaving({ of: { id }, onSaved }: EditFormProps, draft: Draft) {
  const isOpen = useSignal(false);
  const voidedLinks = useSignal<number | null>(null);
  const form = useRef<HTMLFormElement>(null);
  const audited = useAuditedAction(
    async (sent) => {
      const response = await api.patch(CONNECTION, { path: { id }, body: draft.body(), ...sent });
      const { voided_admin_links: links, ...saved } = response;
      voidedLinks.value = links ?? null;
      draft.clear();
      onSaved(saved);
      isOpen.value = false;
      toast(t('adminConnections.saved'));
    },
    { fields: FIELDS },
  );
  const save = async (event: Event) => {
    event.preventDefault();
    await audited.action.run();
    if (Object.keys(audited.action.failure.value?.fields ?? {}).length === 0) return;
    isOpen.value = false;
    // After the dialog has restored the focus.
    setTimeout(() => form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus());
  };
  const review = (event: Event) => {
    event.preventDefault();
    audited.action.clear();
    voidedLinks.value = null;
    isOpen.value = true;
  };
  return { isOpen, voidedLinks, form, audited, save, review };
}

/** The settings of a connection. */
export function EditForm(props: EditFormProps) {
  const { of: connection } = props;
  const draft = useDraft(connection);
  const { isOpen, voidedLinks, form, audited, save, review } = useSaving(props, draft);
  const { action } = audited;
  const part = { of: connection, draft, action };
  const changes = draft.body();
  const cancel = () => {
    isOpen.value = false;
  };
  return (
    <>
      <form class="section" onSubmit={review} ref={form} aria-labelledby="edit" noValidate>
        <h3 id="edit">{t('adminConnections.settings')}</h3>
        <Texts {...part} names={['display_name', ...mainTexts(connection.kind), 'client_id']} />
        <Secret {...part} />
        <Switches {...part} />
        <DomainsField
          name="allowed_domains"
          value={draft.domains}
          onValue={(domains) => draft.change({ domains })}
          action={action}
        />
        <Advanced {...part} />
        {voidedLinks.value !== null && (
          <Notice kind="warn">{t('adminInstance.voided', { count: voidedLinks.value })}</Notice>
        )}
        {!isOpen.value && <FailureNotice of={action} />}
        <div>
          <Button submits disabled={Object.keys(changes).length === 0}>
            {t('adminInstance.review')}
          </Button>
        </div>
      </form>
      <Dialog title={t('adminInstance.reviewTitle')} isOpen={isOpen.value} onCancel={cancel}>
        <Review
          of={connection}
          changes={changes}
          audited={audited}
          onSave={(event) => void save(event)}
          onCancel={cancel}
        />
      </Dialog>
    </>
  );
}
