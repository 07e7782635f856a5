import type { paths, ResponseBody } from '@gatehouse-auth/client';
import type { ComponentChildren } from 'preact';
import { api } from '../../core/api.js';
import { rich, type TranslationKey, t } from '../../core/language.js';
import { Ago } from '../../kit/ago.js';
import { Loading, useLoaded } from '../../kit/loaded.js';
import { Badge } from '../../kit/portrait.js';
import { type User, user } from '../account.js';
import { othersOf, type Session } from '../sessions/session.js';

type Passkey = ResponseBody<paths, '/v1/users/@me/mfa/webauthn/credentials', 'get'>[number];
type Methods = ResponseBody<paths, '/v1/users/@me/sudo/mfa-methods', 'get'>;

interface Facts {
  readonly passkeys: readonly Passkey[];
  readonly methods: Methods;
  readonly sessions: readonly Session[];
}

interface Check {
  readonly title: TranslationKey;
  readonly isDone: boolean;
  readonly sentence: ComponentChildren;
  /** The label of the link. */
  readonly label: TranslationKey;
  readonly path: string;
}

/** A device that was not used for this long is to be reviewed. */
const UNUSED_MS = 90 * 86_400_000;

async function loadFacts(): Promise<Facts> {
  const [passkeys, methods, sessions] = await Promise.all([
    api.get('/v1/users/@me/mfa/webauthn/credentials'),
    api.get('/v1/users/@me/sudo/mfa-methods'),
    api.get('/v1/auth/sessions'),
  ]);
  return { passkeys, methods, sessions };
}

function emailCheck({ email, verified, email_bounced: isBounced }: User): Check {
  const common = { title: 'common.email', path: '/account/contact', isDone: verified } as const;
  if (email === null) return { ...common, sentence: t('account.noEmail'), label: 'account.add' };
  if (verified) return { ...common, sentence: <bdi>{email}</bdi>, label: 'account.change' };
  const sentence = t(isBounced ? 'account.emailBounced' : 'account.emailUnverified', { email });
  return { ...common, sentence, label: isBounced ? 'account.change' : 'account.verify' };
}

const passwordCheck = ({ password_last_changed_at: at }: User): Check => ({
  title: 'account.password',
  isDone: true,
  sentence: at === null ? t('account.noPassword') : rich('account.passwordAge', { time: <Ago time={at} /> }),
  label: at === null ? 'account.add' : 'account.change',
  path: '/account/password',
});

const factorCheck = ({ mfa_enabled: isOn }: User): Check => ({
  title: 'factors.title',
  isDone: isOn,
  sentence: t(isOn ? 'factors.isOn' : 'factors.isOff'),
  label: isOn ? 'account.manage' : 'factors.enable',
  path: '/account/factors',
});

function passkeyCheck(passkeys: readonly Passkey[]): Check {
  const common = { title: 'passkeys.title', path: '/account/passkeys', isDone: passkeys.length > 0 } as const;
  if (passkeys.length === 0) return { ...common, sentence: t('passkeys.none'), label: 'account.add' };
  const used = passkeys.flatMap(({ last_used_at: at }) => at ?? []).sort();
  const latest = used.at(-1);
  const sentence = (
    <>
      {t('account.passkeysHeld', { count: passkeys.length })} ·{' '}
      {latest ? rich('account.lastUsed', { time: <Ago time={latest} /> }) : t('passkeys.neverUsed')}
    </>
  );
  return { ...common, sentence, label: 'account.manage' };
}

const codesCheck = ({ backup_codes: hasUnused }: Methods): Check => ({
  title: 'factors.backupCodes',
  isDone: hasUnused,
  sentence: t(hasUnused ? 'account.codesUnused' : 'factors.noneLeft'),
  label: hasUnused ? 'account.manage' : 'factors.makeNew',
  path: '/account/factors',
});

/** True if the device of another session is unknown, or was not used for a long time. */
const isDoubtful = ({ client_info: { browser, os }, approx_last_used_at: used }: Session): boolean =>
  (browser === null && os === null) || Date.parse(used) < Date.now() - UNUSED_MS;

function deviceCheck(sessions: readonly Session[]): Check {
  const doubtfulCount = othersOf(sessions).filter(isDoubtful).length;
  return {
    title: 'sessions.title',
    isDone: doubtfulCount === 0,
    sentence:
      doubtfulCount === 0
        ? t('account.devicesHeld', { count: sessions.length })
        : t('account.devicesDoubtful', { count: doubtfulCount }),
    label: doubtfulCount === 0 ? 'account.manage' : 'account.review',
    path: '/account/sessions',
  };
}

const checksOf = (me: User, { passkeys, methods, sessions }: Facts): readonly Check[] => [
  emailCheck(me),
  passwordCheck(me),
  factorCheck(me),
  passkeyCheck(passkeys),
  ...(methods.has_mfa ? [codesCheck(methods)] : []),
  deviceCheck(sessions),
];

const Row = ({ title, isDone, sentence, label, path }: Check) => (
  <li class="entry check">
    <Badge kind={isDone ? 'good' : 'warn'}>{t(isDone ? 'account.done' : 'account.toDo')}</Badge>
    <div class="stack tight">
      <strong>{t(title)}</strong>
      <span class="small quiet">{sentence}</span>
    </div>
    <a href={path} aria-label={`${t(label)}: ${t(title)}`}>
      {t(label)}
    </a>
  </li>
);

/** The security of the account, one row for each protection, with a link to improve it. */
export function CheckUp() {
  const facts = useLoaded(loadFacts, ['USER_UPDATE', 'WEBAUTHN_CREDENTIALS_UPDATE', 'SESSIONS_REPLACE']);
  const me = user.value;
  if (!me) return null;
  const known = facts.value.value;
  const checks = known && checksOf(me, known);
  return (
    <section class="section" aria-labelledby="check-up">
      <div class="row between">
        <h2 id="check-up">{t('account.checkUp')}</h2>
        {checks && (
          <span class="quiet">
            {t('account.checkDone', { done: checks.filter(({ isDone }) => isDone).length, all: checks.length })}
          </span>
        )}
      </div>
      <Loading of={facts}>
        {() => (
          <ul class="list" aria-labelledby="check-up">
            {checks?.map((check) => (
              <Row key={check.title} {...check} />
            ))}
          </ul>
        )}
      </Loading>
    </section>
  );
}
