import { useAction } from '../../core/action.js';
import { t } from '../../core/language.js';
import { ConfirmButton } from '../../kit/confirm-button.js';
import { toast } from '../../kit/toast.js';
import { endSessions, type Session } from './session.js';

/** The device of a session in words. */
export function deviceOf({ client_info: { browser, os, device } }: Session): string {
  const kind = t(device === 'mobile' ? 'device.mobile' : 'device.desktop');
  if (browser && os) return t('sessions.browserOn', { browser, system: os });
  return browser ?? os ?? kind;
}

export interface OfSessions {
  readonly onEnded: () => Promise<void>;
}

/** Ends a session after a confirmation. */
export function EndButton({ session, onEnded }: OfSessions & { readonly session: Session }) {
  const action = useAction(async () => {
    await endSessions([session]);
    toast(t('sessions.ended'));
    await onEnded();
  });
  return (
    <ConfirmButton label={t('sessions.end')} title={t('sessions.endTitle')} action={action} size="small">
      <p>{t('sessions.endWhat', { device: deviceOf(session) })}</p>
    </ConfirmButton>
  );
}
