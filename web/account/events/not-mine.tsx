import { useAction } from '../../core/action.js';
import { t } from '../../core/language.js';
import { navigate } from '../../core/views.js';
import { Button, LinkButton } from '../../kit/button.js';
import { ConfirmButton } from '../../kit/confirm-button.js';
import { toast } from '../../kit/toast.js';
import { deviceOf } from '../sessions/device.js';
import { endSessions, type Session } from '../sessions/session.js';
import { LOCKDOWN_ID } from './lockdown.js';
import type { SecurityEvent } from './words.js';

/** Ends the session of an event. Then the user changes the password. */
function EndSignIn({ session }: { readonly session: Session }) {
  const end = useAction(async () => {
    await endSessions([session]);
    toast(t('sessions.ended'));
    navigate('/account/password');
  });
  return (
    <ConfirmButton label={t('events.notMine')} title={t('sessions.endTitle')} action={end} size="small">
      <p>{t('events.notMineWhat', { device: deviceOf(session) })}</p>
    </ConfirmButton>
  );
}

function toLockdown(): void {
  const heading = document.getElementById(LOCKDOWN_ID);
  heading?.scrollIntoView({ block: 'center' });
  heading?.focus();
}

export interface NotMineProps {
  readonly event: SecurityEvent;
  readonly sessions: readonly Session[];
}

/** "This wasn't me": leads to what reverses the event, or else to the lockdown. */
export function NotMine({ event, sessions }: NotMineProps) {
  const session = sessions.find(({ id_hash, current }) => id_hash === event.session_id_hash && !current);
  if (event.type === 'signed_in' && session)
    return (
      <div>
        <EndSignIn session={session} />
      </div>
    );
  if (event.type === 'application_authorized')
    return (
      <div>
        <LinkButton kind="plain" size="small" href="/account/connections">
          {t('events.notMine')}
        </LinkButton>
      </div>
    );
  return (
    <div>
      <Button kind="plain" size="small" onClick={toLockdown}>
        {t('events.notMine')}
      </Button>
    </div>
  );
}
