import { refusalOf } from '../../../test/machine/policies.js';
import { boundedValue, formValue, requiredValue } from './form.js';

const READERS = { formValue, boundedValue, requiredValue };
const readFrom = (read: typeof formValue, ...values: string[]) => read({ other: ['o'], name: values }, 'name');

/** Expects an INVALID_REQUEST error that names this parameter. */
async function expectInvalidParameter(work: () => unknown) {
  const apiError = await refusalOf(work);
  expect(apiError).toMatchObject({
    code: 'INVALID_REQUEST',
    extra: { error: 'invalid_request', errors: [{ path: 'name' }] },
  });
}

describe('oauth.md 1.3: a parameter', () => {
  test.each(Object.entries(READERS))('%s: is read as it was sent', (_, read) => {
    for (const value of ['x', 'a b', 'x'.repeat(256), '0', 'ü']) expect(readFrom(read, value)).toBe(value);
  });

  test('that is absent or has no value counts as not sent', () => {
    for (const read of [formValue, boundedValue]) {
      expect(read({}, 'name')).toBeUndefined();
      expect(readFrom(read, '')).toBeUndefined();
    }
  });

  test('that is required must be sent', async () => {
    await expectInvalidParameter(() => requiredValue({}, 'name'));
    await expectInvalidParameter(() => readFrom(requiredValue, ''));
  });

  test.each(Object.entries(READERS))('%s: is rejected if it is repeated, with any value', async (_, read) => {
    for (const values of [['x', 'y'], ['x', 'x'], ['', ''], ['', 'x'], Array(9).fill('x')]) {
      await expectInvalidParameter(() => readFrom(read, ...values));
    }
  });

  test('without limits may be long and have white space around it', () => {
    expect(readFrom(formValue, 'x'.repeat(257))).toHaveLength(257);
    expect(readFrom(formValue, ' x\n')).toBe(' x\n');
  });

  test.each(['x'.repeat(257), ' x', 'x ', 'x\n', '\tx', ' ', '\u00a0x', `${'x'.repeat(256)} `])(
    'with limits is rejected as %j',
    async (value) => {
      for (const read of [boundedValue, requiredValue]) {
        await expectInvalidParameter(() => readFrom(read, value));
      }
    },
  );
});
