import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { api } from '../../core/api.js';
import { loadTranslations, type TranslationKey, t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import { Dialog } from '../../kit/dialog.js';
import { setterOf } from '../../kit/field.js';
import { Loading, useLoaded } from '../../kit/loaded.js';
import { FailureNotice, Notice } from '../../kit/notice.js';
import { Badge } from '../../kit/portrait.js';
import { toast } from '../../kit/toast.js';
import { type AuditedAction, ReasonField, useAuditedAction } from '../parts/audited-action.js';
import { BrandPreview } from './brand-preview.js';
import { ConfigDifferences, Warnings } from './difference.js';
import { type Draft, mayChange, useDraft } from './draft.js';
import './instance.css';
import { APPEARANCE, bodyOf, type Config, FIELDS, MEMBERS, modes, PRODUCT_NAME, REGISTRATION } from './members.js';
import { Members } from './members-form.js';
import { SingleSignOn, SsoState } from './provider.js';
import { SsoTest } from './sso-test.js';

interface SectionProps {
  readonly id: string;
  readonly title: TranslationKey;
  /** The saved state in one word. */
  readonly state?: ComponentChildren;
  readonly children: ComponentChildren;
}

const Part = ({ id, title, state, children }: SectionProps) => (
  <section class="section" aria-labelledby={id}>
    <div class="row between">
      <h2 id={id}>{t(title)}</h2>
      {state}
    </div>
    {children}
  </section>
);

interface ReviewProps {
  readonly config: Config;
  readonly draft: Draft;
  readonly auditedAction: AuditedAction;
  readonly onSave: (event: Event) => void;
  readonly onCancel: () => void;
}

const Review = ({ config, draft: { changes }, auditedAction, onSave, onCancel }: ReviewProps) => (
  <form class="stack" onSubmit={onSave}>
    <p>{t('adminInstance.reviewWhat', { count: changes.size })}</p>
    <ConfigDifferences config={config} changes={changes} />
    <Warnings of={changes} />
    <ReasonField of={auditedAction} isRequired />
    <FailureNotice of={auditedAction.action} />
    <div class="actions">
      <Button kind="plain" onClick={onCancel}>
        {t('common.cancel')}
      </Button>
      <Button submits action={auditedAction.action}>
        {t('adminInstance.save')}
      </Button>
    </div>
  </form>
);

/** Reviews and saves the changes. Errors of members move the focus back to their controls. */
function useSaving(draft: Draft, onSaved: (config: Config) => void) {
  const isOpen = useSignal(false);
  const voidedLinks = useSignal<number | null>(null);
  const form = useRef<HTMLFormElement>(null);
  const auditedAction = useAuditedAction(
    async (sent) => {
      const response = await api.patch('/v1/admin/instance/config', { ...sent, body: bodyOf(draft.changes) });
      const { voided_admin_links: voided, ...config } = response;
      voidedLinks.value = voided ?? null;
      draft.clear();
      onSaved(config);
      isOpen.value = false;
      toast(t('adminInstance.saved'));
    },
    { fields: FIELDS },
  );
  const save = async (event: Event) => {
    event.preventDefault();
    await auditedAction.action.run();
    if (Object.keys(auditedAction.action.failure.value?.fields ?? {}).length === 0) return;
    isOpen.value = false;
    // After the dialog has restored the focus.
    setTimeout(() => form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus());
  };
  return { isOpen, voidedLinks, form, auditedAction, save };
}

const mayChangeAny = (): boolean => MEMBERS.some(mayChange);

function Settings({ config, onSaved }: { readonly config: Config; readonly onSaved: (config: Config) => void }) {
  const draft = useDraft(config);
  const isTested = useSignal<boolean | null>(null);
  const { isOpen, voidedLinks, form, auditedAction, save } = useSaving(draft, (saved) => {
    isTested.value = null;
    onSaved(saved);
  });
  const part = { config, draft, auditedAction };
  const review = (event: Event) => {
    event.preventDefault();
    if (draft.changes.size === 0) return;
    auditedAction.action.clear();
    voidedLinks.value = null;
    isOpen.value = true;
  };
  const cancel = () => {
    isOpen.value = false;
  };
  return (
    <>
      <form class="stack roomy" onSubmit={review} ref={form} noValidate>
        {!mayChangeAny() && <Notice isAnnounced={false}>{t('adminInstance.onlyReading')}</Notice>}
        <Part
          id="registration"
          title="adminInstance.registration"
          state={<Badge>{modes()[config.registration.mode]}</Badge>}
        >
          <Members {...part} members={REGISTRATION} />
        </Part>
        <Part id="appearance" title="adminInstance.appearance">
          <Members {...part} members={APPEARANCE} />
          <BrandPreview product={String(draft.current(PRODUCT_NAME))} />
        </Part>
        <Part id="sso" title="adminInstance.sso" state={<SsoState of={config.sso} isTested={isTested.value} />}>
          <SingleSignOn {...part} />
          <SsoTest onTested={setterOf<boolean | null>(isTested)} />
        </Part>
        {voidedLinks.value !== null && (
          <Notice kind="warn">{t('adminInstance.voided', { count: voidedLinks.value })}</Notice>
        )}
        {!isOpen.value && <FailureNotice of={auditedAction.action} />}
        {mayChangeAny() && (
          <div class="row">
            <Button submits disabled={draft.changes.size === 0}>
              {t('adminInstance.review')}
            </Button>
            <span class="small quiet" role="status">
              {draft.changes.size > 0 && t('adminInstance.changed', { count: draft.changes.size })}
            </span>
          </div>
        )}
      </form>
      <Dialog title={t('adminInstance.reviewTitle')} isOpen={isOpen.value} onCancel={cancel}>
        <Review
          config={config}
          draft={draft}
          auditedAction={auditedAction}
          onSave={(event) => void save(event)}
          onCancel={cancel}
        />
      </Dialog>
    </>
  );
}

export default function Instance() {
  const loaded = useLoaded<Config>(async () => {
    // That bundle contains the translations of the account requirements.
    await loadTranslations('account');
    return api.get('/v1/admin/instance/config');
  });
  return <Loading of={loaded}>{(config) => <Settings config={config} onSaved={loaded.take} />}</Loading>;
}
