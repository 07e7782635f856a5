import { Injectable } from '@nestjs/common';
import { AccountSettings } from '../../accounts/account.entities.js';
import { AccountService } from '../../accounts/account.service.js';
import { CallerGuard } from '../../auth/sessions/caller-guard.service.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { toJsonColumn } from '../../platform/database/json-column.js';
import { ReplicaBus } from '../../platform/replicas/replica-bus.js';
import type { Account } from '../../policy/account.js';
import type { SessionIdentity } from '../../policy/identity.js';
import type { EditSettingsInput } from './settings.dto.js';

/** The settings as shown to their owner (account.md 1.2). */
export const settingsView = (locale: string, settings: AccountSettings) => ({
  locale,
  theme: settings.theme,
  email_notifications: settings.emailNotifications,
  session_ip_authorization: settings.sessionIpAuthorization,
  developer_mode: settings.developerMode,
  custom: settings.custom,
});

/** Reads and changes the settings of an account (account.md 2.3). */
@Injectable()
export class SettingsService {
  constructor(
    private readonly database: Database,
    private readonly accounts: AccountService,
    private readonly callerGuard: CallerGuard,
    private readonly replicaBus: ReplicaBus,
  ) {}

  async get({ id, locale }: Pick<Account, 'id' | 'locale'>, tx: Tx = this.database.manager) {
    return settingsView(locale, await tx.findOneByOrFail(AccountSettings, { accountId: id }));
  }

  edit(me: SessionIdentity, { locale, custom, ...input }: EditSettingsInput) {
    return this.database.transaction(async (tx) => {
      const account = await this.callerGuard.lockCaller(tx, me);
      const { id } = account;
      const changes = {
        ...(input.theme !== undefined && { theme: input.theme }),
        ...(input.email_notifications !== undefined && { emailNotifications: input.email_notifications }),
        ...(input.session_ip_authorization !== undefined && { sessionIpAuthorization: input.session_ip_authorization }),
        ...(input.developer_mode !== undefined && { developerMode: input.developer_mode }),
        ...(custom !== undefined && { custom: toJsonColumn(custom) }),
      };
      if (Object.keys(changes).length > 0) await tx.update(AccountSettings, { accountId: id }, changes);
      const isMoved = locale !== undefined && locale !== account.locale;
      if (isMoved) await this.accounts.update(tx, id, { locale });
      await this.replicaBus.announceEvent(tx, { type: 'USER_SETTINGS_UPDATE', account_id: id });
      return this.get({ id, locale: locale ?? account.locale }, tx);
    });
  }
}
