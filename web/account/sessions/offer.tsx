import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import { useLoaded } from '../../kit/loaded.js';
import { FailureNotice, Notice } from '../../kit/notice.js';
import { toast } from '../../kit/toast.js';
import { end, othersOf, type Session } from './session.js';

const isOffered = signal(false);

/**
 * A factor was added, changed or removed here: whoever did that may want everybody else out. Said once no dialog is open any
 * more, so that it is heard.
 */
export function offerToEndOthers(): void {
  isOffered.value = true;
}

/** The buttons go with the offer: the focus goes where the view begins. */
function withdraw(): void {
  isOffered.value = false;
  document.querySelector('h1')?.focus();
}

function Offer({ others }: { readonly others: readonly Session[] }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => place.current?.scrollIntoView({ block: 'nearest' }), []);
  const endAll = useAction(async () => {
    await end(others);
    toast(t('sessions.othersEnded'));
    withdraw();
  });
  return (
    <div ref={place}>
      <Notice>
        <p>{t('sessions.factorsChanged', { count: others.length })}</p>
        <FailureNotice of={endAll} />
        <div class="row">
          <Button size="small" action={endAll}>
            {t('sessions.endOthers')}
          </Button>
          <Button kind="plain" size="small" onClick={withdraw}>
            {t('sessions.keepOthers')}
          </Button>
        </div>
      </Notice>
    </div>
  );
}

function Considered() {
  const sessions = useLoaded(() => api.get('/v1/auth/sessions'), ['SESSIONS_REPLACE']);
  const others = othersOf(sessions.value.value ?? []);
  return others.length > 0 ? <Offer others={others} /> : null;
}

/** After a factor was changed, and where somebody else is signed in, the offer to end those sessions. */
export const OthersOffer = () => (isOffered.value ? <Considered /> : null);
