import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { t } from '../../core/language.js';
import { LinkButton } from '../../kit/button.js';
import { Frame } from '../../kit/frame.js';
import { Skeleton } from '../../kit/shown.js';

type Form = typeof import('../forgot/page.js').Forgot;

/** A form to request a new link, shown if the current one does not work. */
export function NewLink(why: { readonly title: string; readonly lead: string }) {
  const form = useSignal<{ readonly Forgot: Form } | null>(null);
  const isLost = useSignal(false);
  useEffect(() => {
    import('../forgot/page.js').then(
      (loaded) => {
        form.value = loaded;
      },
      () => {
        isLost.value = true;
      },
    );
  }, [form, isLost]);
  if (form.value) return <form.value.Forgot {...why} />;
  return (
    <Frame title={why.title}>
      <p>{why.lead}</p>
      {isLost.value ? <LinkButton href="/forgot">{t('forgot.title')}</LinkButton> : <Skeleton />}
    </Frame>
  );
}
