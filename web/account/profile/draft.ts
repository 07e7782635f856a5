import type { User } from '../account.js';

/** The editable parts of a profile as form values. Empty text means that a value is not set. */
export interface Profile {
  readonly global_name: string;
  readonly username: string;
  readonly discriminator: string;
  readonly pronouns: string;
  readonly bio: string;
  readonly accent_color: number | null;
  /** The name of a saved image, or a `data:` URL of a new one. */
  readonly avatar: string | null;
  readonly banner: string | null;
}

/** Unsaved changes. All other members show the saved value, even when it changes elsewhere. */
export type Draft = Partial<Profile>;

export const MEMBERS = [
  ...(['global_name', 'username', 'discriminator', 'pronouns', 'bio'] as const),
  ...(['accent_color', 'avatar', 'banner'] as const),
];

export const savedProfile = (me: User): Profile => ({
  global_name: me.global_name ?? '',
  username: me.username,
  discriminator: me.discriminator,
  pronouns: me.pronouns ?? '',
  bio: me.bio ?? '',
  accent_color: me.accent_color ?? null,
  avatar: me.avatar ?? null,
  banner: me.banner ?? null,
});

/** The changes that differ from the saved profile. */
export function changesOf(me: User, draft: Draft): Draft {
  const present = savedProfile(me);
  const changed = MEMBERS.filter((member) => member in draft && draft[member] !== present[member]);
  return Object.fromEntries(changed.map((member) => [member, draft[member]]));
}

/** The request body for changes. Empty text clears a value. */
export const bodyOf = (changes: Draft): Record<string, string | number | null> =>
  Object.fromEntries(Object.entries(changes).map(([member, value]) => [member, value === '' ? null : value]));

/** Removes saved changes from the draft. Input that changed during the request is kept. */
export const withoutSaved = (draft: Draft, sent: Draft): Draft =>
  Object.fromEntries(
    MEMBERS.filter((member) => member in draft && draft[member] !== sent[member]).map((member) => [
      member,
      draft[member],
    ]),
  );
