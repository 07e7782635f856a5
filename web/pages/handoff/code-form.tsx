import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import { CodeField } from '../../kit/field.js';
import { Frame } from '../../kit/frame.js';
import { FailureNotice } from '../../kit/notice.js';
import { clearRequest, plainCode, type Request } from './request.js';

type Fault = 'malformed' | 'expired' | 'blocked';

interface CodeFormProps {
  readonly code: Signal<string>;
  /** True if the code came from a link. It is then looked up immediately. */
  readonly isCarried: boolean;
  /** True if the link contained something other than a code. */
  readonly isMalformed: boolean;
  readonly onFound: (request: Request) => void;
}

export function CodeForm({ code, isCarried, isMalformed, onFound }: CodeFormProps) {
  const fault = useSignal<Fault | null>(isMalformed ? 'malformed' : null);
  const fail = (what: Fault) => {
    clearRequest();
    fault.value = what;
  };
  const look = useAction(
    async () => {
      const plain = plainCode(code.value);
      if (!plain) return fail('malformed');
      const found = await api.get('/v1/auth/handoff/{code}/info', { path: { code: plain } });
      if (found.status === 'expired') return fail('expired');
      const { client_info, masked_ip, created_at: at } = found;
      return onFound({ code: plain, asker: { client_info, masked_ip, at } });
    },
    {
      onError: ({ code: apiError }) => {
        if (apiError !== 'INVALID_HANDOFF_CODE') return false;
        fail('blocked');
        return true;
      },
    },
  );
  useEffect(() => {
    if (isCarried && code.value) void look.run();
  }, [isCarried, code, look]);
  return (
    <Frame title={t('handoff.title')}>
      <p>{t('handoff.lead')}</p>
      <FailureNotice of={look} />
      <form class="stack" onSubmit={look.run}>
        <CodeField
          name="code"
          label={t('handoff.code')}
          hint={t('handoff.codeHint')}
          autocomplete="off"
          required
          maxLength={32}
          value={code.value}
          onValue={(value) => {
            code.value = value;
            fault.value = null;
          }}
          wrong={fault.value ? t(`handoff.${fault.value}`) : undefined}
        />
        <Button submits action={look} size="wide">
          {t('common.continue')}
        </Button>
      </form>
    </Frame>
  );
}
