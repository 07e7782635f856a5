import { ApiError } from '@gatehouse-auth/client';
import { useSignal } from '@preact/signals';
import { type Failure, toFailure, useAction } from '../core/action.js';
import { api } from '../core/api.js';
import { brand } from '../core/brand.js';
import { rich, t } from '../core/language.js';
import { Button } from '../kit/button.js';
import { useStep } from '../kit/frame.js';
import { FailureNotice, Notice } from '../kit/notice.js';
import { QrCode, Spinner } from '../kit/shown.js';
import { usePolling } from './polling.js';
import type { SignedIn } from './signed-in.js';
import type { Handoff } from './steps.js';

export interface OtherDeviceProps {
  readonly handoff: Handoff;
  readonly onHandoff: (handoff: Handoff) => void;
  readonly onSignedIn: (response: SignedIn) => void;
  readonly onBack: (failure?: Failure) => void;
}

const POLL_SECONDS = 3;

export const beginHandoff = (): Promise<Handoff> => api.post('/v1/auth/handoff/initiate');

/**
 * Too many wrong codes block a network for a while. The default message would not fit here, because no code was
 * entered.
 */
const toHandoffFailure = (refused: ApiError): Failure =>
  refused.code === 'INVALID_HANDOFF_CODE'
    ? { message: t('signIn.deviceBlocked'), fields: {}, code: refused.code }
    : toFailure(refused);

function Waiting({
  handoff,
  onSignedIn,
  onBack,
  onExpired,
}: Omit<OtherDeviceProps, 'onHandoff'> & { onExpired: () => void }) {
  const { code, poll_secret, confirmation } = handoff;
  const message = usePolling(async () => {
    try {
      const response = await api.post('/v1/auth/handoff/{code}/status', { path: { code }, body: { poll_secret } });
      if (response.status === 'completed') onSignedIn(response);
      if (response.status === 'expired') onExpired();
    } catch (error) {
      if (!(error instanceof ApiError) || ![400, 403].includes(error.status)) throw error;
      onBack(toHandoffFailure(error));
    }
  }, POLL_SECONDS);
  return (
    <>
      {brand.pages ? (
        <>
          <p>{rich('signIn.deviceHow', { address: <strong dir="ltr">{`${location.host}/handoff`}</strong> })}</p>
          <QrCode text={`${location.origin}/handoff#code=${code}`} label={t('signIn.deviceQr')} />
        </>
      ) : (
        <p>{t('signIn.deviceElsewhere', { product: brand.product })}</p>
      )}
      <output class="shown-code" dir="ltr">
        {code}
      </output>
      <p>
        {rich('signIn.deviceConfirm', {
          number: <strong dir="ltr">{confirmation}</strong>,
        })}
      </p>
      {message.value ? <Notice kind="warn">{message.value}</Notice> : <Spinner label={t('signIn.deviceWaits')} />}
    </>
  );
}

/** A sign-in that is approved on a device where the user is already signed in. */
export function OtherDevice({ handoff, onHandoff, onSignedIn, onBack }: OtherDeviceProps) {
  useStep('signIn.deviceTitle');
  const expired = useSignal<Handoff | null>(null);
  const renew = useAction(async () => onHandoff(await beginHandoff()));
  const cancel = () => {
    const { code, poll_secret } = handoff;
    // It also expires automatically, so do not wait for the response.
    void api.delete('/v1/auth/handoff/{code}', { path: { code }, body: { poll_secret } }).catch(() => {});
    onBack();
  };
  if (expired.value === handoff) {
    return (
      <>
        <Notice kind="warn">{t('signIn.deviceExpired')}</Notice>
        <FailureNotice of={renew} />
        <Button action={renew} size="wide">
          {t('signIn.deviceRenew')}
        </Button>
        <Button kind="bare" onClick={() => onBack()}>
          {t('common.back')}
        </Button>
      </>
    );
  }
  return (
    <>
      <Waiting
        key={handoff.code}
        handoff={handoff}
        onSignedIn={onSignedIn}
        onBack={onBack}
        onExpired={() => {
          expired.value = handoff;
        }}
      />
      <Button kind="bare" onClick={cancel}>
        {t('common.cancel')}
      </Button>
    </>
  );
}
