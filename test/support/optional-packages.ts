import { createRequire } from 'node:module';
import type { expect as ExpectOfJest } from '@jest/globals';
import type * as ajv from 'ajv/dist/2020.js';
import type * as supertest from 'supertest';

const require = createRequire(import.meta.url);

/** Loads a package that the test kit needs but the service does not. @throws Error with the command that installs it */
function demanded<T>(name: string, path = name): T {
  try {
    return require(path) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
    throw new Error(`@gatehouse-auth/server/testing needs ${name}: npm install --save-dev ${name}`, { cause: error });
  }
}

export const { Test: SuperTest } = demanded<typeof supertest>('supertest');
export const { Ajv2020 } = demanded<typeof ajv>('ajv', 'ajv/dist/2020.js');

function runners(): typeof ExpectOfJest {
  const { expect } = globalThis as { expect?: typeof ExpectOfJest };
  if (!expect)
    throw new Error(
      '@gatehouse-auth/server/testing needs the global `expect` of Jest, or of a runner that has its like',
    );
  return expect;
}

/**
 * The `expect` of the test runner. It is looked up on each call, because these modules may stay loaded across test
 * files.
 */
export const expect = new Proxy(() => {}, {
  apply: (_target, _self, [actual]) => runners()(actual),
  get: (_target, key) => Reflect.get(runners(), key),
}) as unknown as typeof ExpectOfJest;
