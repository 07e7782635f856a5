import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const WEB = join(import.meta.dirname, '../../web');
const textsOf = (folder: string): string[] =>
  readdirSync(join(WEB, folder))
    .filter((file) => file.endsWith('.tsx'))
    .map((file) => readFileSync(join(WEB, folder, file), 'utf8'));

/** Components that need a signed-in user, or that other components contain. */
const ELSEWHERE = ['CurrentView', 'LoadFailure', 'Mark', 'Notes', 'Shell', 'Toasts', 'UserMenu'];

/** Dialogs that a button of the same file contains. */
const CONTAINED = ['ConfirmDialog'];

test('/dev/components shows every component of the kit', () => {
  const kit = textsOf('kit').flatMap((text) => [...text.matchAll(/^export (?:const|function) ([A-Z][a-z]\w*)/gm)]);
  const shown = textsOf('dev').join('\n');
  const missing = kit.map(([, name]) => name as string).filter((name) => !new RegExp(`<${name}\\b`).test(shown));
  expect(missing.sort()).toEqual([...ELSEWHERE, ...CONTAINED].sort());
});
