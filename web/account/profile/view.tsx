import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import { Choice, Field, TextArea } from '../../kit/field.js';
import { FailureNotice } from '../../kit/notice.js';
import { toast } from '../../kit/toast.js';
import { setUser, type User, user } from '../account.js';
import { Card, colorToHex } from './card.js';
import type { Shape } from './crop-dialog.js';
import { bodyOf, changesOf, type Draft, MEMBERS, type Profile, savedProfile, withoutSaved } from './draft.js';
import { Picture } from './picture.js';
import './profile.css';

const AVATAR: Shape = { aspect: 1, width: 1024, isRound: true };
const BANNER: Shape = { aspect: 3, width: 2400, isRound: false };
/** The initial color of the color input. */
const DEFAULT_COLOR = 0x5b6cff;

interface ColorInputProps {
  readonly value: number | null;
  readonly onValue: (value: number | null) => void;
  readonly wrong: string | undefined;
}

function ColorInput({ value, onValue, wrong }: ColorInputProps) {
  const id = useId();
  return (
    <>
      <Choice
        name="has_colour"
        label={t('profile.withColour')}
        checked={value !== null}
        onChecked={(isWanted) => onValue(isWanted ? DEFAULT_COLOR : null)}
        wrong={wrong}
      />
      {value !== null && (
        <div class="field">
          <label for={id}>{t('profile.colour')}</label>
          <input
            type="color"
            id={id}
            name="accent_color"
            class="colour"
            value={colorToHex(value)}
            onInput={(event) => onValue(Number.parseInt(event.currentTarget.value.slice(1), 16))}
          />
        </div>
      )}
    </>
  );
}

function Form({ me }: { readonly me: User }) {
  const draft = useSignal<Draft>({});
  const shown: Profile = { ...savedProfile(me), ...draft.value };
  const changes = changesOf(me, draft.value);
  const hasChanges = Object.keys(changes).length > 0;
  const set = (change: Draft) => {
    draft.value = { ...draft.value, ...change };
  };
  const save = useAction(
    async () => {
      if (!hasChanges) return;
      setUser(await api.patch('/v1/users/@me', { body: bodyOf(changes) }));
      draft.value = withoutSaved(draft.value, changes);
      toast(t('account.saved'));
    },
    { fields: MEMBERS },
  );
  const text = (name: 'global_name' | 'username' | 'discriminator' | 'pronouns' | 'bio') => ({
    name,
    value: shown[name],
    onValue: (value: string) => set({ [name]: value }),
    wrong: save.of(name),
  });
  const picture = (name: 'avatar' | 'banner') => ({
    name,
    value: shown[name],
    onPicture: (data: string | null) => set({ [name]: data }),
    wrong: save.of(name),
  });
  return (
    <form class="section" onSubmit={save.run}>
      <p class="quiet">{t('profile.lead')}</p>
      <Card me={me} shown={shown} />
      <Picture
        {...picture('avatar')}
        shape={AVATAR}
        label="profile.avatar"
        choose="profile.chooseAvatar"
        remove="profile.removeAvatar"
      />
      <Picture
        {...picture('banner')}
        shape={BANNER}
        label="profile.banner"
        choose="profile.chooseBanner"
        remove="profile.removeBanner"
      />
      <Field {...text('global_name')} label={t('profile.name')} hint={t('profile.nameHint')} autocomplete="nickname" />
      <Field
        {...text('username')}
        label={t('account.username')}
        hint={t('profile.usernameHint')}
        autocomplete="off"
        required
        isVerbatim
      />
      <Field
        {...text('discriminator')}
        label={t('profile.discriminator')}
        hint={t('profile.discriminatorHint')}
        autocomplete="off"
        inputMode="numeric"
        required
        isVerbatim
      />
      <Field {...text('pronouns')} label={t('profile.pronouns')} hint={t('profile.pronounsHint')} autocomplete="off" />
      <TextArea {...text('bio')} label={t('profile.bio')} hint={t('profile.bioHint')} />
      <ColorInput
        value={shown.accent_color}
        onValue={(value) => set({ accent_color: value })}
        wrong={save.of('accent_color')}
      />
      <FailureNotice of={save} />
      <div class="row">
        <Button submits action={save} disabled={!hasChanges}>
          {t('profile.save')}
        </Button>
        {hasChanges && (
          <Button
            kind="bare"
            onClick={() => {
              draft.value = {};
              save.clear();
            }}
          >
            {t('profile.discard')}
          </Button>
        )}
      </div>
    </form>
  );
}

/** The public profile. Changes from elsewhere are shown unless the user is editing that value. */
export default function ProfileView() {
  const me = user.value;
  return me && <Form me={me} />;
}
