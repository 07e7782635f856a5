import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AdminOperationsModule } from '../admin/operations.module.js';
import { BansModule } from '../bans/bans.module.js';
import { MediaModule } from '../media/media.module.js';
import { CredentialSweep } from './credential-sweep.service.js';
import { ErasureLedger } from './erasure-ledger.service.js';
import { Restore } from './restore.service.js';

/** Restores: the ledger of erasures and bans, and the work after a restore. */
@Module({
  imports: [AccountsModule, AdminOperationsModule, BansModule, MediaModule],
  providers: [CredentialSweep, ErasureLedger, Restore],
})
export class RestoreModule {}
