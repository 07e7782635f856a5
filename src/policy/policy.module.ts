import { Global, Module } from '@nestjs/common';
import { APP_GUARD, DiscoveryModule } from '@nestjs/core';
import { CredentialLookups } from '../credential-lookups.js';
import { CrossOrigin } from '../cross-origin.js';
import { arrivalGuardsInOrder, GuardStack, guardsInOrder, Plans } from './guards.js';
import { IdentityResolver } from './identity.js';
import { Routes } from './route-audit.js';

/** The gatehouse itself. The only APP_GUARD in the tree stands here. */
@Global()
@Module({
  imports: [DiscoveryModule],
  providers: [
    CredentialLookups,
    IdentityResolver,
    Routes,
    { provide: Plans, useExisting: Routes },
    CrossOrigin,
    ...arrivalGuardsInOrder(),
    ...guardsInOrder(),
    { provide: APP_GUARD, useClass: GuardStack },
  ],
  exports: [IdentityResolver, Routes, CrossOrigin, ...arrivalGuardsInOrder()],
})
export class PolicyModule {}
