import { Global, Module } from '@nestjs/common';
import { APP_GUARD, DiscoveryModule } from '@nestjs/core';
import { AdminNetworks } from '../http/admin-networks.js';
import { CrossOrigin } from '../http/cross-origin.js';
import { DirectRoutes } from '../http/direct-routes.js';
import { Doorkeeper } from '../http/doorkeeper.js';
import { Routes } from '../policy/routes.js';
import { CommandAudit } from './command-audit.js';
import { CommandLoadGuard, ownCommandGuards, PayloadGuard, SessionGuard } from './command-guards.js';
import { CompiledRoutes } from './compiled-routes.js';
import { ArrivalStack } from './doorkeeper.js';
import { ExplainController } from './explain.controller.js';
import { Explanation } from './explanation.service.js';
import { GuardStack } from './guard-stack.js';
import { arrivalGuardsInOrder, guardsInOrder } from './guards.js';
import { RouteAudit } from './route-audit.js';
import { StaticRoutes } from './static-routes.js';

/** Registers the guard pipeline, with the only APP_GUARD. */
@Global()
@Module({
  imports: [DiscoveryModule],
  controllers: [ExplainController],
  providers: [
    ...[Routes, CompiledRoutes, RouteAudit, CommandAudit, AdminNetworks, CrossOrigin, Explanation],
    ...arrivalGuardsInOrder(),
    ...guardsInOrder(),
    ...ownCommandGuards(),
    // The other command guards are also guards of routes.
    ...[CommandLoadGuard, SessionGuard, PayloadGuard],
    { provide: Doorkeeper, useClass: ArrivalStack },
    GuardStack,
    { provide: APP_GUARD, useExisting: GuardStack },
    { provide: DirectRoutes, useClass: StaticRoutes },
  ],
  exports: [Routes, CompiledRoutes, AdminNetworks, CrossOrigin, Doorkeeper, DirectRoutes],
})
export class PipelineModule {}
