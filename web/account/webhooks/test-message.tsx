import { signal, useSignal } from '@preact/signals';
import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import { Field } from '../../kit/field.js';
import { FailureNotice } from '../../kit/notice.js';
import { toast } from '../../kit/toast.js';

/** URLs by webhook ID that the service returned while the page is open. It returns each of them only once. */
const urls = signal<Readonly<Record<string, string>>>({});

export const noteUrl = (id: string, url: string): void => {
  urls.value = { ...urls.value, [id]: url };
};

/** The token in the URL of a webhook. Undefined if it is the URL of something else. */
function tokenOf(id: string, url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const [, , kind, owner, token] = new URL(url).pathname.split('/');
  return kind === 'webhooks' && owner === id ? token : undefined;
}

/** Posts a message as any holder of the URL can. If the page does not have the URL, the user enters it. */
export function TestMessage({ id }: { readonly id: string }) {
  const typed = useSignal('');
  const isWrong = useSignal(false);
  const known = urls.value[id];
  const send = useAction(async () => {
    const token = tokenOf(id, known ?? typed.value.trim());
    isWrong.value = !token;
    if (!token) return;
    const path = { id, token };
    await api.post('/v1/webhooks/{id}/{token}', { path, body: { content: t('webhooks.testContent') } });
    toast(t('webhooks.testSent'));
  });
  return (
    <form class="section" aria-labelledby="test" onSubmit={send.run}>
      <h2 id="test">{t('webhooks.test')}</h2>
      <FailureNotice of={send} />
      {!known && (
        <Field
          name="url"
          label={t('webhooks.address')}
          hint={t('webhooks.testHint')}
          autocomplete="off"
          value={typed.value}
          onValue={(value) => {
            typed.value = value;
            isWrong.value = false;
          }}
          wrong={isWrong.value ? t('webhooks.testWrong') : undefined}
          isVerbatim
          required
          maxLength={2048}
        />
      )}
      <div>
        <Button submits kind="plain" action={send}>
          {t('webhooks.testSend')}
        </Button>
      </div>
    </form>
  );
}
