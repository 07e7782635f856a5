import type { paths, ResponseBody } from '@gatehouse-auth/client';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { formatDateTime, t } from '../../core/language.js';
import { reportAcceptedPasskeys } from '../../core/passkeys.js';
import { Button } from '../../kit/button.js';
import { ConfirmButton } from '../../kit/confirm-button.js';
import { Loading, useLoaded } from '../../kit/loaded.js';
import { useLostFocus } from '../../kit/lost-focus.js';
import { FailureNotice } from '../../kit/notice.js';
import { RenameButton } from '../../kit/rename-button.js';
import { Empty } from '../../kit/shown.js';
import { toast } from '../../kit/toast.js';
import { setUser, user } from '../account.js';
import { type Codes, CodesDialog } from '../factors/codes.js';
import { offerToEndOthers } from '../sessions/offer.js';
import { Adding } from './adding.js';

const CREDENTIALS = '/v1/users/@me/mfa/webauthn/credentials';
/** Value in `authenticator_types` (account.md 1.1). */
const PASSKEY_AS_SECOND_FACTOR = 2;

type Passkey = ResponseBody<paths, typeof CREDENTIALS, 'get'>[number];

interface OfPasskey {
  readonly passkey: Passkey;
  readonly onChanged: () => Promise<void>;
}

const Rename = ({ passkey: { id, name }, onChanged }: OfPasskey) => (
  <RenameButton
    name={name}
    words={{
      label: t('passkeys.rename'),
      title: t('passkeys.renameTitle'),
      field: t('passkeys.name'),
      submit: t('passkeys.save'),
      done: t('account.saved'),
    }}
    rename={(next) =>
      api.patch(`${CREDENTIALS}/{credential_id}`, { path: { credential_id: id }, body: { name: next } })
    }
    onRenamed={onChanged}
  />
);

function RemoveButton({ passkey, onChanged, isLast }: OfPasskey & { readonly isLast: boolean }) {
  const remove = useAction(async () => {
    await api.delete(`${CREDENTIALS}/{credential_id}`, { path: { credential_id: passkey.id } });
    toast(t('passkeys.removed'));
    offerToEndOthers();
    await onChanged();
  });
  return (
    <ConfirmButton label={t('passkeys.remove')} title={t('passkeys.removeTitle')} action={remove} size="small">
      <p>{t('passkeys.removeWhat', { name: passkey.name })}</p>
      {isLast && <p>{t('passkeys.removeLast')}</p>}
    </ConfirmButton>
  );
}

const Item = (props: OfPasskey & { readonly isLast: boolean }) => {
  const { name, created_at: made, last_used_at: used } = props.passkey;
  return (
    <li>
      <div class="stack tight">
        <strong>
          <bdi>{name}</bdi>
        </strong>
        <span class="small quiet">
          {t('passkeys.made', { time: formatDateTime(made) })} ·{' '}
          {used === null ? t('passkeys.neverUsed') : t('passkeys.used', { time: formatDateTime(used) })}
        </span>
      </div>
      <div class="row">
        <Rename {...props} />
        <RemoveButton {...props} />
      </div>
    </li>
  );
};

/** Turns the passkey on or off as a second factor after the password. */
function SecondFactor({ onCodes }: { readonly onCodes: (codes: Codes) => void }) {
  const types = user.value?.authenticator_types ?? [];
  const isOn = types.includes(PASSKEY_AS_SECOND_FACTOR);
  const set = useAction(async () => {
    const body = { enabled: !isOn };
    const { user: changed, backup_codes: codes } = await api.put('/v1/users/@me/mfa/webauthn/two-factor', { body });
    setUser(changed);
    toast(t(isOn ? 'passkeys.switchedOff' : 'passkeys.switchedOn'));
    if (codes) onCodes(codes);
    else offerToEndOthers();
  });
  return (
    <section class="section" aria-labelledby="second-factor">
      <h2 id="second-factor">{t('passkeys.secondFactor')}</h2>
      <p>{t(isOn ? 'passkeys.secondFactorOn' : 'passkeys.secondFactorOff')}</p>
      <div>
        {isOn ? (
          <ConfirmButton label={t('passkeys.switchOff')} title={t('passkeys.switchOffTitle')} action={set}>
            <p>{t('passkeys.switchOffWhat')}</p>
          </ConfirmButton>
        ) : (
          <>
            <FailureNotice of={set} />
            <Button kind="plain" action={set}>
              {t('passkeys.switchOn')}
            </Button>
          </>
        )}
      </div>
    </section>
  );
}

/** Makes the browser stop offering passkeys that were removed, here or elsewhere. */
function useAcceptedPasskeys(passkeys: readonly Passkey[] | null): void {
  const former = useRef<readonly Passkey[]>([]);
  useEffect(() => {
    if (!passkeys || !user.value) return;
    const ids = passkeys.map(({ id }) => id);
    if (former.current.some(({ id }) => !ids.includes(id))) void reportAcceptedPasskeys(user.value.id, ids);
    former.current = passkeys;
  }, [passkeys]);
}

export default function Passkeys() {
  const passkeys = useLoaded(() => api.get(CREDENTIALS), ['WEBAUTHN_CREDENTIALS_UPDATE']);
  const codes = useSignal<Codes | null>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const known = passkeys.value.value;
  useAcceptedPasskeys(known);
  useLostFocus(heading);
  const changed = () => passkeys.again.run();
  return (
    <>
      <section class="section" aria-labelledby="passkeys">
        <h2 id="passkeys" ref={heading} tabIndex={-1}>
          {t('passkeys.yours')}
        </h2>
        <p class="quiet">{t('passkeys.what')}</p>
        <Loading of={passkeys}>
          {(list) =>
            list.length === 0 ? (
              <Empty>{t('passkeys.none')}</Empty>
            ) : (
              <ul class="list" aria-labelledby="passkeys">
                {list.map((passkey) => (
                  <Item key={passkey.id} passkey={passkey} onChanged={changed} isLast={list.length === 1} />
                ))}
              </ul>
            )
          }
        </Loading>
      </section>
      <section class="section" aria-labelledby="adding">
        <h2 id="adding">{t('passkeys.addTitle')}</h2>
        <Adding onAdded={changed} />
      </section>
      {known && known.length > 0 && (
        <SecondFactor
          onCodes={(made) => {
            codes.value = made;
          }}
        />
      )}
      <CodesDialog
        codes={codes.value}
        onKept={() => {
          codes.value = null;
          offerToEndOthers();
        }}
      />
    </>
  );
}
