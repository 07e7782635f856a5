import { type Signal, useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { useAction } from '../../core/action.js';
import { api, replaceSession } from '../../core/api.js';
import { brand } from '../../core/brand.js';
import { withCaptcha } from '../../core/captcha.js';
import { writeHistoryState } from '../../core/history-state.js';
import { rich, t } from '../../core/language.js';
import { destination, replacePage, withDestination } from '../../core/redirects.js';
import { useTypedEmail } from '../../core/typed-email.js';
import { Button } from '../../kit/button.js';
import { Choice, Field } from '../../kit/field.js';
import { Frame } from '../../kit/frame.js';
import { NewPasswordField } from '../../kit/new-password.js';
import { FailureNotice, Notice } from '../../kit/notice.js';
import { ConnectionButtons, offeredConnections } from '../../sign-in/connections.js';
import { detectSsoEnforced, loadService, service } from '../../sign-in/service.js';

/** An accepted registration that still needs approval or verification. */
export interface Pending {
  readonly kind: 'approval' | 'verification';
  readonly email: string;
}

/**
 * Suggests a username for the display name. Requests are rate limited, so it asks only when the field loses the focus.
 */
function useSuggestion(displayName: Signal<string>) {
  const suggestion = useSignal<string | null>(null);
  const requested = useRef('');
  const ask = async () => {
    const wanted = displayName.value.trim();
    if (wanted === requested.current) return;
    requested.current = wanted;
    const response = wanted
      ? await api.post('/v1/auth/username-suggestions', { body: { global_name: wanted } }).catch(() => null)
      : null;
    if (requested.current === wanted) suggestion.value = response?.suggestions[0] ?? null;
  };
  return { suggestion, ask };
}

function UsernameField({ displayName, username, wrong }: UsernameProps) {
  const { suggestion, ask } = useSuggestion(displayName);
  const name = suggestion.value;
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <div onFocusOut={() => void ask()}>
        <Field
          name="global_name"
          label={t('register.displayName')}
          hint={t('register.displayNameHint')}
          autocomplete="name"
          isFirst
          value={displayName.value}
          onValue={(value) => {
            displayName.value = value;
          }}
          wrong={wrong('global_name')}
        />
      </div>
      <Field
        name="username"
        label={t('register.username')}
        hint={t('register.usernameHint')}
        autocomplete="nickname"
        isVerbatim
        inputRef={input}
        value={username.value}
        onValue={(value) => {
          username.value = value;
        }}
        wrong={wrong('username')}
      >
        {name && name !== username.value && (
          <div role="status">
            <Button
              kind="plain"
              size="small"
              onClick={() => {
                username.value = name;
                input.current?.focus();
              }}
            >
              {t('register.suggestion', { name })}
            </Button>
          </div>
        )}
      </Field>
    </>
  );
}

interface UsernameProps {
  readonly displayName: Signal<string>;
  readonly username: Signal<string>;
  readonly wrong: (field: string) => string | undefined;
}

/** A link to a legal document. It opens in a new tab, so that the form input is kept. */
const Document = ({ href, words }: { readonly href: string; readonly words: string }) => (
  <a href={href} target="_blank" rel="noopener noreferrer">
    {words}
  </a>
);

function legalDocuments() {
  const { terms_url: terms, privacy_url: privacy } = service.value?.legal ?? {
    terms_url: brand.terms,
    privacy_url: brand.privacy,
  };
  if (!terms && !privacy) return null;
  const key = terms && privacy ? 'register.consent' : terms ? 'register.consentTerms' : 'register.consentPrivacy';
  return rich(key, {
    terms: terms && <Document href={terms} words={t('register.termsLink')} />,
    privacy: privacy && <Document href={privacy} words={t('register.privacyLink')} />,
  });
}

const EmailTakenLinks = () => (
  <p class="small">
    <a href={withDestination('/login')}>{t('register.takenSignIn')}</a>{' '}
    <a href={withDestination('/forgot')}>{t('register.takenReset')}</a>
  </p>
);

export function RegisterForm({ onPending }: { readonly onPending: (pending: Pending) => void }) {
  const displayName = useSignal('');
  const username = useSignal('');
  const email = useTypedEmail();
  const password = useSignal('');
  const hasAgreed = useSignal(false);
  const isKept = useSignal(false);
  const taken = useSignal<string | null>(null);
  const widget = useRef<HTMLDivElement>(null);
  const agreement = legalDocuments();
  const fields = ['global_name', 'username', 'email', 'password', ...(agreement ? ['consent'] : [])];
  const register = useAction(
    async () => {
      const address = email.value.trim();
      const body = {
        email: address,
        password: password.value,
        ...(username.value.trim() ? { username: username.value.trim() } : {}),
        ...(displayName.value.trim() ? { global_name: displayName.value.trim() } : {}),
        ...(agreement ? { consent: hasAgreed.value } : {}),
      };
      const response = await withCaptcha(widget.current, (more) => api.post('/v1/auth/register', { body, ...more }));
      if ('token' in response) {
        await replaceSession(response.token, isKept.value);
        await replacePage(destination());
      } else {
        const kind = 'registration_pending_approval' in response ? 'approval' : 'verification';
        onPending(writeHistoryState('registered', { kind, email: address }));
      }
    },
    {
      fields,
      onError: (refused) => {
        taken.value = refused.of('email') === 'EMAIL_ALREADY_IN_USE' ? email.value : null;
        // Terms may have been published since this page was opened.
        if (!agreement && refused.of('consent')) void loadService();
        return detectSsoEnforced(refused);
      },
    },
  );
  return (
    <Frame
      title={t('register.title')}
      below={
        <p>{rich('register.haveAccount', { link: <a href={withDestination('/login')}>{t('common.signIn')}</a> })}</p>
      }
    >
      {service.value?.registration.mode === 'approval' && (
        <Notice isAnnounced={false}>{t('register.approvalHint')}</Notice>
      )}
      <FailureNotice of={register} />
      <form class="stack" onSubmit={register.run}>
        <UsernameField displayName={displayName} username={username} wrong={register.of} />
        <Field
          name="email"
          type="email"
          label={t('common.email')}
          autocomplete="username"
          isVerbatim
          required
          value={email.value}
          onValue={(value) => {
            email.value = value;
          }}
          wrong={register.of('email')}
        >
          {taken.value !== null && taken.value === email.value && <EmailTakenLinks />}
        </Field>
        <NewPasswordField
          label={t('common.password')}
          action={register}
          value={password.value}
          onValue={(value) => {
            password.value = value;
          }}
        />
        {agreement && (
          <Choice
            name="consent"
            label={agreement}
            required
            checked={hasAgreed.value}
            onChecked={(checked) => {
              hasAgreed.value = checked;
            }}
            wrong={register.of('consent')}
          />
        )}
        <Choice
          name="keep"
          label={t('signIn.keep')}
          checked={isKept.value}
          onChecked={(checked) => {
            isKept.value = checked;
          }}
        />
        <div ref={widget} />
        <Button submits action={register} size="wide">
          {t('register.submit')}
        </Button>
      </form>
      {offeredConnections().length > 0 && (
        <>
          <p class="or">{t('signIn.or')}</p>
          <ConnectionButtons returnTo={destination()} isKept={isKept.value} />
        </>
      )}
    </Frame>
  );
}
