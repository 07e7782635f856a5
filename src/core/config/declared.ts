import type { SettingsReader } from './reader.js';

/** A class of settings of a team: what `loadConfig` reads for it is what is injected in its place. */
export interface DeclaredSettings<T extends object = object> {
  read(reader: SettingsReader): T;
}

/**
 * Settings of a team, read, validated and told like ours:
 * `class NotesSettings extends settings('Notes', (read) => ({ limit: read.int('NOTES_LIMIT', 'Notes of one account',
 * 100, [1, 10000]) })) {}`. Name the class to `start` and inject it.
 */
export function settings<T extends object>(
  section: string,
  read: (reader: SettingsReader) => T,
): (abstract new () => Readonly<T>) & DeclaredSettings<T> {
  abstract class Declared {
    static read(reader: SettingsReader): T {
      reader.section(section);
      return read(reader);
    }
  }
  return Declared as unknown as (abstract new () => Readonly<T>) & DeclaredSettings<T>;
}
