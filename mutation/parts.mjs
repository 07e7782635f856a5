/**
 * What decides who gets in, by part: the files that are mutated, and the tests that have to notice. A part with
 * `services` starts services on the embedded database, and has a process of its own for each mutant.
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
};
