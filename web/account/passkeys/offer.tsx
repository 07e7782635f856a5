import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { t } from '../../core/language.js';
import { cancelPasskeyRequest, hasPasskeys } from '../../core/passkeys.js';
import { type PasswordSignIn, takePasswordSignIn } from '../../core/password-sign-in.js';
import { navigate } from '../../core/views.js';
import { Button } from '../../kit/button.js';
import { FailureNotice, Notice } from '../../kit/notice.js';
import { toast } from '../../kit/toast.js';
import { setSettings, settings, user } from '../account.js';
import { addPasskey, defaultPasskeyName } from './adding.js';

/** The member of `custom` in the account settings that disables the offer in all browsers. */
const OFFER_DECLINED_SETTING = 'passkey_offer_declined';
/** Browsers that create passkeys automatically do so immediately or not at all. */
const AUTO_CREATE_TIMEOUT_MS = 10_000;

/** Lets the browser create a passkey automatically, which requires a stored password. Resolves to true on success. */
async function addSilently(options: { readonly challenge: string }): Promise<boolean> {
  const timer = setTimeout(() => void cancelPasskeyRequest(), AUTO_CREATE_TIMEOUT_MS);
  try {
    await addPasskey(options, defaultPasskeyName(), true);
    return true;
  } catch {
    // The user did not ask for this, so a failure is not shown.
    return false;
  } finally {
    clearTimeout(timer);
  }
}

/** After a password sign-in without a passkey: creates one automatically, or offers to create one. */
export function PasskeyOffer() {
  const isOffered = useSignal(false);
  const id = user.value?.id;
  const consider = async ({ options }: PasswordSignIn) => {
    const passkeys = await api.get('/v1/users/@me/mfa/webauthn/credentials').catch(() => null);
    if (passkeys?.length !== 0) return;
    isOffered.value = settings.value?.custom[OFFER_DECLINED_SETTING] !== true;
    if (!options || !(await addSilently(options))) return;
    isOffered.value = false;
    toast(t('passkeys.madeForYou'));
  };
  useEffect(() => {
    const signIn = id === undefined ? null : takePasswordSignIn(id);
    if (signIn && hasPasskeys() && user.value?.verified) void consider(signIn);
  }, [id]);
  const decline = useAction(async () => {
    const custom = { ...settings.value?.custom, [OFFER_DECLINED_SETTING]: true };
    setSettings(await api.patch('/v1/users/@me/settings', { body: { custom } }));
    isOffered.value = false;
  });
  if (!isOffered.value) return null;
  return (
    <Notice isAnnounced={false}>
      <p>{t('passkeys.offer')}</p>
      <FailureNotice of={decline} />
      <div class="row">
        <Button
          size="small"
          onClick={() => {
            isOffered.value = false;
            navigate('/account/passkeys');
          }}
        >
          {t('passkeys.add')}
        </Button>
        <Button kind="plain" size="small" action={decline}>
          {t('passkeys.neverOffer')}
        </Button>
      </div>
    </Notice>
  );
}
