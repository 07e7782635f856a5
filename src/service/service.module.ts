import { Module } from '@nestjs/common';
import { ApiDocuments } from '../description/description.service.js';
import { DiscoveryController } from './discovery.controller.js';
import { DocsController } from './docs.controller.js';
import { HealthController } from './health.controller.js';
import { Readiness } from './readiness.service.js';
import { SiteFilesController } from './site-files.controller.js';

/** Health, metrics, discovery and API documents. */
@Module({
  controllers: [HealthController, DiscoveryController, DocsController, SiteFilesController],
  providers: [ApiDocuments, Readiness],
})
export class ServiceModule {}
