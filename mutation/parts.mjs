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
    tests: ['src/http/input.spec.ts'],
  },
};
