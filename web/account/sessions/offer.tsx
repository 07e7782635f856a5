import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import { useLoaded } from '../../kit/loaded.js';
import { FailureNotice, Notice } from '../../kit/notice.js';
import { toast } from '../../kit/toast.js';
import { endSessions, othersOf, type Session } from './session.js';

const isOffered = signal(false);

/**
 * Offers to end other sessions after a factor was added, changed or removed. Shown only after all dialogs are closed,
 * so that screen readers announce it.
 */
export function offerToEndOthers(): void {
  isOffered.value = true;
}

/** Removes the offer and moves the focus to the heading, because the focused button disappears. */
function dismissOffer(): void {
  isOffered.value = false;
  document.querySelector('h1')?.focus();
}

function Offer({ others }: { readonly others: readonly Session[] }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => place.current?.scrollIntoView({ block: 'nearest' }), []);
  const endAll = useAction(async () => {
    await endSessions(others);
    toast(t('sessions.othersEnded'));
    dismissOffer();
  });
  return (
    <div ref={place}>
      <Notice>
        <p>{t('sessions.factorsChanged', { count: others.length })}</p>
        <FailureNotice of={endAll} />
        <div class="row">
          <Button kind="plain" size="small" action={endAll}>
            {t('sessions.endOthers')}
          </Button>
          <Button kind="plain" size="small" onClick={dismissOffer}>
            {t('sessions.keepOthers')}
          </Button>
        </div>
      </Notice>
    </div>
  );
}

function OfferIfOthers() {
  const sessions = useLoaded(() => api.get('/v1/auth/sessions'), ['SESSIONS_REPLACE']);
  const others = othersOf(sessions.value.value ?? []);
  return others.length > 0 ? <Offer others={others} /> : null;
}

/** The offer to end other sessions after a factor change. Shown only if there are other sessions. */
export const OthersOffer = () => (isOffered.value ? <OfferIfOthers /> : null);
