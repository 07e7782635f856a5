import { Global, Module } from '@nestjs/common';
import { APP_GUARD, DiscoveryModule } from '@nestjs/core';
import { AdminNetworks } from '../http/admin-networks.js';
import { ClientAddresses } from '../http/client-addresses.js';
import { CrossOrigin } from '../http/cross-origin.js';
import { ErrorPages } from '../http/error-pages.js';
import { RequestHooks } from '../http/request-hooks.js';
import { Routes } from '../policy/routes.js';
import { arrivalGuardsInOrder } from './arrival-guards.js';
import { CommandAudit } from './command-audit.js';
import { builtInCommandGuards, CommandLoadGuard, PayloadGuard, SessionGuard } from './command-guards.js';
import { CompiledRoutes } from './compiled-routes.js';
import { ExplainController } from './explain.controller.js';
import { Explanation } from './explanation.service.js';
import { FastPath } from './fast-path.js';
import { GuardStack } from './guard-stack.js';
import { guardsInOrder } from './guards.js';
import { PreRoutingStack } from './pre-routing-stack.js';
import { RouteAudit } from './route-audit.js';

/** Registers the guard pipeline, with the only APP_GUARD. */
@Global()
@Module({
  imports: [DiscoveryModule],
  controllers: [ExplainController],
  providers: [
    ...[Routes, CompiledRoutes, RouteAudit, CommandAudit, AdminNetworks, ClientAddresses, CrossOrigin, ErrorPages],
    Explanation,
    ...arrivalGuardsInOrder(),
    ...guardsInOrder(),
    ...builtInCommandGuards(),
    // The other command guards are also guards of routes.
    ...[CommandLoadGuard, SessionGuard, PayloadGuard],
    { provide: RequestHooks, useClass: PreRoutingStack },
    GuardStack,
    { provide: APP_GUARD, useExisting: GuardStack },
    FastPath,
  ],
  exports: [Routes, CompiledRoutes, AdminNetworks, CrossOrigin, ErrorPages, RequestHooks],
})
export class PipelineModule {}
