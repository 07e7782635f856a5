import { Global, Module } from '@nestjs/common';
import { APP_GUARD, DiscoveryModule } from '@nestjs/core';
import { CredentialLookups } from '../credential-lookups.js';
import { CrossOrigin } from '../cross-origin.js';
import { GuardStack } from '../routes/guard-stack.js';
import { RouteAudit } from '../routes/route-audit.js';
import { Routes } from '../routes/routes.js';
import { arrivalGuardsInOrder, guardsInOrder } from './guards.js';
import { IdentityResolver } from './identity.js';

/** The gatehouse itself. The only APP_GUARD in the tree stands here. */
@Global()
@Module({
  imports: [DiscoveryModule],
  providers: [
    ...[CredentialLookups, IdentityResolver, Routes, RouteAudit, CrossOrigin],
    ...arrivalGuardsInOrder(),
    ...guardsInOrder(),
    { provide: APP_GUARD, useClass: GuardStack },
  ],
  exports: [IdentityResolver, Routes, CrossOrigin, ...arrivalGuardsInOrder()],
})
export class PolicyModule {}
