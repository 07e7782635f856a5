import { SecurityEvents1797100000000 } from '../migrations/1797100000000-security-events.js';
import { BanReason1797500000000 } from '../migrations/1797500000000-ban-reason.js';
import { UserList1797730000000 } from '../migrations/1797730000000-user-list.js';
import { AccountsWithAcls1797800292000 } from '../migrations/1797800292000-accounts-with-acls.js';
import { SECURITY_EVENTS } from '../platform/mail/templates/words/kinds.js';
import { defineFeature } from '../policy/feature.js';
import { Account, AccountSettings } from './account.entities.js';
import { ACCOUNT_EXPORT_SQL } from './account-facts.js';
import { AccountRemoval } from './account-removal.service.js';
import { AccountsModule } from './accounts.module.js';
import { RECORDED_AS, UNMAILED_EVENTS } from './events/event-types.js';
import { RecordedEvent } from './events/security-event.entities.js';
import { SecurityEvents } from './events/security-events.service.js';
import { SecurityEventSettings } from './events/security-events.settings.js';
import { Application, AuthorizationCode, BotGrant, OAuthToken, TokenFamily } from './grants/oauth.entities.js';
import { PERSONAL_APPLICATION_ID } from './grants/personal-application.js';

const declareEvents = <T extends string>(types: readonly T[]) =>
  Object.fromEntries(types.map((type) => [type, null])) as { readonly [E in T]: null };

/** Accounts, their names and their security events. */
export const accounts = defineFeature('accounts', {
  modules: [AccountsModule],
  entities: [
    Account,
    AccountSettings,
    RecordedEvent,
    Application,
    AuthorizationCode,
    BotGrant,
    TokenFamily,
    OAuthToken,
  ],
  migrations: [
    SecurityEvents1797100000000,
    BanReason1797500000000,
    UserList1797730000000,
    AccountsWithAcls1797800292000,
  ],
  settings: [SecurityEventSettings],
  errors: {
    USERNAME_NOT_AVAILABLE: [400, 'The username is not available.'],
  },
  fieldErrors: {
    USERNAME_LENGTH_INVALID: 'The username is too short or too long.',
    USERNAME_INVALID_CHARACTERS: 'The username has characters that are not allowed.',
    USERNAME_RESERVED_VALUE: 'The username is reserved.',
    USERNAME_CANNOT_CONTAIN_RESERVED_TERMS: 'The username contains a reserved term.',
    TOO_MANY_USERS_WITH_THIS_USERNAME: 'The username is taken.',
    DISCRIMINATOR_INVALID_FORMAT: 'The discriminator is not valid.',
    DISCRIMINATOR_OUT_OF_RANGE: 'The discriminator is out of range.',
    GLOBAL_NAME_LENGTH_INVALID: 'The name is too short or too long.',
    GLOBAL_NAME_RESERVED_VALUE: 'The name is reserved.',
    GLOBAL_NAME_CANNOT_CONTAIN_RESERVED_TERMS: 'The name contains a reserved term.',
    USERNAME_CHANGED_TOO_MANY_TIMES: 'The username was changed too often.',
    BIO_CHANGED_TOO_MANY_TIMES: 'The biography was changed too often.',
    PRONOUNS_CHANGED_TOO_MANY_TIMES: 'The pronouns were changed too often.',
    ACCENT_COLOR_CHANGED_TOO_MANY_TIMES: 'The color was changed too often.',
    AVATAR_CHANGED_TOO_MANY_TIMES: 'The avatar was changed too often.',
    BANNER_CHANGED_TOO_MANY_TIMES: 'The banner was changed too often.',
    EMAIL_ALREADY_IN_USE: 'The address is in use.',
  },
  exports: {
    account: {
      isSingle: true,
      select: ACCOUNT_EXPORT_SQL,
    },
    settings: {
      isSingle: true,
      select: `SELECT theme, email_notifications, session_ip_authorization, developer_mode, custom
        FROM account_settings WHERE account_id = $1`,
    },
    security_events: {
      select: `SELECT id, type, created_at, ip, user_agent, os, data
        FROM security_event WHERE account_id = $1 ORDER BY id`,
    },
    mail: { select: 'SELECT type, recipient, created_at, sent_at FROM outbox WHERE account_id = $1 ORDER BY id' },
    grants: {
      select: `SELECT application_id, scopes, created_at
        FROM oauth_family WHERE account_id = $1 AND application_id <> ${PERSONAL_APPLICATION_ID} ORDER BY id`,
    },
    bot_authorizations: {
      select: 'SELECT application_id, created_at FROM oauth_bot_grant WHERE account_id = $1 ORDER BY created_at',
    },
  },
  erasure: {
    account: { kept: 'emptied, because other data refers to its ID' },
    account_settings: { deletedWith: 'account' },
    account_event: { kept: 'the number of events of an account' },
    oauth_family: { eraser: AccountRemoval },
    oauth_token: { deletedWith: 'oauth_family' },
    oauth_code: { deletedWith: 'oauth_family' },
    oauth_bot_grant: { eraser: AccountRemoval },
    security_event: { eraser: AccountRemoval },
    outbox: { eraser: AccountRemoval },
    inbox_message: { eraser: AccountRemoval },
  },
  lifecycle: Object.fromEntries(Object.keys(RECORDED_AS).map((type) => [type, { required: SecurityEvents }])),
  securityEvents: declareEvents([...UNMAILED_EVENTS, ...SECURITY_EVENTS]),
});

declare module '../core/merged.js' {
  interface Features {
    accounts: typeof accounts;
  }
}

declare module '../core/config/config.js' {
  interface Config extends SecurityEventSettings {}
}
