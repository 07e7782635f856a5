import type { User } from '../account.js';

/** What people may change of their profile, as fields have it: what is empty is none. */
export interface Profile {
  readonly global_name: string;
  readonly username: string;
  readonly discriminator: string;
  readonly pronouns: string;
  readonly bio: string;
  readonly accent_color: number | null;
  /** The name of a saved picture, or a `data:` URL of one that was chosen. */
  readonly avatar: string | null;
  readonly banner: string | null;
}

/** What was changed and is not saved; whatever is not in it shows what is saved, also when that changes elsewhere. */
export type Draft = Partial<Profile>;

export const MEMBERS = [
  ...(['global_name', 'username', 'discriminator', 'pronouns', 'bio'] as const),
  ...(['accent_color', 'avatar', 'banner'] as const),
];

export const saved = (me: User): Profile => ({
  global_name: me.global_name ?? '',
  username: me.username,
  discriminator: me.discriminator,
  pronouns: me.pronouns ?? '',
  bio: me.bio ?? '',
  accent_color: me.accent_color ?? null,
  avatar: me.avatar ?? null,
  banner: me.banner ?? null,
});

/** What differs from what is saved. */
export function changesOf(me: User, draft: Draft): Draft {
  const present = saved(me);
  const changed = MEMBERS.filter((member) => member in draft && draft[member] !== present[member]);
  return Object.fromEntries(changed.map((member) => [member, draft[member]]));
}

/** What a request says of it: what is empty is cleared. */
export const bodyOf = (changes: Draft): Record<string, string | number | null> =>
  Object.fromEntries(Object.entries(changes).map(([member, value]) => [member, value === '' ? null : value]));

/** What was typed while it was being saved stays. */
export const without = (draft: Draft, sent: Draft): Draft =>
  Object.fromEntries(
    MEMBERS.filter((member) => member in draft && draft[member] !== sent[member]).map((member) => [
      member,
      draft[member],
    ]),
  );
