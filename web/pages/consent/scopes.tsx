import { formatDate, rich, t } from '../../core/language.js';
import { hasWords, loadScopeWords, ScopeName, type ScopeWords } from '../../core/scopes.js';
import { Badge } from '../../kit/portrait.js';
import type { Decider } from './person.js';
import { type Application, type AuthorizationRequest, FaultyRequest, scopesOf } from './request.js';

/** Loads the descriptions of the requested scopes. @throws FaultyRequest for an unknown scope */
export async function wordsFor({ scope }: AuthorizationRequest): Promise<ScopeWords> {
  const names = scopesOf(scope);
  const words = await loadScopeWords(names);
  if (!names.every((name) => hasWords(name, words))) throw new FaultyRequest('INVALID_SCOPE');
  return words;
}

interface ScopesProps {
  readonly request: AuthorizationRequest;
  readonly application: Application;
  readonly words: ScopeWords;
  readonly former: Decider['former'];
}

/** The requested scopes. New ones are marked. */
export function Scopes({ request, application, words, former }: ScopesProps) {
  const names = scopesOf(request.scope);
  // `bot` grants no continuing access, so it is never marked as new.
  const isNew = (name: string) => former !== undefined && name !== 'bot' && !former.scopes.includes(name);
  return (
    <>
      <p id="scopes">{t('consent.could')}</p>
      <ul class="list" aria-labelledby="scopes">
        {names.map((name) => (
          <li key={name}>
            <ScopeName name={name} words={words} />
            {isNew(name) && <Badge>{t('consent.isNew')}</Badge>}
          </li>
        ))}
      </ul>
      {former && (
        <p class="small quiet">
          {rich(names.some(isNew) ? 'consent.before' : 'consent.beforeSame', {
            application: <bdi>{application.name}</bdi>,
            day: formatDate(former.authorized_at),
          })}
        </p>
      )}
    </>
  );
}
