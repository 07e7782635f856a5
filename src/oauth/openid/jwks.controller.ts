import { Controller, Get, Header } from '@nestjs/common';
import { Cors, CredentialFree, RateLimit } from '../../policy/decorators.js';
import { SigningKeys } from './signing-keys.service.js';

@Controller()
export class JwksController {
  constructor(private readonly keys: SigningKeys) {}

  /** Get the public keys that verify tokens of this service (RFC 7517). */
  @Get('.well-known/jwks.json')
  @CredentialFree()
  @RateLimit('instance:info')
  @Cors('any')
  @Header('Cache-Control', 'public, max-age=300')
  async keySet() {
    return { keys: await this.keys.published() };
  }
}
