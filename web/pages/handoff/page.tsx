import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { t } from '../../core/language.js';
import { later } from '../../core/later.js';
import { leaveFor, signInFirst } from '../../core/places.js';
import { departure, session, settled } from '../../core/session.js';
import { Button, LinkButton } from '../../kit/button.js';
import { Frame } from '../../kit/frame.js';
import { Spinner } from '../../kit/shown.js';
import { CodeForm } from './code-form.js';
import { Decision } from './decision.js';
import { forget, pack, type Request, remember, unpack } from './request.js';

const TITLES = {
  approved: 'handoff.approvedTitle',
  refused: 'handoff.refusedTitle',
  gone: 'handoff.goneTitle',
} as const;

function Outcome({ outcome, onAgain }: { readonly outcome: keyof typeof TITLES; readonly onAgain: () => void }) {
  return (
    <Frame title={t(TITLES[outcome])}>
      <p>{t(`handoff.${outcome}`)}</p>
      {outcome !== 'gone' && <LinkButton href="/account">{t('handoff.toAccount')}</LinkButton>}
      <Button kind={outcome === 'gone' ? 'main' : 'plain'} onClick={onAgain}>
        {t('handoff.another')}
      </Button>
    </Frame>
  );
}

const known = unpack();

export default function Handoff() {
  const code = useSignal(known.code);
  const request = useSignal<Request | null>(known.request);
  const isSettled = useSignal(session.value !== null);
  const isSignedIn = session.value !== null;
  useEffect(() => {
    void settled().then(() => {
      isSettled.value = true;
    });
    const watching = later(() => import('../../core/live.js')).then(({ listen }) => listen(() => {}));
    return () => void watching.then((stop) => stop());
  }, [isSettled]);
  const isSignedOut = isSettled.value && !isSignedIn;
  useEffect(() => {
    if (!isSignedOut) return;
    pack(code.value, request.value);
    void leaveFor(departure.value ? `${signInFirst()}&signed_out=${departure.value}` : signInFirst());
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
          request.value = remember(found);
        }}
      />
    );
  }
  if (shown.outcome) {
    return (
      <Outcome
        outcome={shown.outcome}
        onAgain={() => {
          forget();
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
        request.value = remember({ ...shown, outcome });
      }}
    />
  );
}
