import { brand } from '../../core/brand.js';
import { tagOf, type User } from '../account.js';
import type { Profile } from './draft.js';

const PREVIEWS = { avatars: 256, banners: 1024 } as const;

/** The URL of an image: a new one (`data:`) or a saved one. */
function imageUrl(kind: keyof typeof PREVIEWS, { id }: User, picture: string): string {
  if (picture.startsWith('data:')) return picture;
  return `${brand.media}/${kind}/${id}/${picture}.webp?size=${PREVIEWS[kind]}`;
}

export const colorToHex = (colour: number): string => `#${colour.toString(16).padStart(6, '0')}`;

/** A preview of the public profile. */
export function Card({ me, shown }: { readonly me: User; readonly shown: Profile }) {
  const { avatar, banner, accent_color: colour } = shown;
  const name = shown.global_name || shown.username;
  return (
    <div class="profile-card">
      <div class="banner" style={colour === null ? {} : { backgroundColor: colorToHex(colour) }}>
        {banner && <img alt="" src={imageUrl('banners', me, banner)} />}
      </div>
      {avatar ? (
        <img class="portrait" alt="" src={imageUrl('avatars', me, avatar)} />
      ) : (
        <span class="portrait" aria-hidden="true">
          {[...name][0]?.toUpperCase()}
        </span>
      )}
      <div class="stack tight">
        <p class="name">
          <bdi>{name}</bdi>
        </p>
        <p class="quiet small">
          <bdi>{tagOf(shown)}</bdi>
          {shown.pronouns && (
            <>
              {' · '}
              <bdi>{shown.pronouns}</bdi>
            </>
          )}
        </p>
        {shown.bio && <p class="lines">{shown.bio}</p>}
      </div>
    </div>
  );
}
