import { bearer, codeOf, fake } from '../../../test/machine/policies.js';
import { OwnGrants } from './own-grants.service.js';

const unused = fake<never>({});
const own = (application: object | null) =>
  new OwnGrants(
    unused,
    unused,
    fake({ findIssuer: async () => application }),
    fake({ find: async () => null }),
    unused,
    unused,
    unused,
    unused,
  );

describe('oauth.md 5.10: an access token', () => {
  const me = { ...bearer(['identify']), expiresAt: new Date(0) };

  test('is rejected if its application is deleted during the request', async () => {
    expect(await codeOf(() => own(null).current(me))).toBe('UNAUTHORIZED');
  });
});
