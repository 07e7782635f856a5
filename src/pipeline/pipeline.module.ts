import { Module } from '@nestjs/common';
import { APP_GUARD, DiscoveryModule } from '@nestjs/core';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AdminModule } from '../admin/admin.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { BansModule } from '../bans/bans.module.js';
import { GatewayModule } from '../gateway/gateway.module.js';
import { HttpModule } from '../http/http.module.js';
import { RequestHooks } from '../http/request-hooks.js';
import { OAuthModule } from '../oauth/oauth.module.js';
import { arrivalGuardsInOrder } from './arrival-guards.js';
import { ClientLimits } from './client-limits.service.js';
import { CommandAudit } from './command-audit.js';
import { builtInCommandGuards, CommandLoadGuard, PayloadGuard, SessionGuard } from './command-guards.js';
import { CompiledRoutes } from './compiled-routes.js';
import { ExplainController } from './explain.controller.js';
import { Explanation } from './explanation.service.js';
import { FastPath } from './fast-path.js';
import { GuardStack } from './guard-stack.js';
import { guardsInOrder } from './guards.js';
import { PreRoutingStack } from './pre-routing-stack.js';
import { ResponseWatch } from './response-watch.js';
import { RouteAudit } from './route-audit.js';
import { ServicePolicies } from './service-policies.service.js';

/** Registers the guard pipeline, with the only APP_GUARD. */
@Module({
  imports: [
    ...[DiscoveryModule, HttpModule, AccountsModule, BansModule, AuthModule, OAuthModule, AdminModule, GatewayModule],
  ],
  controllers: [ExplainController],
  providers: [
    ...[ClientLimits, CompiledRoutes, RouteAudit, CommandAudit, Explanation, ServicePolicies],
    ...arrivalGuardsInOrder(),
    ...guardsInOrder(),
    ...builtInCommandGuards(),
    // The other command guards are also guards of routes.
    ...[CommandLoadGuard, SessionGuard, PayloadGuard],
    { provide: RequestHooks, useClass: PreRoutingStack },
    ResponseWatch,
    GuardStack,
    { provide: APP_GUARD, useExisting: GuardStack },
    FastPath,
  ],
  exports: [RequestHooks, ServicePolicies],
})
export class PipelineModule {}
