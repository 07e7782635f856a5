import { expectApiError, type Gatehouse, gatehouse, person, signIn } from '../support/index.js';

let service: Gatehouse;
beforeAll(async () => {
  service = await gatehouse();
});
afterAll(() => service.close());

describe('5.2 user session tokens', () => {
  test('a bare token and the Bearer form of the same token are one session', async () => {
    const alice = await person(service, 'alice');
    const bare = await service.as(alice).get('/v1/users/@me');
    const bearer = await service.as(`Bearer ${alice.authorization}`).get('/v1/users/@me');
    expect(bare.status).toBe(200);
    expect(bearer.body).toEqual(bare.body);
    const { body } = await service.as(`Bearer ${alice.authorization}`).get('/v1/auth/sessions');
    expect(body).toHaveLength(1);
    expect(body[0].current).toBe(true);
  });

  test('logout ends only the calling session', async () => {
    const bob = await person(service, 'bob');
    const second = await signIn(service, bob);
    expect((await service.as(second).post('/v1/auth/logout')).status).toBe(204);
    expectApiError(await service.as(second).get('/v1/users/@me'), 'UNAUTHORIZED');
    expect((await service.as(bob).get('/v1/users/@me')).status).toBe(200);
  });
});
