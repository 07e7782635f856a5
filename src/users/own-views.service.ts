import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Passkey } from '../auth/auth.entities.js';
import { passkeyView } from '../auth/passkeys.service.js';
import { Database } from '../platform/database.js';
import { gather } from '../platform/gather.js';
import { Account, AccountSettings } from './account.entities.js';
import { settingsView } from './settings.service.js';

/** What an account sees of itself beside the user object; reads of one moment go out together. */
@Injectable()
export class OwnViews {
  private readonly readSettings = gather((ids) => this.settingsOfMany(ids));
  private readonly readPasskeys = gather((ids) => this.passkeysOfMany(ids));

  constructor(private readonly database: Database) {}

  /** `undefined`: there is no such account. */
  settings(accountId: string): Promise<ReturnType<typeof settingsView> | undefined> {
    return this.readSettings(accountId);
  }

  /** In the order of registration. */
  async passkeys(accountId: string): Promise<ReturnType<typeof passkeyView>[]> {
    return (await this.readPasskeys(accountId)) ?? [];
  }

  private async settingsOfMany(accountIds: string[]) {
    const { entities, raw } = await this.database.manager
      .createQueryBuilder(AccountSettings, 'settings')
      .innerJoin(Account, 'account', 'account.id = settings.account_id')
      .addSelect('account.locale', 'locale')
      .where({ accountId: In(accountIds) })
      .getRawAndEntities<{ locale: string }>();
    return new Map(entities.map((row, index) => [row.accountId, settingsView(raw[index]?.locale ?? '', row)]));
  }

  private async passkeysOfMany(accountIds: string[]) {
    const passkeys = await this.database.manager.find(Passkey, {
      where: { accountId: In(accountIds) },
      order: { createdAt: 'ASC', id: 'ASC' },
    });
    const views = new Map<string, ReturnType<typeof passkeyView>[]>();
    for (const passkey of passkeys) {
      const own = views.get(passkey.accountId);
      if (own) own.push(passkeyView(passkey));
      else views.set(passkey.accountId, [passkeyView(passkey)]);
    }
    return views;
  }
}
