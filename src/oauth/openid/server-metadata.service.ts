import { Injectable } from '@nestjs/common';
import { Config } from '../../core/config/config.js';
import { FeatureRegistry } from '../../policy/feature-registry.js';

const METHODS = ['client_secret_basic', 'client_secret_post'];

/** The OAuth2 server metadata (RFC 8414), which OpenID Connect extends. */
@Injectable()
export class ServerMetadata {
  constructor(
    private readonly config: Config,
    private readonly features: FeatureRegistry,
  ) {}

  /** URLs come from the configuration, never from the request. */
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
