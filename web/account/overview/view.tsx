import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { brand } from '../../core/brand.js';
import { LANGUAGES, rich, t } from '../../core/language.js';
import { changeLanguage } from '../../core/locale.js';
import { THEMES } from '../../core/theme.js';
import { Button, LinkButton } from '../../kit/button.js';
import { Select } from '../../kit/field.js';
import { FailureNotice, Notice } from '../../kit/notice.js';
import { Portrait } from '../../kit/portrait.js';
import { toast } from '../../kit/toast.js';
import { type Settings, setSettings, settings, setUser, tagOf, type User, user } from '../account.js';
import { Unverified } from '../contact/unverified.js';
import { CheckUp } from './check-up.js';
import { Activity, Connected } from './recent.js';

/** Users who did not register themselves, or registered before there were terms, have not accepted them. */
function Terms() {
  const accept = useAction(async () => {
    setUser(await api.post('/v1/users/@me/terms-acceptance'));
    toast(t('account.termsAccepted'));
  });
  const { terms } = brand;
  if (!terms || !user.value || user.value.terms_agreed_at !== null) return null;
  return (
    <Notice kind="warn" isAnnounced={false}>
      <p>{rich('account.terms', { terms: <a href={terms}>{t('account.termsLink')}</a> })}</p>
      <FailureNotice of={accept} />
      <Button kind="plain" size="small" action={accept}>
        {t('account.acceptTerms')}
      </Button>
    </Notice>
  );
}

function Preferences() {
  const mine = settings.value;
  const save = async (change: Promise<Settings>) => {
    setSettings(await change);
    toast(t('account.saved'));
  };
  const language = useAction(() => save(changeLanguage(wanted.locale)));
  const theme = useAction(() => save(api.patch('/v1/users/@me/settings', { body: { theme: wanted.theme } as never })));
  const wanted = { locale: mine?.locale ?? 'en-US', theme: mine?.theme ?? 'system' };
  // Keep the current language in the list even if the pages do not support it.
  const languages: Record<string, string> = { ...LANGUAGES };
  languages[wanted.locale] ??= wanted.locale;
  return (
    <section class="section" aria-labelledby="preferences">
      <h2 id="preferences">{t('account.preferences')}</h2>
      <FailureNotice of={language} />
      <FailureNotice of={theme} />
      <Select
        name="locale"
        label={t('common.languageForAll')}
        value={wanted.locale}
        options={languages}
        onValue={(value) => {
          wanted.locale = value;
          void language.run();
        }}
      />
      <Select
        name="theme"
        label={t('common.theme')}
        value={wanted.theme}
        options={Object.fromEntries(THEMES.map((name) => [name, t(`common.theme_${name}`)]))}
        onValue={(value) => {
          wanted.theme = value as typeof wanted.theme;
          void theme.run();
        }}
      />
    </section>
  );
}

function Who({ me }: { readonly me: User }) {
  const name = me.global_name ?? me.username;
  return (
    <div class="row">
      <Portrait id={me.id} name={name} picture={me.avatar} />
      <div>
        <h2>
          <bdi>{name}</bdi>
        </h2>
        <p class="quiet">
          <bdi>{tagOf(me)}</bdi>
        </p>
      </div>
    </div>
  );
}

export default function Overview() {
  const me = user.value;
  if (!me) return null;
  return (
    <>
      <Unverified />
      <Terms />
      <Who me={me} />
      <CheckUp />
      <Activity />
      <Connected />
      <section class="section" aria-labelledby="devices">
        <h2 id="devices">{t('account.devices')}</h2>
        <p class="quiet">{t('account.devicesHint')}</p>
        <div>
          <LinkButton kind="plain" href="/handoff">
            {t('handoff.title')}
          </LinkButton>
        </div>
      </section>
      <Preferences />
    </>
  );
}
