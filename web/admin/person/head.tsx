import type { ComponentChildren } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { t } from '../../core/language.js';
import { item } from '../../core/views.js';
import { Button } from '../../kit/button.js';
import { Badge, Portrait } from '../../kit/portrait.js';
import { CopyButton } from '../../kit/shown.js';
import { type AdminUser, me } from '../rights.js';
import { chipsOf } from './account.js';

interface HeadProps {
  readonly user: AdminUser;
  readonly onLook: () => Promise<void>;
  /** The menu of actions. */
  readonly children?: ComponentChildren;
}

/** Shows the name and the image of the account in the heading of the page. */
function useHeading({ id, username, global_name: displayName, avatar }: AdminUser): string {
  const name = displayName ?? username;
  useLayoutEffect(() => {
    item.value = { name, picture: <Portrait key={avatar} id={id} name={name} picture={avatar} /> };
    return () => {
      item.value = null;
    };
  }, [id, name, avatar]);
  return name;
}

/** The names, the state and the email address of the account. */
export function Head({ user, onLook, children }: HeadProps) {
  const { id, username, discriminator, pronouns, email } = user;
  const name = useHeading(user);
  return (
    <section class="person-head" aria-label={name}>
      <div class="stack tight">
        <div class="row">
          <bdi class="quiet">
            {username}#{discriminator}
          </bdi>
          {pronouns && <bdi class="quiet">{pronouns}</bdi>}
          {chipsOf(user).map(({ kind, words }) => (
            <Badge key={words} kind={kind}>
              {words}
            </Badge>
          ))}
          {me.value?.id === id && <Badge>{t('adminPerson.you')}</Badge>}
          {user.bot && <Badge>{t('adminPerson.bot')}</Badge>}
          {user.system && <Badge>{t('adminPerson.system')}</Badge>}
        </div>
        <div class="row person-copied">
          {email !== null && (
            <span>
              <bdi>{email}</bdi>
              <CopyButton isIcon text={email} label={t('adminPerson.copyEmail')} />
            </span>
          )}
          <span>
            <code dir="ltr">{id}</code>
            <CopyButton isIcon text={id} label={t('adminPerson.copyId')} />
          </span>
        </div>
      </div>
      <div class="row">
        <Button kind="plain" size="small" onClick={() => void onLook()}>
          {t('adminPerson.look')}
        </Button>
        {children}
      </div>
    </section>
  );
}
