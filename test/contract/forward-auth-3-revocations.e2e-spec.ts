import { createHmac } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Tags } from '../../src/decisions/tags.js';
import { administrator, type App, clients, type Gatehouse, gatehouse, type Persona, signIn } from '../support/index.js';
import { RevocationClient } from '../support/revocations.js';

let service: Gatehouse;
let root: Persona;
beforeAll(async () => {
  service = await gatehouse();
  root = await administrator(service, '*');
});
afterAll(() => service.close());

const allow = (app: App, policies: readonly string[]) =>
  service.as(root).patch(`/v1/admin/applications/${app.id}`, { resource_policies: policies }).expect(200);

const account = (app: App, id: string) => service.app.get(Tags).of(app.id, [`account:${id}`]);

test('smoke', async () => {
  const { alice, app } = await clients(service);
  await allow(app, ['documents-read']);
  const stream = await RevocationClient.open(service, app);
  const alive = await stream.next('alive');
  const t = performance.now();
  await service.sql("UPDATE account SET username = 'renamed' WHERE id = $1", [alice.id]);
  const event = await stream.revoked(account(app, alice.id));
  console.log(alive, event, event.at - t);
  const from = stream.events.length;
  await delay(1100);
  console.log(stream.events.slice(from));
  const session = await signIn(service, alice);
  await service.as(session).post('/v1/auth/logout').expect(204);
  await stream.next('revoked', from);
  console.log(stream.events.slice(from).filter((e) => e.event !== 'alive'));
  await allow(app, []);
  await stream.closed();
  void createHmac;
});
