import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { brand } from '../../core/brand.js';
import { t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import { Dialog } from '../../kit/dialog.js';
import { CodeField, fieldOf } from '../../kit/field.js';
import { FailureNotice, Notice } from '../../kit/notice.js';
import { CopyButton, QrCode } from '../../kit/shown.js';
import { toast } from '../../kit/toast.js';
import { tagOf, user } from '../account.js';
import { offerToEndOthers } from '../sessions/offer.js';
import type { Codes } from './codes.js';

const BASE32_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
/** Same length as the digest (RFC 4226 section 4); 32 characters in Base32. */
const SECRET_BYTES = 20;

/** A new random TOTP secret in Base32 (RFC 4648). */
function newSecret(): string {
  const bits = [...crypto.getRandomValues(new Uint8Array(SECRET_BYTES))]
    .map((byte) => byte.toString(2).padStart(8, '0'))
    .join('');
  return (bits.match(/.{5}/g) ?? []).map((five) => BASE32_ALPHABET[Number.parseInt(five, 2)]).join('');
}

/** The provisioning URI for the QR code. */
function provisioningUri(secret: string): string {
  const label = [brand.product, user.value ? tagOf(user.value) : ''].map(encodeURIComponent).join(':');
  const values = { secret, issuer: brand.product, algorithm: 'SHA1', digits: '6', period: '30' };
  const query = Object.entries(values).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `otpauth://totp/${label}?${query.join('&')}`;
}

interface SetUpProps {
  readonly secret: string;
  readonly onSetUp: (codes: Codes) => Promise<void>;
  readonly onCancel: () => void;
}

function SetUp({ secret, onSetUp, onCancel }: SetUpProps) {
  const code = useSignal('');
  const start = useRef<HTMLParagraphElement>(null);
  useLayoutEffect(() => start.current?.focus(), []);
  const enable = useAction(
    async () => {
      const body = { secret, code: code.value };
      const { backup_codes: codes } = await api.post('/v1/users/@me/mfa/totp/enable', { body });
      await onSetUp(codes);
    },
    { fields: ['code'] },
  );
  return (
    <form class="stack" onSubmit={enable.run}>
      <p ref={start} tabIndex={-1}>
        {t('factors.scan')}
      </p>
      <QrCode text={provisioningUri(secret)} label={t('factors.qr')} />
      <div class="stack tight">
        <span class="small quiet">{t('factors.key')}</span>
        <div class="row">
          <code class="secret" dir="ltr">
            {(secret.match(/.{4}/g) ?? []).join(' ')}
          </code>
          <CopyButton text={secret} label={t('factors.copyKey')} />
        </div>
      </div>
      <FailureNotice of={enable} />
      <CodeField
        {...fieldOf(code, enable, 'code')}
        inputMode="numeric"
        onSixDigits={enable.run}
        label={t('factors.code')}
        hint={t('factors.codeHint')}
        required
        maxLength={32}
      />
      <div class="row">
        <Button submits action={enable}>
          {t('factors.enable')}
        </Button>
        <Button kind="bare" onClick={onCancel}>
          {t('common.cancel')}
        </Button>
      </div>
    </form>
  );
}

function RemoveButton({ onRemoved }: { readonly onRemoved: () => Promise<void> }) {
  const isOpen = useSignal(false);
  const code = useSignal('');
  const close = () => {
    isOpen.value = false;
    code.value = '';
    disable.clear();
  };
  const disable = useAction(
    async () => {
      // The same code confirms the request and the second factor, so the user enters only one.
      const body = { code: code.value, mfa_method: 'totp', mfa_code: code.value } as const;
      await api.post('/v1/users/@me/mfa/totp/disable', { body });
      close();
      toast(t('factors.removed'));
      offerToEndOthers();
      await onRemoved();
    },
    { fields: ['code', 'mfa_code'] },
  );
  return (
    <>
      <Button
        kind="plain"
        onClick={() => {
          isOpen.value = true;
        }}
      >
        {t('factors.remove')}
      </Button>
      <Dialog title={t('factors.removeTitle')} isOpen={isOpen.value} onCancel={close}>
        <form class="stack" onSubmit={disable.run}>
          <p>{t('factors.removeWhat')}</p>
          <FailureNotice of={disable} />
          <CodeField
            name="code"
            label={t('sudo.code')}
            value={code.value}
            onValue={(value) => {
              code.value = value;
            }}
            wrong={disable.of('code') ?? disable.of('mfa_code')}
            required
            maxLength={32}
          />
          <div class="actions">
            <Button kind="plain" onClick={close}>
              {t('common.cancel')}
            </Button>
            <Button submits kind="danger" action={disable}>
              {t('factors.remove')}
            </Button>
          </div>
        </form>
      </Dialog>
    </>
  );
}

export interface AuthenticatorProps {
  readonly isOn: boolean;
  readonly onChanged: () => Promise<void>;
  readonly onCodes: (codes: Codes) => void;
}

/** Sets up or removes the authenticator app. The secret is generated here; only the app and the service know it. */
export function Authenticator({ isOn, onChanged, onCodes }: AuthenticatorProps) {
  const secret = useSignal<string | null>(null);
  const cancel = () => {
    secret.value = null;
  };
  return (
    <section class="section" aria-labelledby="authenticator">
      <h2 id="authenticator">{t('factors.authenticator')}</h2>
      <p class="quiet">{t(isOn ? 'factors.authenticatorOn' : 'factors.authenticatorOff')}</p>
      {isOn && (
        <div>
          <RemoveButton onRemoved={onChanged} />
        </div>
      )}
      {!isOn && !user.value?.verified && <Notice isAnnounced={false}>{t('passkeys.verifyFirst')}</Notice>}
      {!isOn && user.value?.verified && secret.value === null && (
        <div>
          <Button
            onClick={() => {
              secret.value = newSecret();
            }}
          >
            {t('factors.setUp')}
          </Button>
        </div>
      )}
      {!isOn && secret.value !== null && (
        <SetUp
          secret={secret.value}
          onCancel={cancel}
          onSetUp={async (codes) => {
            secret.value = null;
            onCodes(codes);
            await onChanged();
          }}
        />
      )}
    </section>
  );
}
