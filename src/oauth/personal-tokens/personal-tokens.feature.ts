import { PERSONAL_APPLICATION_ID } from '../../accounts/grants/personal-application.js';
import { PersonalTokens1797740000000 } from '../../migrations/1797740000000-personal-tokens.js';
import { defineFeature } from '../../policy/feature.js';
import { PersonalToken } from './personal-token.entities.js';
import { PersonalTokenSettings } from './personal-token.settings.js';
import { PersonalTokenReminder } from './personal-token-reminder.service.js';
import { personalTokenMails } from './personal-tokens.mails.js';
import { personalTokenModules } from './personal-tokens.module.js';

/** Personal access tokens: access tokens that users create for scripts (contract/tokens.md section 1). */
export const personalTokens = defineFeature('personal_tokens', {
  settings: [PersonalTokenSettings],
  modules: personalTokenModules,
  entities: [PersonalToken],
  migrations: [PersonalTokens1797740000000],
  buckets: { 'user:tokens': [30, 60], 'user:tokens:create': [10, 3600] },
  mails: personalTokenMails,
  jobs: { 'personal_tokens:remind': { handler: PersonalTokenReminder } },
  exports: {
    access_tokens: {
      select: `SELECT p.id, p.name, t.scopes, p.networks, t.created_at, t.expires_at, p.last_used_at
        FROM oauth_family f JOIN oauth_token t ON t.family_id = f.id JOIN personal_token p ON p.id = t.id
        WHERE f.account_id = $1 AND f.application_id = ${PERSONAL_APPLICATION_ID} ORDER BY p.id`,
    },
  },
  erasure: { personal_token: { deletedWith: 'oauth_token' } },
});

declare module '../../core/config/config.js' {
  interface Config extends PersonalTokenSettings {}
}

declare module '../../core/merged.js' {
  interface Features {
    personalTokens: typeof personalTokens;
  }
}
