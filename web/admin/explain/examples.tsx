import { t } from '../../core/language.js';
import { InnerLink } from '../../kit/opened.js';
import { EMPTY_QUESTION, explainUrl, type Question } from './question.js';

const ADMIN = ['admin:authenticate', 'user:temp_ban'];

/** Requests that show the most common results. Their URLs are links, so that they can be opened in a new tab. */
const EXAMPLES = {
  'adminExplain.exampleSignedOut': { path: '/v1/users/@me' },
  'adminExplain.exampleApp': { path: '/v1/users/@me', credential: 'bearer', scopes: 'identify' },
  'adminExplain.exampleUnverified': {
    method: 'PATCH',
    path: '/v1/users/@me/settings',
    credential: 'session',
    flags: 1,
  },
  'adminExplain.exampleKey': { method: 'PUT', path: '/v1/admin/users/1/ban', credential: 'admin-key', acls: ADMIN },
} as const satisfies Record<string, Partial<Question>>;

/** Examples to start from. */
export const Examples = () => (
  <div class="row small">
    <span class="quiet" id="examples">
      {t('adminExplain.examples')}
    </span>
    <ul class="examples" aria-labelledby="examples">
      {(Object.keys(EXAMPLES) as (keyof typeof EXAMPLES)[]).map((words) => (
        <li key={words}>
          <InnerLink href={explainUrl({ ...EMPTY_QUESTION, ...EXAMPLES[words] })}>{t(words)}</InnerLink>
        </li>
      ))}
    </ul>
  </div>
);
