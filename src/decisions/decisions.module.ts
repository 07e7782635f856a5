import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { BansModule } from '../bans/bans.module.js';
import { OAuthModule } from '../oauth/oauth.module.js';
import { PipelineModule } from '../pipeline/pipeline.module.js';
import { CallerFailures } from './caller-failures.service.js';
import { DecisionsController } from './decisions.controller.js';
import { Decisions } from './decisions.service.js';
import { RevocationAudit } from './facts.js';
import { Marks } from './marks.js';
import { PolicyVersions } from './policy-versions.service.js';
import { RevocationStreams } from './revocation-streams.service.js';
import { StreamSlots } from './stream-slots.service.js';
import { Tags } from './tags.js';

/** Decisions for services that keep them, and the revocations of these decisions. */
@Module({
  imports: [AccountsModule, BansModule, OAuthModule, PipelineModule],
  controllers: [DecisionsController],
  providers: [CallerFailures, Decisions, Marks, PolicyVersions, RevocationAudit, RevocationStreams, StreamSlots, Tags],
})
export class DecisionsModule {}
