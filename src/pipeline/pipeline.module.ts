import { Global, Module } from '@nestjs/common';
import { APP_GUARD, DiscoveryModule } from '@nestjs/core';
import { CrossOrigin } from '../http/cross-origin.js';
import { Doorkeeper } from '../http/doorkeeper.js';
import { Routes } from '../policy/routes.js';
import { CommandAudit } from './command-audit.js';
import { CommandLoadGuard, ownCommandGuards, PayloadGuard, SessionGuard } from './command-guards.js';
import { CompiledRoutes } from './compiled-routes.js';
import { ArrivalStack } from './doorkeeper.js';
import { GuardStack } from './guard-stack.js';
import { arrivalGuardsInOrder, guardsInOrder } from './guards.js';
import { RouteAudit } from './route-audit.js';

/** The gatehouse itself. The only APP_GUARD in the tree stands here. */
@Global()
@Module({
  imports: [DiscoveryModule],
  providers: [
    ...[Routes, CompiledRoutes, RouteAudit, CommandAudit, CrossOrigin],
    ...arrivalGuardsInOrder(),
    ...guardsInOrder(),
    ...ownCommandGuards(),
    // The others are rows of routes as well.
    ...[CommandLoadGuard, SessionGuard, PayloadGuard],
    { provide: Doorkeeper, useClass: ArrivalStack },
    { provide: APP_GUARD, useClass: GuardStack },
  ],
  exports: [Routes, CompiledRoutes, CrossOrigin, Doorkeeper],
})
export class PipelineModule {}
