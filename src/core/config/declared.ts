import type { DeclaredSettings, SettingsReader } from './reader.js';

/**
 * Declares settings of a feature:
 * `class NotesSettings extends settings('Notes', (read) => ({ limit: read.int('NOTES_LIMIT', 'Notes of one account',
 * 100, [1, 10000]) })) {}`.
 * Add the class to the `settings` of the feature and inject it.
 * @param section the heading in `.env.example`
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
  // biome-ignore lint/plugin: `createApp` fills the instances with what `read` returns
  return Declared as unknown as (abstract new () => Readonly<T>) & DeclaredSettings<T>;
}
