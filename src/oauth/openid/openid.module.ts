import { Module } from '@nestjs/common';
import { IdTokenHints } from './id-token-hints.service.js';
import { IdTokens } from './id-tokens.service.js';
import { JwksController } from './jwks.controller.js';
import { ServerMetadata } from './server-metadata.service.js';
import { SigningKeys } from './signing-keys.service.js';

const SERVICES = [SigningKeys, IdTokens, IdTokenHints, ServerMetadata];

/** OpenID Connect. When it is off, only the key set remains (contract/openid.md). */
@Module({ controllers: [JwksController], providers: SERVICES, exports: SERVICES })
export class OpenIdModule {}
