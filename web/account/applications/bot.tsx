import { useSignal } from '@preact/signals';
import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { brand } from '../../core/brand.js';
import { t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import { Field, fieldOf, TextArea } from '../../kit/field.js';
import { FailureNotice } from '../../kit/notice.js';
import { type Picture, PictureField } from '../../kit/picture.js';
import { Portrait } from '../../kit/portrait.js';
import { toast } from '../../kit/toast.js';
import { tagOf } from '../account.js';
import type { Application } from './application.js';

export type Bot = NonNullable<Application['bot']>;

export interface BotProps {
  readonly bot: Bot;
  readonly onChanged: (bot: Bot) => void;
}

/** The public profile of the bot. The application uses the same image and description. */
export function BotProfile({ bot, onChanged }: BotProps) {
  const username = useSignal(bot.username);
  const bio = useSignal(bot.bio ?? '');
  const avatar = useSignal<Picture>(undefined);
  const banner = useSignal<Picture>(undefined);
  const save = useAction(
    async () => {
      const body = {
        ...{ username: username.value, bio: bio.value || null },
        ...(avatar.value === undefined ? {} : { avatar: avatar.value }),
        ...(banner.value === undefined ? {} : { banner: banner.value }),
      };
      const profile = await api.patch('/v1/oauth2/applications/{id}/bot', { path: { id: bot.id }, body });
      username.value = profile.username;
      bio.value = profile.bio ?? '';
      avatar.value = undefined;
      banner.value = undefined;
      onChanged({ ...bot, ...profile });
      toast(t('account.saved'));
    },
    { fields: ['username', 'bio', 'avatar', 'banner'] },
  );
  return (
    <form class="section" onSubmit={save.run} aria-labelledby="bot">
      <h2 id="bot">{t('applications.bot')}</h2>
      <p class="quiet">
        <bdi>{tagOf(bot)}</bdi>
      </p>
      <FailureNotice of={save} />
      <Field
        {...fieldOf(username, save, 'username')}
        label={t('applications.username')}
        hint={t('applications.usernameHint')}
        isVerbatim
        required
        maxLength={32}
      />
      <TextArea
        {...fieldOf(bio, save, 'bio')}
        label={t('applications.bio')}
        hint={t('applications.bioHint')}
        maxLength={1024}
      />
      <PictureField
        name="avatar"
        label={t('applications.picture')}
        hint={t('applications.pictureHint')}
        removeLabel={t('applications.pictureRemove')}
        look="portrait"
        chosen={avatar}
        present={bot.avatar && <Portrait id={bot.id} name={bot.username} picture={bot.avatar} />}
        wrong={save.of('avatar')}
      />
      <PictureField
        name="banner"
        label={t('applications.banner')}
        hint={t('applications.pictureHint')}
        removeLabel={t('applications.bannerRemove')}
        look="banner"
        chosen={banner}
        present={
          bot.banner && <img class="banner" alt="" src={`${brand.media}/banners/${bot.id}/${bot.banner}.webp`} />
        }
        wrong={save.of('banner')}
      />
      <div>
        <Button submits kind="plain" action={save}>
          {t('applications.botSave')}
        </Button>
      </div>
    </form>
  );
}
