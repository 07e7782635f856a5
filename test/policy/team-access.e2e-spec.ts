import { AuthorsModule } from '../fixtures/team/authors.js';
import { notes } from '../fixtures/team/feature.js';
import { eraseAccount, expectApiError, type Gatehouse, gatehouse, type Persona, person } from '../support/index.js';

let service: Gatehouse;
let alice: Persona;
let bob: Persona;
beforeAll(async () => {
  service = await gatehouse({ features: [notes], modules: [AuthorsModule] });
  [alice, bob] = [await person(service, 'alice'), await person(service, 'bob')];
});
afterAll(() => service.close());

const discriminatorOf = async ({ authorization }: Persona): Promise<string> =>
  (await service.as(authorization).get('/v1/users/@me')).body.discriminator;

const search = (username: string, discriminator: string) =>
  service.as(alice).get(`/v1/notes/authors/search?username=${username}&discriminator=${discriminator}`);

describe('Accounts for extensions', () => {
  test('finds an account by username, in any case, and discriminator; the profile has no private member', async () => {
    const discriminator = await discriminatorOf(bob);
    const { status, body } = await search('BOB', discriminator);
    expect(status).toBe(200);
    expect(body).toEqual({
      ...{ id: bob.id, username: 'bob', discriminator, global_name: null, flags: 0 },
      ...{ avatar: null, avatar_color: expect.any(Number) },
    });
    const other = discriminator === '0001' ? '0002' : '0001';
    expectApiError(await search('bob', other), 'UNKNOWN_USER');
    expectApiError(
      await search('alice', discriminator === (await discriminatorOf(alice)) ? other : discriminator),
      'UNKNOWN_USER',
    );
  });

  test('finds many accounts at once, without unknown IDs; deleted accounts are anonymous and have no username', async () => {
    const carol = await person(service, 'carol');
    const discriminator = await discriminatorOf(carol);
    await service.sql('INSERT INTO notes (id, owner_id) VALUES (1, $1), (2, $2), (3, 7)', [bob.id, carol.id]);
    const names = async () =>
      (await service.as(alice).get('/v1/notes/authors')).body.map(({ username }: { username: string }) => username);
    expect((await names()).toSorted()).toEqual(['bob', 'carol']);
    await eraseAccount(service, carol);
    await service.sql('INSERT INTO notes (id, owner_id) VALUES (4, $1)', [carol.id]);
    expect((await names()).toSorted()).toEqual(['DeletedUser', 'bob']);
    expectApiError(await search('carol', discriminator), 'UNKNOWN_USER');
  });
});
