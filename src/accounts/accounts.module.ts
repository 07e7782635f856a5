import { Global, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { Instance } from '../platform/instance/instance.js';
import { Replica } from '../platform/replicas/replica.js';
import { AccountService } from './account.service.js';
import { AccountContact } from './account-contact.service.js';
import { AccountExport } from './account-export.service.js';
import { AccountIntake } from './account-intake.service.js';
import { AccountParts } from './account-parts.service.js';
import { AccountRecords } from './account-records.service.js';
import { AccountRemoval } from './account-removal.service.js';
import { AccountState } from './account-state.service.js';
import { ChangeControls } from './change-controls.service.js';
import { CredentialLookups } from './credential-lookups.js';
import { SecurityEvents } from './events/security-events.service.js';
import { AdminApplication } from './grants/admin-application.service.js';
import { Grants } from './grants/grants.service.js';
import { IdentityResolver } from './identity-resolver.js';
import { Mails } from './mails.service.js';
import { reserveTerm } from './reserved-terms.js';

const SERVICES = [
  ...[
    AccountRecords,
    AccountService,
    AccountContact,
    AccountState,
    AccountRemoval,
    ChangeControls,
    AccountExport,
    AccountIntake,
    CredentialLookups,
    IdentityResolver,
    AccountParts,
    Mails,
  ],
  ...[AdminApplication, Grants, SecurityEvents],
];

/** Services for accounts, their lifecycle, grants and security events. */
@Global()
@Module({ providers: SERVICES, exports: SERVICES })
export class AccountsModule implements OnApplicationBootstrap {
  constructor(
    private readonly instance: Instance,
    private readonly replica: Replica,
  ) {}

  /** Reserves the product name, so that no user can impersonate the product. */
  onApplicationBootstrap(): void {
    const reserve = () => reserveTerm(this.instance.current.branding.productName);
    this.replica.on('instance', reserve);
    reserve();
  }
}
