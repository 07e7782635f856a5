import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { t } from '../../core/language.js';
import { replacePage, signInPath } from '../../core/redirects.js';
import { retryLoad } from '../../core/retry-load.js';
import { resolveSession, session, signOutCause } from '../../core/session.js';
import { Button, LinkButton } from '../../kit/button.js';
import { Frame } from '../../kit/frame.js';
import { Spinner, Success } from '../../kit/shown.js';
import { CodeForm } from './code-form.js';
import { Decision } from './decision.js';
import { clearRequest, type Request, restoreRequest, storeForSignIn, storeRequest } from './request.js';

const TITLES = {
  approved: 'handoff.approvedTitle',
  refused: 'handoff.refusedTitle',
  gone: 'handoff.goneTitle',
} as const;

function Outcome({ outcome, onAgain }: { readonly outcome: keyof typeof TITLES; readonly onAgain: () => void }) {
  return (
    <Frame title={t(TITLES[outcome])}>
      {outcome === 'approved' ? <Success>{t('handoff.approved')}</Success> : <p>{t(`handoff.${outcome}`)}</p>}
      {outcome !== 'gone' && <LinkButton href="/account">{t('handoff.toAccount')}</LinkButton>}
      <Button kind={outcome === 'gone' ? 'main' : 'plain'} onClick={onAgain}>
        {t('handoff.another')}
      </Button>
    </Frame>
  );
}

const known = restoreRequest();

export default function Handoff() {
  const code = useSignal(known.code);
  const request = useSignal<Request | null>(known.request);
  const isSettled = useSignal(session.value !== null);
  const isSignedIn = session.value !== null;
  useEffect(() => {
    void resolveSession().then(() => {
      isSettled.value = true;
    });
    const watching = retryLoad(() => import('../../core/live.js')).then(({ connectGateway: listen }) =>
      listen(() => {}),
    );
    return () => void watching.then((stop) => stop());
  }, [isSettled]);
  const isSignedOut = isSettled.value && !isSignedIn;
  useEffect(() => {
    if (!isSignedOut) return;
    storeForSignIn(code.value, request.value);
    void replacePage(signOutCause.value ? `${signInPath()}&signed_out=${signOutCause.value}` : signInPath());
  }, [isSignedOut, code, request]);

  if (!isSignedIn) {
    return (
      <Frame title={t('handoff.title')}>
        <Spinner label={t('common.loading')} />
      </Frame>
    );
  }
  const shown = request.value;
  if (!shown) {
    return (
      <CodeForm
        code={code}
        isCarried={known.code !== ''}
        isMalformed={known.isMalformed === true}
        onFound={(found) => {
          request.value = storeRequest(found);
        }}
      />
    );
  }
  if (shown.outcome) {
    return (
      <Outcome
        outcome={shown.outcome}
        onAgain={() => {
          clearRequest();
          code.value = '';
          request.value = null;
        }}
      />
    );
  }
  return (
    <Decision
      request={shown}
      onDecided={(outcome) => {
        request.value = storeRequest({ ...shown, outcome });
      }}
    />
  );
}
