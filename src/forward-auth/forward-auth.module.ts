import { Module } from '@nestjs/common';
import { OpenIdModule } from '../oauth/openid/openid.module.js';
import { PipelineModule } from '../pipeline/pipeline.module.js';
import { Assertions } from './assertions.service.js';
import { ForwardAuthController } from './forward-auth.controller.js';

/** Decisions for reverse proxies. */
@Module({ imports: [PipelineModule, OpenIdModule], controllers: [ForwardAuthController], providers: [Assertions] })
export class ForwardAuthModule {}
