import { startWith } from '../support/boot.js';

// `.ci/run` repeats these tests with the bundle. The other tests of the boot start extensions, which the bundle cannot load.
describe('an impossible configuration stops the startup', () => {
  test.each<[setting: Record<string, string>, reason: string]>([
    [{ RATE_LIMIT_OVERRIDES: '{"no:such":"1/1"}' }, 'no:such'],
    [{ GATEHOUSE_SECRET: 'short' }, 'GATEHOUSE_SECRET must be at least 32 random bytes'],
    [{ CAPTCHA_PROVIDER: 'hcaptcha' }, 'HCAPTCHA_SITE_KEY'],
    [{ HTTP_PLATFORM: 'koa' }, 'HTTP_PLATFORM'],
  ])('%j', async (setting, reason) => {
    await expect(startWith(setting)).rejects.toThrow(reason);
  });

  test('a possible configuration starts', async () => {
    await startWith({ RATE_LIMIT_OVERRIDES: '{"auth:login":"1/1"}', CAPTCHA_PROVIDER: 'altcha' });
  });
});
