import { Module, type OnApplicationBootstrap } from '@nestjs/common';
import { Instance } from '../platform/instance/instance.js';
import { ReplicaBus } from '../platform/replicas/replica-bus.js';
import { AccountService } from './account.service.js';
import { AccountContact } from './account-contact.service.js';
import { AccountDataRegistry } from './account-data-registry.service.js';
import { AccountExport } from './account-export.service.js';
import { AccountImporter } from './account-importer.service.js';
import { AccountRecords } from './account-records.service.js';
import { AccountRemoval } from './account-removal.service.js';
import { AccountState } from './account-state.service.js';
import { CredentialLookups } from './credential-lookups.js';
import { AccountEventsModule } from './events/account-events.module.js';
import { AdminApplication } from './grants/admin-application.service.js';
import { Grants } from './grants/grants.service.js';
import { IdentityResolver } from './identity-resolver.js';
import { ProfileChangeLimits } from './profile-change-limits.service.js';
import { reserveTerm } from './reserved-terms.js';

const SERVICES = [
  ...[
    AccountRecords,
    AccountService,
    AccountContact,
    AccountState,
    AccountRemoval,
    ProfileChangeLimits,
    AccountExport,
    AccountImporter,
    CredentialLookups,
    IdentityResolver,
    AccountDataRegistry,
  ],
  ...[AdminApplication, Grants],
];

/** Services for accounts, their lifecycle, grants and security events. */
@Module({ imports: [AccountEventsModule], providers: SERVICES, exports: [...SERVICES, AccountEventsModule] })
export class AccountsModule implements OnApplicationBootstrap {
  constructor(
    private readonly instance: Instance,
    private readonly replicaBus: ReplicaBus,
  ) {}

  /** Reserves the product name, so that no user can impersonate the product. */
  onApplicationBootstrap(): void {
    const reserve = () => reserveTerm(this.instance.current.branding.productName);
    this.replicaBus.on('instance', reserve);
    reserve();
  }
}
