/**
 * `@jest/globals` for modules that stay loaded across test files. Each export forwards to the framework of the current
 * file.
 */
const live = (name) =>
  new Proxy(() => {}, {
    apply: (_target, _self, values) => globalThis[name](...values),
    get: (_target, key) => globalThis[name][key],
  });

export const afterAll = live('afterAll');
export const afterEach = live('afterEach');
export const beforeAll = live('beforeAll');
export const beforeEach = live('beforeEach');
export const describe = live('describe');
export const expect = live('expect');
export const it = live('it');
export const jest = live('jest');
export const test = live('test');
