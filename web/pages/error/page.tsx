import { brand } from '../../core/brand.js';
import { t, wordsOfCode } from '../../core/language.js';
import { Button, LinkButton } from '../../kit/button.js';
import { Frame } from '../../kit/frame.js';
import { FailureNotice } from '../../kit/notice.js';

const HomeButton = ({ kind }: { readonly kind: 'main' | 'plain' }) => (
  <LinkButton kind={kind} href="/">
    {t('fault.home')}
  </LinkButton>
);

/** The page that browsers get for an unknown path, or if the service cannot send a page. */
export default function ErrorPage() {
  const { code = '', requestId } = brand.error ?? {};
  if (code === 'NOT_FOUND') {
    return (
      <Frame title={t('fault.missingTitle')}>
        <p>{t('fault.missing')}</p>
        <HomeButton kind="main" />
      </Frame>
    );
  }
  const message = wordsOfCode(code) ?? code;
  return (
    <Frame title={t('fault.title')}>
      <FailureNotice of={{ failure: { value: { message, requestId, fields: {}, code } } }} />
      <Button onClick={() => location.reload()}>{t('common.retry')}</Button>
      <HomeButton kind="plain" />
    </Frame>
  );
}
