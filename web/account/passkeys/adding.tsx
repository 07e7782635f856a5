import { useSignal } from '@preact/signals';
import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { formatDate, t } from '../../core/language.js';
import {
  createPasskey,
  hasPasskeys,
  PasskeyAlreadyRegistered,
  PasskeyCancelled,
  reportPasskeyNames,
} from '../../core/passkeys.js';
import { Button } from '../../kit/button.js';
import { Field } from '../../kit/field.js';
import { FailureNotice, Notice } from '../../kit/notice.js';
import { toast } from '../../kit/toast.js';
import { type User, user } from '../account.js';
import { offerToEndOthers } from '../sessions/offer.js';

const CREDENTIALS = '/v1/users/@me/mfa/webauthn/credentials';

/** Sets the names that browsers show for the user's passkeys. */
export const updatePasskeyNames = ({ id, username, global_name }: User): Promise<void> =>
  reportPasskeyNames(id, username, global_name ?? username);

export const defaultPasskeyName = (): string => t('passkeys.nameOfToday', { day: formatDate(Date.now()) });

/** Creates a passkey with options from the service and stores it. @throws PasskeyCancelled */
export async function addPasskey(options: { readonly challenge: string }, name: string, isConditional = false) {
  const response = await createPasskey(options, isConditional);
  await api.post(CREDENTIALS, { body: { response: response as never, challenge: options.challenge, name } });
  // The options contain only the username.
  if (user.value) await updatePasskeyNames(user.value);
}

/** A form that adds a passkey on this device, or on a phone or security key through the browser's dialog. */
export function Adding({ onAdded }: { readonly onAdded: () => Promise<void> }) {
  const name = useSignal<string | null>(null);
  const problem = useSignal<'cancelled' | 'known' | null>(null);
  const typed = name.value ?? defaultPasskeyName();
  const add = useAction(
    async () => {
      problem.value = null;
      try {
        await addPasskey(await api.post(`${CREDENTIALS}/registration-options`), typed);
      } catch (error) {
        if (!(error instanceof PasskeyCancelled)) throw error;
        problem.value = error instanceof PasskeyAlreadyRegistered ? 'known' : 'cancelled';
        return;
      }
      name.value = null;
      toast(t('passkeys.added'));
      offerToEndOthers();
      await onAdded();
    },
    { fields: ['name'] },
  );
  if (!hasPasskeys()) return <Notice isAnnounced={false}>{t('passkeys.notHere')}</Notice>;
  if (!user.value?.verified) return <Notice isAnnounced={false}>{t('passkeys.verifyFirst')}</Notice>;
  return (
    <form class="stack" onSubmit={add.run}>
      <FailureNotice of={add} />
      {problem.value && <Notice kind="bad">{t(`passkeys.${problem.value}`)}</Notice>}
      <Field
        name="name"
        label={t('passkeys.name')}
        hint={t('passkeys.nameHint')}
        value={typed}
        onValue={(value) => {
          name.value = value;
        }}
        wrong={add.of('name')}
        required
        maxLength={100}
      />
      <div>
        <Button submits action={add}>
          {t('passkeys.add')}
        </Button>
      </div>
    </form>
  );
}
