import { formatDateTime, LANGUAGES, t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import { Facts } from '../../kit/facts.js';
import { Notice } from '../../kit/notice.js';
import { Badge, Portrait } from '../../kit/portrait.js';
import { CopyButton } from '../../kit/shown.js';
import { isErased } from '../parts/flags.js';
import { type AdminUser, me } from '../rights.js';
import { isDeletedByOthers, obstaclesOf } from './account.js';
import { Address } from './address.js';

interface WhoProps {
  readonly user: AdminUser;
}

const REASONS = {
  1: 'adminPerson.reason_USER_REQUESTED',
  2: 'adminPerson.reason_OTHER',
  3: 'adminPerson.reason_ABUSE',
  4: 'adminPerson.reason_COMPROMISED_ACCOUNT',
  5: 'adminPerson.reason_LEGAL',
} as const;

function Names({ user }: WhoProps) {
  const { id, username, discriminator, global_name: name, avatar, pronouns } = user;
  return (
    <div class="row">
      <Portrait id={id} name={name ?? username} picture={avatar} />
      <h2 id="person-who">
        <bdi>{name ?? username}</bdi>
      </h2>
      <span class="quiet">
        <bdi>
          {username}#{discriminator}
        </bdi>
      </span>
      {pronouns && (
        <span class="quiet">
          <bdi>{pronouns}</bdi>
        </span>
      )}
      {me.value?.id === id && <Badge>{t('adminPerson.you')}</Badge>}
      {user.bot && <Badge>{t('adminPerson.bot')}</Badge>}
      {user.system && <Badge>{t('adminPerson.system')}</Badge>}
    </div>
  );
}

function Deletion({ user }: WhoProps) {
  const { pending_deletion_at: time, deletion_reason_code: code, deletion_public_reason: reason } = user;
  if (time === null || isErased(user)) return null;
  const key = isDeletedByOthers(user) ? 'adminPerson.deletionByOthers' : 'adminPerson.deletionByOwner';
  const words = REASONS[code as keyof typeof REASONS];
  return (
    <Notice kind="bad" isAnnounced={false}>
      <p>
        <strong>{t(key, { time: formatDateTime(time) })}</strong>
      </p>
      <Facts
        facts={[
          ['adminPerson.deletionReason', words ? t(words) : (code ?? t('adminPerson.none'))],
          ['adminPerson.publicReason', reason ? <bdi key="reason">{reason}</bdi> : t('adminPerson.none')],
        ]}
      />
    </Notice>
  );
}

/** Shows whether the account can be used, and if not, why. */
function State({ user }: WhoProps) {
  const obstacles = obstaclesOf(user);
  const isGone = user.pending_deletion_at !== null && !isErased(user);
  return (
    <>
      <Deletion user={user} />
      {obstacles.length > 0 && (
        <Notice kind="warn" isAnnounced={false}>
          {obstacles.map((words) => (
            <p key={words}>{words}</p>
          ))}
        </Notice>
      )}
      {obstacles.length === 0 && !isGone && (
        <Notice kind="good" isAnnounced={false}>
          <p>{t('adminPerson.active')}</p>
        </Notice>
      )}
    </>
  );
}

/** Identity, state and dates of the account. */
export function Who({ user, onLook }: WhoProps & { readonly onLook: () => Promise<void> }) {
  const { id, locale, created_at: since, last_active_at: last } = user;
  return (
    <section class="section" aria-labelledby="person-who">
      <Names user={user} />
      {user.bio && (
        <p class="verbatim" dir="auto">
          {user.bio}
        </p>
      )}
      <State user={user} />
      <Facts
        facts={[
          [
            'adminPerson.id',
            <span key="id" class="row">
              <code dir="ltr">{id}</code>
              <CopyButton text={id} label={`${t('common.copy')}: ${t('adminPerson.id')}`} />
            </span>,
          ],
          [
            'adminPerson.locale',
            locale && <bdi key="locale">{(LANGUAGES as Record<string, string>)[locale] ?? locale}</bdi>,
          ],
          ['adminPerson.created', since && formatDateTime(since)],
          ['adminPerson.lastActive', last ? formatDateTime(last) : t('adminPerson.never')],
          [
            'adminPerson.lastAddress',
            last ? <Address key="address" ip={user.last_active_ip} /> : t('adminPerson.none'),
          ],
        ]}
      />
      <div>
        <Button kind="plain" size="small" onClick={() => void onLook()}>
          {t('adminPerson.look')}
        </Button>
      </div>
    </section>
  );
}
