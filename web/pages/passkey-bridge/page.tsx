import type { paths, ResponseBody } from '@gatehouse-auth/client';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { brand } from '../../core/brand.js';
import { clearLinkParameters, linkParameter } from '../../core/fragment.js';
import { readHistoryState, writeHistoryState } from '../../core/history-state.js';
import { t } from '../../core/language.js';
import { hasPasskeys, PasskeyCancelled, requestAssertion } from '../../core/passkeys.js';
import { replacePage } from '../../core/redirects.js';
import { Button } from '../../kit/button.js';
import { DecisionButton } from '../../kit/decision-button.js';
import { Facts, requestingDeviceFacts } from '../../kit/facts.js';
import { Frame } from '../../kit/frame.js';
import { FailureNotice, Notice } from '../../kit/notice.js';
import { CopyButton, Spinner } from '../../kit/shown.js';

type CeremonyOptions = ResponseBody<paths, '/v1/auth/passkey-bridge/{ceremony_id}/options', 'post'>;
type Options = CeremonyOptions['options'];
type CeremonyResult = ResponseBody<paths, '/v1/auth/passkey-bridge/{ceremony_id}/complete', 'post'>;
type View =
  | { readonly kind: 'asking' }
  | { readonly kind: 'gone' }
  | { readonly kind: 'refused' }
  | { readonly kind: 'leaving' }
  | { readonly kind: 'code'; readonly code: string };

const ceremonyId = linkParameter('ceremony_id') ?? '';
/** History key of the completion code. Only this page writes it, so a link cannot display a code. */
const COMPLETION = 'completion_code';
const path = { ceremony_id: ceremonyId };
const TITLES = {
  asking: 'bridge.title',
  gone: 'bridge.goneTitle',
  refused: 'bridge.refusedTitle',
  leaving: 'bridge.title',
  code: 'bridge.codeTitle',
} as const;

function first(): View {
  const code = readHistoryState<string>(COMPLETION);
  if (code) return { kind: 'code', code };
  return { kind: ceremonyId ? 'asking' : 'gone' };
}

/** True if the ceremony is unknown, expired or already completed. */
const isGone = (code: string): boolean => code === 'PASSKEY_AUTHENTICATION_FAILED';

function Question({ onView }: { readonly onView: (view: View) => void }) {
  const options = useSignal<Options | null>(null);
  const asker = useSignal<CeremonyOptions['requested_by']>(null);
  const isCancelled = useSignal(false);
  const isConfirmation = useSignal(false);
  const ask = async () => {
    const answered = await api.post('/v1/auth/passkey-bridge/{ceremony_id}/options', { path });
    options.value = answered.options;
    asker.value = answered.requested_by;
    isConfirmation.value = 'allowCredentials' in answered.options;
  };
  const gone = ({ code }: { readonly code: string }) => {
    if (isGone(code)) onView({ kind: 'gone' });
    return isGone(code);
  };
  const leave = ({ return_url: url }: CeremonyResult) => {
    onView({ kind: 'leaving' });
    replacePage(url as string);
  };
  const load = useAction(ask, { onError: gone });
  const answer = useAction(
    async () => {
      isCancelled.value = false;
      refuse.clear();
      if (!options.value) await ask();
      const requested = options.value;
      try {
        const response = (await requestAssertion(requested)) as never;
        // A challenge is consumed by the response, even if that fails.
        options.value = null;
        const ended = await api.post('/v1/auth/passkey-bridge/{ceremony_id}/complete', { path, body: { response } });
        if (ended.completion_code === null) return leave(ended);
        clearLinkParameters();
        return onView({ kind: 'code', code: writeHistoryState(COMPLETION, ended.completion_code) });
      } catch (error) {
        if (!(error instanceof PasskeyCancelled)) throw error;
        isCancelled.value = true;
      }
    },
    {
      // A wrong passkey and an expired request have the same code. Requesting options again shows which one it is.
      onError: async (refused) => {
        if (!isGone(refused.code)) return false;
        await load.run();
        return options.value === null && !load.failure.value;
      },
    },
  );
  const refuse = useAction(
    async () => {
      const ended = await api.post('/v1/auth/passkey-bridge/{ceremony_id}/cancel', { path });
      if (ended.completion_code === null) return leave(ended);
      clearLinkParameters();
      return onView({ kind: 'refused' });
    },
    { onError: gone },
  );
  useEffect(() => void load.run(), [load]);

  if (!options.value && !answer.isBusy.value && !answer.failure.value) {
    if (!load.failure.value) return <Spinner label={t('common.loading')} />;
    return (
      <>
        <FailureNotice of={load} />
        <Button action={load} size="wide">
          {t('common.retry')}
        </Button>
      </>
    );
  }
  return (
    <>
      <p>{t('bridge.why', { product: brand.product })}</p>
      {asker.value && (
        <>
          <p>{t('bridge.asks')}</p>
          <Facts facts={requestingDeviceFacts(asker.value)} />
        </>
      )}
      <p>{t(isConfirmation.value ? 'bridge.yesConfirms' : 'bridge.yesSignsIn')}</p>
      <Notice kind="warn" isAnnounced={false}>
        {t('bridge.onlyYours')}
      </Notice>
      {!hasPasskeys() && <Notice kind="bad">{t('signIn.noPasskeysHere')}</Notice>}
      <FailureNotice of={answer} />
      <FailureNotice of={refuse} />
      {isCancelled.value && <Notice kind="bad">{t('bridge.noPasskey')}</Notice>}
      {hasPasskeys() && (
        <DecisionButton action={answer} size="wide">
          {t('sudo.passkey')}
        </DecisionButton>
      )}
      <DecisionButton action={refuse} kind="plain" size="wide">
        {t('bridge.refuse')}
      </DecisionButton>
    </>
  );
}

const Code = ({ code }: { readonly code: string }) => (
  <>
    <p>{t('bridge.codeHow')}</p>
    <output class="shown-code small" dir="ltr">
      {code}
    </output>
    <CopyButton text={code} />
  </>
);

/** Completes a passkey request of another page or app, because passkeys are bound to this origin. */
export default function PasskeyBridge() {
  const view = useSignal<View>(first());
  const { value } = view;
  const show = (next: View) => {
    view.value = next;
  };
  return (
    <Frame title={t(TITLES[value.kind])}>
      {value.kind === 'asking' && <Question onView={show} />}
      {value.kind === 'gone' && <Notice kind="warn">{t('bridge.gone')}</Notice>}
      {value.kind === 'refused' && <Notice kind="good">{t('bridge.refused')}</Notice>}
      {value.kind === 'leaving' && <Spinner label={t('common.loading')} />}
      {value.kind === 'code' && <Code code={value.code} />}
    </Frame>
  );
}
