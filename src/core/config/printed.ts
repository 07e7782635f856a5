import type { Setting } from './reader.js';

const WIDTH = 118;

/** Wraps text into comment lines of at most `WIDTH` characters. */
function comment(text: string): string[] {
  const lines = ['#'];
  for (const word of text.split(' ')) {
    const line = `${lines.at(-1)} ${word}`;
    if (line.length <= WIDTH) lines[lines.length - 1] = line;
    else lines.push(`# ${word}`);
  }
  return lines;
}

const HEAD = [
  '# All settings of Gatehouse with their defaults. `npm start` and `npm run cli` read `.env` in this folder.',
  '# The value of a secret can also be in a file: set <NAME>_FILE to its path, for example DATABASE_URL_FILE.',
  '# Separate the items of a list with commas. An empty value counts as unset. To check your settings, run: npm run cli -- doctor',
];

/** All settings with description and default, commented out: the text of `.env.example`. */
export function environmentExample(settings: readonly Setting[]): string {
  const lines = [...HEAD];
  let section = '';
  for (const setting of settings) {
    if (setting.section !== section) {
      section = setting.section;
      lines.push('', `## ${section}`, '');
    }
    lines.push(...comment(setting.about), `#${setting.name}=${setting.fallback}`);
  }
  return `${lines.join('\n')}\n`;
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');

/**
 * Settings as a Markdown table.
 * @param names the settings to include, in this order
 */
export function settingsTable(settings: readonly Setting[], names = settings.map(({ name }) => name)): string {
  const rows = names.map((name) => {
    const setting = settings.find((candidate) => candidate.name === name);
    if (!setting) throw new Error(`Unknown setting ${name}`);
    const { fallback, about } = setting;
    return `| \`${name}\` | ${fallback === '' ? '' : `\`${fallback}\``} | ${cell(about)} |`;
  });
  return ['| Variable | Default | Meaning |', '|---|---|---|', ...rows].join('\n');
}

/** The settings that an environment sets. Secret values are hidden. */
export const listSetSettings = (
  settings: readonly Setting[],
  env: Readonly<Record<string, string | undefined>>,
): string[] =>
  settings
    .filter(({ name }) => (env[name]?.trim() ?? '') !== '')
    .map(({ name, secret }) => (secret ? `${name} (secret)` : `${name}=${env[name]?.trim()}`));
