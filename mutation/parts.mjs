/**
 * What decides who gets in, by part: the files that are mutated, and the tests that have to notice. A part with `services`
 * starts services, or loads what they consist of. Each of its tests passes alone, since a mutant is shown to those only
 * that reach it, in the order of the files.
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
    mutate: ['src/http/input.ts'],
    tests: ['src/http/input.spec.ts', 'src/http/input-shapes.spec.ts'],
  },
  scopes: {
    mutate: ['src/policy/scopes.ts'],
    tests: ['src/policy/scopes.spec.ts'],
  },
  acls: {
    mutate: ['src/policy/acls.ts'],
    tests: ['src/policy/acls.spec.ts'],
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
      'src/accounts/seen.ts',
    ],
    tests: [
      'src/accounts/seen.spec.ts',
      'src/accounts/credential-lookups.spec.ts',
      'src/auth/sudo/sudo.service.spec.ts',
      'test/contract/credentials-3-resolution.e2e-spec.ts',
      'test/contract/credentials-7-one-time-secrets.e2e-spec.ts',
    ],
    services: true,
  },
  guards: {
    mutate: ['src/pipeline/guards.ts'],
    tests: ['test/contract/credentials-4-arrivals.spec.ts', 'test/contract/credentials-4-callers.spec.ts'],
    services: true,
  },
  sudo: {
    mutate: ['src/auth/sudo/sudo.service.ts', 'src/auth/sudo/sudo-attempts.service.ts'],
    tests: ['src/auth/sudo/sudo.service.spec.ts'],
    services: true,
  },
};
