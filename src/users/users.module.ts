import { Global, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { MediaModule } from '../media/media.module.js';
import { Instance } from '../platform/instance.js';
import { Replica } from '../platform/replica.js';
import { AccountService } from './account.service.js';
import { AccountContact } from './account-contact.service.js';
import { AccountExport } from './account-export.service.js';
import { AccountRecords } from './account-records.service.js';
import { AccountRemoval } from './account-removal.service.js';
import { AccountState } from './account-state.service.js';
import { BackupCodesController } from './backup-codes.controller.js';
import { BackupCodes } from './backup-codes.service.js';
import { BackupCodesChallenge } from './backup-codes-challenge.service.js';
import { BouncedEmailChange } from './bounced-email-change.service.js';
import { ChangeControls } from './change-controls.service.js';
import { EmailChangeController } from './email-change.controller.js';
import { EmailChange } from './email-change.service.js';
import { LifecycleController } from './lifecycle.controller.js';
import { Lifecycle } from './lifecycle.service.js';
import { MailTickets } from './mail-tickets.service.js';
import { MailedCodes } from './mailed-codes.service.js';
import { MeController } from './me.controller.js';
import { MeService } from './me.service.js';
import { NewAddresses } from './new-addresses.service.js';
import { OwnPassword } from './own-password.service.js';
import { OwnViews } from './own-views.service.js';
import { PasswordChangeController } from './password-change.controller.js';
import { PasswordChange } from './password-change.service.js';
import { PhoneController } from './phone.controller.js';
import { PhoneVerification } from './phone.service.js';
import { reserveTerm } from './reserved-terms.js';
import { SettingsController } from './settings.controller.js';
import { SettingsService } from './settings.service.js';
import { TotpController } from './totp.controller.js';
import { TotpService } from './totp.service.js';

/** The account: profile, settings, contact changes, second factors, state. */
@Global()
@Module({
  imports: [MediaModule],
  controllers: [
    ...[MeController, SettingsController, LifecycleController, EmailChangeController, PasswordChangeController],
    ...[PhoneController, TotpController, BackupCodesController],
  ],
  providers: [
    ...[
      AccountRecords,
      AccountService,
      AccountContact,
      AccountState,
      AccountRemoval,
      ChangeControls,
      MeService,
      SettingsService,
      Lifecycle,
      OwnPassword,
    ],
    ...[MailTickets, MailedCodes, NewAddresses, EmailChange, BouncedEmailChange, PasswordChange, PhoneVerification],
    ...[OwnViews, TotpService, BackupCodes, BackupCodesChallenge, AccountExport],
  ],
  exports: [
    ChangeControls,
    AccountExport,
    AccountRecords,
    AccountService,
    AccountContact,
    AccountState,
    AccountRemoval,
    OwnViews,
    SettingsService,
  ],
})
export class UsersModule implements OnApplicationBootstrap {
  constructor(
    private readonly instance: Instance,
    private readonly replica: Replica,
  ) {}

  /** Nobody may pose as the product, whatever it is called. */
  onApplicationBootstrap(): void {
    const reserve = () => reserveTerm(this.instance.current.branding.productName);
    this.replica.on('instance', reserve);
    reserve();
  }
}
