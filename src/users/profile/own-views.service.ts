import { Injectable } from '@nestjs/common';
import { passkeyView } from '../../auth/passkeys/passkeys.service.js';
import type { Passkey } from '../../auth/records/auth.entities.js';
import { batchById } from '../../platform/database/batcher.js';
import { Database } from '../../platform/database/database.js';
import type { settingsView } from './settings.service.js';

type SettingsView = ReturnType<typeof settingsView>;
type PasskeyView = ReturnType<typeof passkeyView>;
type SettingsRow = SettingsView & { readonly account_id: string };
type PasskeyRow = Parameters<typeof passkeyView>[0] & Pick<Passkey, 'accountId'>;

/** Column names equal the member names of the view. */
const SETTINGS_BY_ACCOUNT = `
  SELECT s.account_id, a.locale, s.theme, s.email_notifications, s.session_ip_authorization, s.developer_mode, s.custom
  FROM account_settings s JOIN account a ON a.id = s.account_id
  WHERE s.account_id = ANY ($1::bigint[])`;

const PASSKEYS_BY_ACCOUNT = `
  SELECT account_id AS "accountId", id, name, created_at AS "createdAt", last_used_at AS "lastUsedAt"
  FROM passkey WHERE account_id = ANY ($1::bigint[])
  ORDER BY created_at, id`;

/** Views that an account has of its own data besides the user object. Concurrent reads are batched. */
@Injectable()
export class OwnViews {
  private readonly readSettings = batchById((ids) => this.settingsOfMany(ids));
  private readonly readPasskeys = batchById((ids) => this.passkeysOfMany(ids));

  constructor(private readonly database: Database) {}

  /** Returns the settings, or `undefined` if the account does not exist. */
  settings(accountId: string): Promise<SettingsView | undefined> {
    return this.readSettings(accountId);
  }

  /** Lists passkeys in the order of registration. */
  async passkeys(accountId: string): Promise<PasskeyView[]> {
    return (await this.readPasskeys(accountId)) ?? [];
  }

  private async settingsOfMany(accountIds: string[]): Promise<Map<string, SettingsView>> {
    const rows = await this.database.statement<SettingsRow>('own-settings', SETTINGS_BY_ACCOUNT, [accountIds]);
    return new Map(rows.map(({ account_id, ...view }) => [account_id, view]));
  }

  private async passkeysOfMany(accountIds: string[]): Promise<Map<string, PasskeyView[]>> {
    const rows = await this.database.statement<PasskeyRow>('own-passkeys', PASSKEYS_BY_ACCOUNT, [accountIds]);
    const views = new Map<string, PasskeyView[]>();
    for (const passkey of rows) {
      const own = views.get(passkey.accountId) ?? [];
      views.set(passkey.accountId, [...own, passkeyView(passkey)]);
    }
    return views;
  }
}
