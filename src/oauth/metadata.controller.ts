import { Controller, Get, Header } from '@nestjs/common';
import { Config } from '../core/config/config.js';
import { Cors, CredentialFree, RateLimit } from '../policy/decorators.js';
import { FeatureRegistry } from '../policy/feature-registry.js';

const METHODS = ['client_secret_basic', 'client_secret_post'];

@Controller()
export class MetadataController {
  constructor(
    private readonly config: Config,
    private readonly features: FeatureRegistry,
  ) {}

  /** Returns the OAuth2 server metadata (RFC 8414). URLs come from the configuration, never from the request. */
  @Get('.well-known/oauth-authorization-server')
  @CredentialFree()
  @RateLimit('instance:info')
  @Cors('any')
  @Header('Cache-Control', 'public, max-age=300')
  describe() {
    const issuer = this.config.publicOrigin;
    const base = `${issuer}/v1/oauth2`;
    return {
      issuer,
      authorization_endpoint: `${base}/authorize`,
      token_endpoint: `${base}/token`,
      introspection_endpoint: `${base}/introspect`,
      revocation_endpoint: `${base}/token/revoke`,
      userinfo_endpoint: `${base}/userinfo`,
      scopes_supported: [...this.features.scopes.keys()],
      scope_descriptions: this.features.textsOf('scopes'),
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: [...METHODS, 'none'],
      revocation_endpoint_auth_methods_supported: [...METHODS, 'none'],
      introspection_endpoint_auth_methods_supported: METHODS,
      authorization_response_iss_parameter_supported: true,
    };
  }
}
