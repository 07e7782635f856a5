import { Controller, Get, Header } from '@nestjs/common';
import { Cors, CredentialFree, RateLimit } from '../policy/decorators.js';
import { ServerMetadata } from './openid/server-metadata.service.js';

@Controller()
export class MetadataController {
  constructor(private readonly server: ServerMetadata) {}

  /** Get the OAuth2 server metadata (RFC 8414). URLs come from the configuration, never from the request. */
  @Get('.well-known/oauth-authorization-server')
  @CredentialFree()
  @RateLimit('instance:info')
  @Cors('any')
  @Header('Cache-Control', 'public, max-age=300')
  describe() {
    return this.server.describe();
  }
}
