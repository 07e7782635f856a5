/**
 * The code that decides about access, in parts: the files to mutate, and the tests that must detect the mutants. A part
 * with `services` starts services, or loads their modules. A part with `keepsTexts` does not mutate SQL, messages and
 * decorators. Each test must pass on its own, because only the tests that reach a mutant run, in the listed order of the
 * files.
 */
export const PARTS = {
  headers: {
    mutate: ['src/policy/credential.ts'],
    tests: ['test/contract/2-authorization-header.spec.ts'],
  },
  secrets: {
    mutate: ['src/core/secrets.ts'],
    tests: ['src/core/secrets.spec.ts'],
  },
  input: {
    mutate: ['src/http/field.ts', 'src/http/input.ts'],
    tests: ['src/http/input.spec.ts', 'src/http/input-shapes.spec.ts'],
  },
  features: {
    mutate: ['src/policy/feature-registry.ts'],
    tests: ['src/policy/feature-registry.spec.ts'],
  },
  acls: {
    mutate: ['src/policy/acls.ts'],
    tests: ['src/policy/acls.spec.ts'],
  },
  policy: {
    mutate: [
      'src/policy/decorators.ts',
      'src/policy/routes.ts',
      'src/policy/route-policy.ts',
      'src/policy/call.ts',
      'src/policy/account.ts',
      'src/policy/answers.ts',
      'src/policy/plan.ts',
    ],
    tests: [
      'test/contract/credentials-3-declarations.spec.ts',
      'src/policy/routes.spec.ts',
      'src/policy/answers.spec.ts',
      'test/contract/conventions-2-calls.spec.ts',
    ],
  },
  capabilities: {
    mutate: ['src/media/addresses/capability.ts', 'src/media/addresses/signature.ts'],
    tests: ['src/media/addresses/capability.spec.ts', 'src/media/addresses/signature.spec.ts'],
  },
  redirects: {
    mutate: ['src/oauth/applications/redirect-uris.ts'],
    tests: ['src/oauth/applications/redirect-uris.spec.ts'],
  },
  'one-time-secrets': {
    mutate: ['src/auth/secrets/one-time-secrets.service.ts', 'src/auth/secrets/purposes.ts'],
    tests: ['test/contract/credentials-7-one-time-secrets.e2e-spec.ts'],
    services: true,
  },
  'credential-look-ups': {
    mutate: [
      'src/accounts/identity-resolver.ts',
      'src/accounts/credential-lookups.ts',
      'src/accounts/account-facts.ts',
      'src/accounts/account-snapshot.ts',
    ],
    tests: [
      'src/accounts/account-snapshot.spec.ts',
      'src/accounts/credential-lookups.spec.ts',
      'src/auth/sudo/sudo.service.spec.ts',
      'test/contract/credentials-3-resolution.e2e-spec.ts',
      'test/contract/credentials-7-one-time-secrets.e2e-spec.ts',
    ],
    services: true,
  },
  guards: {
    mutate: ['src/pipeline/arrival-guards.ts', 'src/pipeline/guards.ts'],
    tests: ['test/contract/credentials-4-arrivals.spec.ts', 'test/contract/credentials-4-callers.spec.ts'],
    services: true,
  },
  'mailed-secrets': {
    mutate: [
      'src/auth/secrets/mailed-tokens.service.ts',
      'src/auth/secrets/captchas.service.ts',
      'src/accounts/session-limits.ts',
    ],
    tests: [
      'src/accounts/session-limits.spec.ts',
      'test/contract/auth-1.6-captcha-tokens.e2e-spec.ts',
      'test/contract/auth-1.7-mailed-tokens.e2e-spec.ts',
    ],
    services: true,
  },
  'oauth-clients': {
    mutate: [
      'src/oauth/tokens/client-authenticator.service.ts',
      'src/oauth/tokens/form.ts',
      'src/oauth/tokens/pkce.ts',
      'src/oauth/tokens/token-mint.service.ts',
      'src/oauth/tokens/token-status.service.ts',
    ],
    tests: [
      'src/oauth/tokens/pkce.spec.ts',
      'src/oauth/tokens/form.spec.ts',
      'src/oauth/tokens/token-mint.service.spec.ts',
      'src/oauth/tokens/client-authenticator.service.spec.ts',
      'test/contract/oauth-5.7-token-status.e2e-spec.ts',
    ],
    services: true,
  },
  'oauth-grants': {
    mutate: ['src/oauth/authorization/own-grants.service.ts', 'src/accounts/grants/grants.service.ts'],
    tests: [
      'src/oauth/authorization/own-grants.service.spec.ts',
      'test/contract/oauth-3.4-whole-grants.e2e-spec.ts',
      'test/contract/oauth-grants.e2e-spec.ts',
      'test/contract/oauth-authorization.e2e-spec.ts',
      'test/contract/oauth-switches.e2e-spec.ts',
    ],
    services: true,
  },
  'oauth-tokens': {
    mutate: [
      'src/oauth/tokens/token.service.ts',
      'src/oauth/tokens/code-exchange.service.ts',
      'src/oauth/tokens/refresh-rotation.service.ts',
      'src/oauth/tokens/pair-rows.ts',
    ],
    tests: [
      'test/contract/oauth-3.3-token-operation.e2e-spec.ts',
      'test/contract/oauth-3.3-leeway.e2e-spec.ts',
      'test/contract/oauth-together.e2e-spec.ts',
    ],
    services: true,
  },
  'openid-tokens': {
    mutate: [
      'src/oauth/openid/claims.ts',
      'src/oauth/openid/id-tokens.service.ts',
      'src/oauth/openid/id-token-hints.service.ts',
      'src/oauth/openid/openid-provider.service.ts',
      'src/oauth/openid/openid.controller.ts',
      'src/oauth/openid/server-metadata.service.ts',
    ],
    tests: [
      'test/contract/openid-2-keys-and-discovery.e2e-spec.ts',
      'test/contract/openid-4-hints.e2e-spec.ts',
      'test/contract/openid-3-id-tokens.e2e-spec.ts',
      'test/contract/oauth-authorization.e2e-spec.ts',
    ],
    services: true,
    keepsTexts: true,
  },
  'openid-logout': {
    mutate: ['src/oauth/openid/logout.controller.ts', 'src/oauth/openid/logouts.service.ts'],
    tests: ['test/contract/openid-6-logout.e2e-spec.ts'],
    services: true,
    keepsTexts: true,
  },
  'openid-keys': {
    mutate: ['src/oauth/openid/jwks.controller.ts', 'src/oauth/openid/signing-keys.service.ts'],
    tests: ['test/contract/openid-2-keys-and-discovery.e2e-spec.ts', 'test/contract/openid-4-hints.e2e-spec.ts'],
    services: true,
    keepsTexts: true,
  },
  'openid-requests': {
    mutate: ['src/oauth/openid/authentication-request.ts'],
    tests: ['src/oauth/openid/authentication-request.spec.ts'],
    services: true,
    keepsTexts: true,
  },
  'openid-consents': {
    mutate: ['src/oauth/authorization/authorize.service.ts', 'src/oauth/authorization/consent.service.ts'],
    tests: [
      'test/contract/openid-4-authorization.e2e-spec.ts',
      'test/contract/oauth-authorization.e2e-spec.ts',
      'test/contract/openid-4-trusted-applications.e2e-spec.ts',
      'test/contract/openid-4-reauthentication.e2e-spec.ts',
    ],
    services: true,
    keepsTexts: true,
  },
  'openid-backchannel': {
    mutate: ['src/oauth/openid/backchannel-logouts.controller.ts', 'src/oauth/openid/backchannel-logouts.service.ts'],
    tests: [
      'test/contract/openid-6-backchannel-outcomes.e2e-spec.ts',
      'test/contract/openid-6-backchannel-delivery.e2e-spec.ts',
      'test/contract/openid-6-backchannel-logout.e2e-spec.ts',
    ],
    services: true,
    keepsTexts: true,
  },
  sudo: {
    mutate: ['src/auth/sudo/sudo.service.ts', 'src/auth/sudo/sudo-attempts.service.ts'],
    tests: ['src/auth/sudo/sudo.service.spec.ts'],
    services: true,
  },
};
