import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import { CodeField, fieldOf } from '../../kit/field.js';
import { FailureNotice, Notice } from '../../kit/notice.js';
import { toast } from '../../kit/toast.js';
import { user } from '../account.js';
import { ResendButton, resendTime } from '../resend.js';
import { type Codes, unusedOf } from './codes.js';

const BASE = '/v1/users/@me/mfa/backup-codes';

/** An emailed code that allows a new set of backup codes. */
interface Challenge {
  readonly ticket: string;
  /** When the email can be sent again. */
  readonly resendAt: number;
  /** Set after the code was verified. */
  readonly proof?: string;
}

interface StepProps {
  readonly challenge: Challenge;
  readonly onChallenge: (challenge: Challenge | null) => void;
}

/** Focuses the first paragraph of a new step. */
function Lead({ words }: { readonly words: string }) {
  const start = useRef<HTMLParagraphElement>(null);
  useLayoutEffect(() => start.current?.focus(), []);
  return (
    <p ref={start} tabIndex={-1}>
      {words}
    </p>
  );
}

function MailedCode({ challenge, onChallenge, onLeft }: StepProps & { readonly onLeft: (left: number) => void }) {
  const { ticket, resendAt } = challenge;
  const code = useSignal('');
  const verify = useAction(
    async () => {
      const response = await api.post(`${BASE}/challenge/verify`, { body: { ticket, code: code.value } });
      onLeft(unusedOf(response.backup_codes));
      onChallenge({ ...challenge, proof: response.verification_proof });
    },
    { fields: ['code'] },
  );
  const resend = useAction(async () => {
    await api.post(`${BASE}/challenge/resend`, { body: { ticket } });
    onChallenge({ ...challenge, resendAt: resendTime() });
    toast(t('account.mailSent'));
  });
  return (
    <form class="stack" onSubmit={verify.run}>
      <Lead words={t('factors.mailed', { email: user.value?.email ?? '' })} />
      <FailureNotice of={verify} />
      <FailureNotice of={resend} />
      <CodeField {...fieldOf(code, verify, 'code')} label={t('factors.mailedCode')} required maxLength={256} />
      <div class="row">
        <Button submits action={verify}>
          {t('common.confirm')}
        </Button>
        <ResendButton from={resendAt} action={resend} />
        <Button kind="bare" onClick={() => onChallenge(null)}>
          {t('common.cancel')}
        </Button>
      </div>
    </form>
  );
}

function Regenerate({ challenge, onChallenge, onCodes }: StepProps & { readonly onCodes: (codes: Codes) => void }) {
  const regenerate = useAction(async () => {
    const body = { ticket: challenge.ticket, verification_proof: challenge.proof ?? '' };
    const { backup_codes: codes } = await api.post(`${BASE}/challenge/regenerate`, { body });
    onChallenge(null);
    onCodes(codes);
  });
  return (
    <>
      <Lead words={t('factors.regenerateWhat')} />
      <FailureNotice of={regenerate} />
      <div class="row">
        <Button action={regenerate}>{t('factors.regenerate')}</Button>
        <Button kind="bare" onClick={() => onChallenge(null)}>
          {t('common.cancel')}
        </Button>
      </div>
    </>
  );
}

export interface BackupCodesProps {
  /** True if at least one code of the set is unused. */
  readonly hasUnused: boolean;
  readonly onCodes: (codes: Codes) => void;
}

/**
 * Shows the number of unused codes and creates a new set. It uses an emailed code, because the user may have lost all
 * other factors.
 */
export function BackupCodes({ hasUnused, onCodes }: BackupCodesProps) {
  const left = useSignal<number | null>(null);
  const challenge = useSignal<Challenge | null>(null);
  const count = useAction(async () => {
    const { backup_codes: codes } = await api.post(BASE, { body: { regenerate: false } });
    left.value = unusedOf(codes);
  });
  const start = useAction(async () => {
    const { ticket, resend_available_at: at } = await api.post(`${BASE}/challenge`);
    challenge.value = { ticket, resendAt: Date.parse(at) };
  });
  const step = {
    onChallenge: (next: Challenge | null) => {
      challenge.value = next;
    },
  };
  const now = challenge.value;
  return (
    <section class="section" aria-labelledby="backup-codes">
      <h2 id="backup-codes">{t('factors.backupCodes')}</h2>
      <p class="quiet">{t('factors.backupCodesWhat')}</p>
      {!hasUnused && (
        <Notice kind="warn" isAnnounced={false}>
          {t('factors.noneLeft')}
        </Notice>
      )}
      {left.value !== null && <Notice>{t('factors.left', { count: left.value })}</Notice>}
      {now === null && (
        <>
          <FailureNotice of={start} />
          <FailureNotice of={count} />
          <div class="row">
            <Button kind="plain" action={start}>
              {t('factors.makeNew')}
            </Button>
            {hasUnused && left.value === null && (
              <Button kind="plain" action={count}>
                {t('factors.countLeft')}
              </Button>
            )}
          </div>
        </>
      )}
      {now !== null && now.proof === undefined && (
        <MailedCode
          challenge={now}
          {...step}
          onLeft={(unused) => {
            left.value = unused;
          }}
        />
      )}
      {now?.proof !== undefined && (
        <Regenerate
          challenge={now}
          {...step}
          onCodes={(codes) => {
            left.value = null;
            onCodes(codes);
          }}
        />
      )}
    </section>
  );
}
