import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { MediaModule } from '../media/media.module.js';
import { BouncedEmailChange } from './contact/bounced-email-change.service.js';
import { EmailChangeController } from './contact/email-change.controller.js';
import { EmailChange } from './contact/email-change.service.js';
import { EmailedCodes } from './contact/emailed-codes.service.js';
import { FlowTickets } from './contact/flow-tickets.service.js';
import { NewEmailAddresses } from './contact/new-email-addresses.service.js';
import { PhoneController } from './contact/phone.controller.js';
import { PhoneVerification } from './contact/phone.service.js';
import { BackupCodesController } from './factors/backup-codes.controller.js';
import { BackupCodes } from './factors/backup-codes.service.js';
import { BackupCodesChallenge } from './factors/backup-codes-challenge.service.js';
import { TotpController } from './factors/totp.controller.js';
import { TotpService } from './factors/totp.service.js';
import { OwnPassword } from './password/own-password.service.js';
import { PasswordChangeController } from './password/password-change.controller.js';
import { PasswordChange } from './password/password-change.service.js';
import { LifecycleController } from './profile/lifecycle.controller.js';
import { Lifecycle } from './profile/lifecycle.service.js';
import { MeController } from './profile/me.controller.js';
import { MeService } from './profile/me.service.js';
import { OwnViews } from './profile/own-views.service.js';
import { SettingsController } from './profile/settings.controller.js';
import { SettingsService } from './profile/settings.service.js';
import { OwnExportController } from './security/own-export.controller.js';
import { OwnExport } from './security/own-export.service.js';
import { SecurityEventsController } from './security/security-events.controller.js';

/** Self-service of the account owner: profile, settings, contact changes, second factors, lifecycle. */
@Module({
  imports: [AccountsModule, AuthModule, MediaModule],
  controllers: [
    ...[MeController, SettingsController, LifecycleController, EmailChangeController, PasswordChangeController],
    ...[PhoneController, TotpController, BackupCodesController, SecurityEventsController, OwnExportController],
  ],
  providers: [
    ...[MeService, SettingsService, Lifecycle, OwnPassword, OwnExport],
    ...[
      FlowTickets,
      EmailedCodes,
      NewEmailAddresses,
      EmailChange,
      BouncedEmailChange,
      PasswordChange,
      PhoneVerification,
    ],
    ...[OwnViews, TotpService, BackupCodes, BackupCodesChallenge],
  ],
  exports: [OwnViews],
})
export class UsersModule {}
