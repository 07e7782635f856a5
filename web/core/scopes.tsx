import type { Answer, paths } from 'gatehouse/client';
import { api } from './api.js';
import { saidIn, t, type Words } from './language.js';

/** What scopes of teams' own say, by language. */
export type ScopeWords = Answer<paths, '/.well-known/oauth-authorization-server', 'get'>['scope_descriptions'];

const OURS: ReadonlyMap<string, Words> = new Map([
  ['identify', 'consent.scopeIdentify'],
  ['email', 'consent.scopeEmail'],
  ['bot', 'consent.scopeBot'],
]);

/** The words of these scopes, as far as the pages do not know them by themselves. */
export async function learnWords(scopes: readonly string[]): Promise<ScopeWords> {
  if (scopes.every((name) => OURS.has(name))) return {};
  return (await api.get('/.well-known/oauth-authorization-server')).scope_descriptions;
}

/** In words of ours, if the pages have some. */
export function plainScope(name: string): string {
  const ours = OURS.get(name);
  return ours ? t(ours) : name;
}

export const hasWords = (name: string, words: ScopeWords): boolean => OURS.has(name) || Object.hasOwn(words, name);

/** What a scope lets an application do. One that a team took back has no words any more: it is shown as it is. */
export function ScopeName({ name, words }: { readonly name: string; readonly words: ScopeWords }) {
  const ours = OURS.get(name);
  if (ours) return <>{t(ours)}</>;
  if (!words[name]) return <code>{name}</code>;
  const said = saidIn(words[name]);
  return (
    <span lang={said.language} dir="auto">
      {said.text}
    </span>
  );
}
