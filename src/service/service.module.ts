import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { ConnectionsModule } from '../auth/connections/connections.module.js';
import { ApiDocuments } from '../description/description.service.js';
import { GatewayModule } from '../gateway/gateway.module.js';
import { HttpModule } from '../http/http.module.js';
import { DiscoveryController } from './discovery.controller.js';
import { DocsController } from './docs.controller.js';
import { HealthController } from './health.controller.js';
import { Readiness } from './readiness.service.js';
import { SiteFilesController } from './site-files.controller.js';

/** Health, metrics, discovery and API documents. */
@Module({
  imports: [HttpModule, AuthModule, ConnectionsModule, GatewayModule],
  controllers: [HealthController, DiscoveryController, DocsController, SiteFilesController],
  providers: [ApiDocuments, Readiness],
})
export class ServiceModule {}
