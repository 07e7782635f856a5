/** @own-modules It registers codes and buckets, which stay for as long as the modules do. */
import { Controller, Get, Module } from '@nestjs/common';
import { type ErrorCode, Refusal, registerErrorCode } from '../src/core/errors.js';
import { AdminAcl, Public, RateLimit } from '../src/policy/decorators.js';
import {
  administrator,
  adminKey,
  auditOf,
  expectRefusal,
  type Gatehouse,
  GatewayClient,
  gatehouseWithSso,
  person,
  ScriptedProvider,
  setAcls,
  signInBySso,
  superuser,
  withoutAudit,
} from './support/index.js';

@Controller('v1/cakes')
class CakesController {
  @Get()
  @Public()
  @RateLimit('auth:handoff:info')
  eat() {
    // A team's code: the service knows it since the module was loaded, long after the kit was.
    throw new Refusal('CAKE_IS_GONE' as ErrorCode);
  }
}

@Controller('v1/admin/cakes')
class AdminCakesController {
  @Get()
  @AdminAcl('user:lookup')
  @RateLimit('admin:lookup')
  list() {
    return { cakes: [] };
  }
}

@Module({ controllers: [CakesController, AdminCakesController] })
class CakesModule {}

let provider: ScriptedProvider;
let service: Gatehouse;
beforeAll(async () => {
  registerErrorCode('CAKE_IS_GONE', 402, 'There is no cake.');
  provider = await ScriptedProvider.start();
  service = await gatehouseWithSso(provider, { modules: [CakesModule] });
});
afterAll(async () => {
  await service.close();
  await provider.stop();
});

describe('gatehouse/testing: what a team tests its modules with', () => {
  test('a code of its own is judged by the registry as it is now', async () => {
    const answer = await service.anonymous.get('/v1/cakes');
    expectRefusal(answer, 'CAKE_IS_GONE');
    expect(answer.status).toBe(402);
    expect(() => expectRefusal({ ...answer, status: 400 }, 'CAKE_IS_GONE')).toThrow('402');
  });

  test('a code that nobody registered is a fault of the test, whatever was answered', async () => {
    const answer = await service.anonymous.get('/v1/cakes');
    const forged = { ...answer, status: 400, body: { code: 'CAKE_IS_LATE', message: 'x' } };
    expect(() => expectRefusal(forged, 'CAKE_IS_LATE')).toThrow('CAKE_IS_LATE is no error code');
  });

  test('administrators, with and without keys', async () => {
    const clerk = await administrator(service, 'user:lookup', 'admin_api_key:manage');
    expect((await service.as(clerk).get('/v1/admin/cakes')).status).toBe(200);
    const key = await adminKey(service, clerk, 'user:lookup');
    expect((await service.as(key).get('/v1/admin/cakes')).status).toBe(200);
    expect((await service.as(await superuser(service)).get('/v1/admin/cakes')).status).toBe(200);
    await setAcls(service, clerk, ['admin:authenticate']);
    expectRefusal(await withoutAudit(service, () => service.as(key).get('/v1/admin/cakes')), 'MISSING_ACL');
    expect(await auditOf(service, 'create_api_key')).toHaveLength(1);
  });

  test('a client of the gateway', async () => {
    const alice = await person(service, 'alice');
    const { client, ready } = await GatewayClient.identified(service, alice.authorization);
    expect(ready.user.id).toBe(alice.id);
    await service.as(alice).post('/v1/auth/logout');
    expect((await client.closed())[0]).toBe(4004);
  });

  test('a provider of single sign-on', async () => {
    const { status, body } = await signInBySso(service, provider, { email: 'grace@example.com' });
    expect([status, body.user.id]).toEqual([200, body.user_id]);
  });
});
