import type { SettingsReader } from './reader.js';

/** A settings class of an extension. `loadConfig` reads its values, and they are injected in place of the class. */
export interface DeclaredSettings<T extends object = object> {
  read(reader: SettingsReader): T;
}

/**
 * Declares settings of an extension. They are read, validated and documented like built-in settings:
 * `class NotesSettings extends settings('Notes', (read) => ({ limit: read.int('NOTES_LIMIT', 'Notes of one account',
 * 100, [1, 10000]) })) {}`.
 * Pass the class to `start` and inject it.
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
