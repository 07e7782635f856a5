import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { readRoutes } from '../../src/app.js';
import { Config } from '../../src/core/config/config.js';
import { defineFeature, loadConfig, type OutgoingEvents, outgoingEvent, type Tx } from '../../src/index.js';
import { EventDeliveries } from '../../src/outgoing-events/event-deliveries.service.js';
import { Trips, trips } from '../fixtures/team/trips.js';
import { describeOnPostgres } from '../machine/postgres.js';
import { certificate } from '../support/certificate.js';
import { runCleanup } from '../support/cleanup.js';
import {
  consent,
  EventReceiver,
  eventually,
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  newApp,
  type Persona,
  person,
  type ReceivedEvent,
  race,
  signIn,
  superuser,
  withGatehouse,
} from '../support/index.js';
import { Ajv2020 } from '../support/optional-packages.js';

const ENDPOINTS = '/v1/admin/event-endpoints';
const env = { OUTGOING_EVENTS_ALLOW_PRIVATE_ADDRESSES: 'true', IP_AUTHORIZATION: 'off' };

/** Never called, because only the compiler checks it. */
export async function mistakes(tx: Tx, outgoing: OutgoingEvents): Promise<void> {
  // @ts-expect-error No feature declares this type.
  await outgoing.announce(tx, 'trips.lost', {});
  // @ts-expect-error A member is missing.
  await outgoing.announce(tx, 'trips.booked', { account_id: '1' });
}

let service: Gatehouse;
let root: Persona;
let receiver: EventReceiver;
beforeAll(async () => {
  service = await gatehouse({ env, features: [trips] });
  root = await superuser(service);
});
afterAll(() => service.close());
beforeEach(async () => {
  receiver = await EventReceiver.start();
});
afterEach(async () => {
  await service.sql('DELETE FROM outgoing_endpoint');
  await receiver.stop();
});

type Endpoint = { readonly id: string; readonly secret: string };

const create = async (types: string[], url = receiver.url): Promise<Endpoint> =>
  (await service.as(root).post(ENDPOINTS, { url, event_types: types }).expect(200)).body;

const deliveriesOf = async ({ id }: Endpoint) =>
  (await service.as(root).get(`${ENDPOINTS}/${id}/deliveries`).expect(200)).body.deliveries as {
    readonly id: string;
    readonly status: string;
    readonly attempts: number;
  }[];

const until = (endpoint: Endpoint, isDone: (delivery: { status: string; attempts: number }) => boolean) =>
  eventually('the state of all deliveries', async () => {
    const deliveries = await deliveriesOf(endpoint);
    return deliveries.length > 0 && deliveries.every(isDone) ? deliveries : undefined;
  });

const sendTest = ({ id }: Endpoint) => service.as(root).post(`${ENDPOINTS}/${id}/test`);

/** Makes all attempts due, as if the time of their pauses had passed. */
async function makeDue({ id }: Endpoint): Promise<void> {
  await service.sql('UPDATE outgoing_lane SET next_attempt_at = now() WHERE endpoint_id = $1', [id]);
  await service.sql('UPDATE outgoing_delivery SET next_attempt_at = now() WHERE endpoint_id = $1', [id]);
  service.app.get(EventDeliveries).wake();
}

const verify = (secret: string, { body, headers }: ReceivedEvent): unknown =>
  new Webhook(secret).verify(body, headers as Record<string, string>);

describe('outgoing events', () => {
  test('an event has the headers, the body and a valid signature of the Standard Webhooks specification', async () => {
    const endpoint = await create(['account.created']);
    expect(endpoint.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const alice = await person(service, 'alice');
    const [event] = await receiver.arrival('account.created');
    expect(event.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': expect.stringMatching(/^msg_[\da-f-]{36}$/),
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
      'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
    });
    expect(verify(endpoint.secret, event)).toEqual({
      type: 'account.created',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      data: { account_id: alice.id, is_bot: false },
    });
    expect(() => verify(`whsec_${Buffer.alloc(32).toString('base64')}`, event)).toThrow();
    const [delivery] = await until(endpoint, ({ status }) => status === 'delivered');
    expect(delivery).toEqual({
      id: expect.stringMatching(/^\d+$/),
      message_id: event.headers['webhook-id'],
      event_type: 'account.created',
      status: 'delivered',
      attempts: 1,
      response_status: 204,
      error: null,
      created_at: event.event.timestamp,
      last_attempt_at: expect.any(String),
      next_attempt_at: null,
    });
  });

  test('every way to change an account or to end a session announces its event, with IDs only', async () => {
    const owner = await person(service, 'owner');
    const endpoint = await create([
      ...['account.created', 'account.updated', 'account.banned', 'account.unbanned', 'account.deleted'],
      ...['session.ended', 'application.authorized'],
    ]);
    const admin = service.as(root);
    const app = await newApp(service, owner);
    expect((await consent(service, owner, app)).status).toBe(200);
    await service.as(owner).patch('/v1/users/@me', { global_name: 'Owner of a bot' }).expect(200);
    const second = await signIn(service, owner);
    const [{ digest }] = (await service.sql(
      'SELECT digest FROM session WHERE account_id = $1 ORDER BY id DESC LIMIT 1',
      [owner.id],
    )) as [{ digest: Buffer }];
    expect((await service.as(second).post('/v1/auth/logout')).status).toBe(204);
    expect((await admin.put(`/v1/admin/users/${owner.id}/ban`, { duration_hours: 1 })).status).toBeLessThan(300);
    expect((await admin.delete(`/v1/admin/users/${owner.id}/ban`)).status).toBeLessThan(300);
    await service.sql('UPDATE account SET deletion_at = now() WHERE id = $1', [owner.id]);
    await runCleanup(service);
    await until(endpoint, ({ status }) => status === 'delivered');
    const of = (type: string) => receiver.of(type).map(({ event }) => event.data);
    const account_id = owner.id;
    expect(of('account.created')).toEqual([{ account_id: app.id, is_bot: true }]);
    expect(of('application.authorized')).toEqual([{ account_id, application_id: app.id, scopes: ['identify'] }]);
    expect(of('account.updated')).toContainEqual({ account_id, changed: ['global_name'] });
    expect(of('session.ended')).toContainEqual({ account_id, session_id_hash: digest.toString('base64url') });
    // The ban, and then the deletion of the account, end the first session only once.
    expect(of('session.ended').filter((data) => data.account_id === account_id)).toHaveLength(2);
    expect(of('account.banned')).toEqual([{ account_id, until: expect.stringMatching(/^\d{4}-.*T.*\.\d{3}Z$/) }]);
    expect(of('account.unbanned')).toEqual([{ account_id }]);
    expect(of('account.deleted')).toContainEqual({ account_id });
    const text = receiver.received.map(({ body }) => body).join();
    expect(text).not.toContain(owner.email);
    expect(text).not.toContain('Owner of a bot');
    const { webhooks, components } = (await service.anonymous.get('/openapi.json').expect(200)).body;
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    for (const { event } of receiver.received) {
      const { schema } = webhooks[event.type].post.requestBody.content['application/json'];
      const validate = ajv.compile({ ...schema, components });
      expect([event, validate(event), validate.errors]).toEqual([event, true, null]);
      expect(validate({ ...event, data: {} })).toBe(false);
    }
  });

  test('a feature announces its own event after the commit, and nothing after a rollback', async () => {
    const endpoint = await create(['trips.booked']);
    const { body } = await service.as(root).get('/v1/admin/event-types');
    expect(body.event_types).toContainEqual({ name: 'account.created', words: null });
    const words = expect.objectContaining({ 'en-US': 'A user booked a trip.' });
    expect(body.event_types).toContainEqual({ name: 'trips.booked', words });
    service.app.get(Trips).isFull = true;
    expectApiError(await service.as(root).post('/v1/trips'), 'TRIPS_FULL');
    service.app.get(Trips).isFull = false;
    expect(await deliveriesOf(endpoint)).toEqual([]);
    expect((await service.as(root).post('/v1/trips')).status).toBe(204);
    const [event] = await receiver.arrival('trips.booked');
    expect(verify(endpoint.secret, event)).toMatchObject({ data: { account_id: root.id, seats: 2 } });
    expect(receiver.received).toHaveLength(1);
  });

  test('the list of deliveries shows that the certificate of the endpoint was not accepted', async () => {
    const received: unknown[] = [];
    const secure = createServer(certificate('127.0.0.1'), (req, res) => {
      received.push(req.url);
      res.end();
    });
    await once(secure.listen(0, '127.0.0.1'), 'listening');
    const { port } = secure.address() as AddressInfo;
    const endpoint = await create(['trips.booked'], `https://127.0.0.1:${port}/`);
    await sendTest(endpoint).expect(200);
    const [delivery] = await until(endpoint, ({ attempts }) => attempts === 1);
    expect(delivery).toMatchObject({ status: 'pending', response_status: null, error: 'certificate' });
    expect(received).toEqual([]);
    await new Promise((resolve) => secure.close(resolve));
  });

  test('an event is retried with the same ID and a new timestamp, and has failed after three days', async () => {
    const endpoint = await create(['trips.booked']);
    receiver.respond = (count) => (count === 1 ? 302 : 503);
    await sendTest(endpoint).expect(200);
    const [first] = await until(endpoint, ({ attempts }) => attempts === 1);
    expect(first).toMatchObject({ status: 'pending', response_status: 302, error: 'status' });
    // The first pause is 5 seconds with 20% jitter, and the tenth is 12 hours.
    const pause = async () =>
      (
        await service.sql(
          'SELECT extract(epoch FROM next_attempt_at - attempted_at)::float8 AS s FROM outgoing_delivery WHERE endpoint_id = $1',
          [endpoint.id],
        )
      )[0]?.s;
    expect(await pause()).toBeGreaterThanOrEqual(4);
    expect(await pause()).toBeLessThanOrEqual(6);
    await service.sql('UPDATE outgoing_delivery SET attempts = 9 WHERE endpoint_id = $1', [endpoint.id]);
    await makeDue(endpoint);
    await until(endpoint, ({ attempts }) => attempts === 10);
    expect(await pause()).toBeGreaterThanOrEqual(34_560);
    expect(await pause()).toBeLessThanOrEqual(51_840);
    await service.sql("UPDATE outgoing_delivery SET retry_until = now() - interval '1 second' WHERE endpoint_id = $1", [
      endpoint.id,
    ]);
    await makeDue(endpoint);
    const [last] = await until(endpoint, ({ status }) => status === 'failed');
    expect(last).toMatchObject({ attempts: 11, response_status: 503, error: 'status', next_attempt_at: null });
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    expect(receiver.received.map(({ path }) => path)).toEqual(['/events', '/events', '/events']);
    for (const event of receiver.received) verify(endpoint.secret, event);

    receiver.respond = () => 204;
    const since = new Date(Date.now() - 3_600_000).toISOString();
    const replayed = await service.as(root).post(`${ENDPOINTS}/${endpoint.id}/replay`, { since });
    expect([replayed.status, replayed.body]).toEqual([200, { replayed: 1, has_more: false }]);
    await until(endpoint, ({ status }) => status === 'delivered');
    const none = await service.as(root).post(`${ENDPOINTS}/${endpoint.id}/replay`, { since });
    expect(none.body).toEqual({ replayed: 0, has_more: false });
    await service.sql("UPDATE outgoing_delivery SET created_at = now() - interval '31 days'");
    await runCleanup(service);
    expect(await deliveriesOf(endpoint)).toEqual([]);
  });

  test('of 32 concurrent replays of a delivery, one succeeds', async () => {
    const endpoint = await create(['trips.booked']);
    await sendTest(endpoint).expect(200);
    const [sent] = await until(endpoint, ({ status }) => status === 'delivered');
    const path = `${ENDPOINTS}/${endpoint.id}/deliveries/${sent?.id}/replay`;
    let release = () => {};
    const held = new Promise<number>((resolve) => {
      release = () => resolve(204);
    });
    receiver.respond = () => held;
    const { statuses, codes } = await race(32, () => service.as(root).post(path));
    expect(statuses).toEqual({ 204: 1, 409: 31 });
    expect(codes).toEqual({ OUTGOING_DELIVERY_PENDING: 31 });
    release();
    await until(endpoint, ({ status }) => status === 'delivered');
    expect(receiver.received).toHaveLength(2);
    expect(receiver.received[1]?.headers['webhook-id']).toBe(receiver.received[0]?.headers['webhook-id']);
  });

  test('during a rotation, both secrets sign for 24 hours', async () => {
    const endpoint = await create(['trips.booked']);
    const rotated = (await service.as(root).post(`${ENDPOINTS}/${endpoint.id}/secret`).expect(200)).body;
    expect(rotated.secret).not.toBe(endpoint.secret);
    const left = Date.parse(rotated.previous_secret_expires_at) - Date.now();
    expect(Math.abs(left - 86_400_000)).toBeLessThan(60_000);
    await sendTest(endpoint).expect(200);
    const [both] = await receiver.arrival('outgoing_events.test');
    expect(verify(rotated.secret, both)).toEqual(verify(endpoint.secret, both));
    await service.sql('UPDATE outgoing_endpoint SET previous_secret_expires_at = now()');
    await sendTest(endpoint).expect(200);
    const later = (await receiver.arrival('outgoing_events.test', 2)).at(-1) as ReceivedEvent;
    verify(rotated.secret, later);
    expect(() => verify(endpoint.secret, later)).toThrow();
    const shown = await service.as(root).get(`${ENDPOINTS}/${endpoint.id}`);
    expect(shown.body).toMatchObject({ previous_secret_expires_at: null });
    expect(shown.body).not.toHaveProperty('secret');
    const [{ secret }] = (await service.sql('SELECT secret FROM outgoing_endpoint')) as [{ secret: Buffer }];
    expect(secret.toString('latin1')).not.toContain(rotated.secret);
  });

  test('410 disables the endpoint, and an administrator enables it again', async () => {
    const endpoint = await create(['trips.booked']);
    receiver.respond = () => 410;
    await sendTest(endpoint).expect(200);
    await eventually('the disabled endpoint', async () => {
      const { body } = await service.as(root).get(`${ENDPOINTS}/${endpoint.id}`);
      return body.is_disabled && body.disabled_by === 'receiver' ? body : undefined;
    });
    const [gone] = await until(endpoint, ({ status }) => status === 'failed');
    expect(gone).toMatchObject({ response_status: 410, error: 'gone', attempts: 1 });
    expectApiError(await sendTest(endpoint), 'OUTGOING_ENDPOINT_DISABLED');
    const path = `${ENDPOINTS}/${endpoint.id}/deliveries/${gone?.id}/replay`;
    expectApiError(await service.as(root).post(path), 'OUTGOING_ENDPOINT_DISABLED');
    expect((await service.as(root).post('/v1/trips')).status).toBe(204);
    expect(await deliveriesOf(endpoint)).toHaveLength(1);
    const enabled = await service.as(root).patch(`${ENDPOINTS}/${endpoint.id}`, { is_disabled: false });
    expect(enabled.body).toMatchObject({ is_disabled: false, disabled_by: null });
    receiver.respond = () => 200;
    expect((await service.as(root).post(path)).status).toBe(204);
    await until(endpoint, ({ status }) => status === 'delivered');
  });

  test('deliveries that wait have failed when an administrator disables the endpoint', async () => {
    const endpoint = await create(['trips.booked']);
    receiver.respond = () => 500;
    await sendTest(endpoint).expect(200);
    await until(endpoint, ({ attempts }) => attempts === 1);
    await service.as(root).patch(`${ENDPOINTS}/${endpoint.id}`, { is_disabled: true }).expect(200);
    expect(await deliveriesOf(endpoint)).toEqual([expect.objectContaining({ status: 'failed', error: 'disabled' })]);
  });

  test('a slow endpoint does not delay another one', async () => {
    const slow = await EventReceiver.start();
    let release = () => {};
    const held = new Promise<number>((resolve) => {
      release = () => resolve(204);
    });
    slow.respond = () => held;
    const ofSlow = await create(['trips.booked'], slow.url);
    const fast = await create(['trips.booked']);
    for (let sent = 0; sent < 6; sent++) expect((await service.as(root).post('/v1/trips')).status).toBe(204);
    await until(fast, ({ status }) => status === 'delivered');
    expect(receiver.of('trips.booked')).toHaveLength(6);
    expect((await deliveriesOf(ofSlow)).filter(({ status }) => status === 'delivered')).toEqual([]);
    release();
    await until(ofSlow, ({ status }) => status === 'delivered');
    expect(
      slow
        .of('trips.booked')
        .map(({ headers }) => headers['webhook-id'])
        .sort(),
    ).toEqual(
      receiver
        .of('trips.booked')
        .map(({ headers }) => headers['webhook-id'])
        .sort(),
    );
    await slow.stop();
  });
});

test('a receiver of the kit names the setting that a service needs, and creates no endpoint without it', () =>
  withGatehouse({}, async (own) => {
    const subscribed = receiver.subscribe(own, ['account.created']);
    await expect(subscribed).rejects.toThrow("Pass env: { OUTGOING_EVENTS_ALLOW_PRIVATE_ADDRESSES: 'true' }");
    expect(await own.sql('SELECT 1 FROM outgoing_endpoint')).toEqual([]);
  }));

describe('event endpoints in the Admin API', () => {
  test('are created up to a limit, listed, changed and deleted', async () => {
    const input = { url: receiver.url, event_types: ['account.created'], description: ' CRM ' };
    const { responses, statuses, codes } = await race(32, () => service.as(root).post(ENDPOINTS, input));
    expect(statuses).toEqual({ 200: 20, 400: 12 });
    expect(codes).toEqual({ MAX_EVENT_ENDPOINTS: 12 });
    const { body } = await service.as(root).get(ENDPOINTS);
    expect(body.event_endpoints).toHaveLength(20);
    const made = responses.find(({ status }) => status === 200)?.body;
    const { secret: _, ...view } = made;
    expect(view).toEqual({
      ...{ id: expect.any(String), url: receiver.url, description: 'CRM', event_types: ['account.created'] },
      ...{ is_disabled: false, disabled_by: null, created_at: expect.any(String), previous_secret_expires_at: null },
    });
    const path = `${ENDPOINTS}/${made.id}`;
    const types = ['session.ended', 'account.updated', 'session.ended'];
    const edited = await service.as(root).patch(path, { event_types: types, description: '' });
    expect(edited.body).toEqual({ ...view, description: '', event_types: ['account.updated', 'session.ended'] });
    expect((await service.as(root).delete(path)).status).toBe(204);
    for (const refused of [
      () => service.as(root).get(path),
      () => service.as(root).patch(path, {}),
      () => service.as(root).delete(path),
      () => service.as(root).post(`${path}/secret`),
      () => service.as(root).get(`${path}/deliveries`),
      () => service.as(root).post(`${path}/test`),
      () => service.as(root).post(`${path}/replay`, { since: '2026-01-01T00:00:00Z' }),
      () => service.as(root).post(`${path}/deliveries/1/replay`),
    ])
      expectApiError(await refused(), 'UNKNOWN_EVENT_ENDPOINT');
    const other = body.event_endpoints.find(({ id }: Endpoint) => id !== made.id);
    const unknown = await service.as(root).post(`${ENDPOINTS}/${other.id}/deliveries/1/replay`);
    expectApiError(unknown, 'UNKNOWN_EVENT_DELIVERY');
  });

  test('the list of deliveries is paged, newest first', async () => {
    const endpoint = await create(['trips.booked']);
    for (let sent = 0; sent < 3; sent++) await sendTest(endpoint).expect(200);
    const all = await until(endpoint, ({ status }) => status === 'delivered');
    expect(all.map(({ id }) => Number(id))).toEqual(all.map(({ id }) => Number(id)).sort((a, b) => b - a));
    const page = async (query: Record<string, string>) =>
      (await service.as(root).get(`${ENDPOINTS}/${endpoint.id}/deliveries`, { query })).body;
    expect(await page({ limit: '2' })).toEqual({ deliveries: all.slice(0, 2), has_more: true });
    expect(await page({ limit: '2', before: all[1]?.id as string })).toEqual({
      deliveries: all.slice(2),
      has_more: false,
    });
  });

  test('invalid URLs, unknown event types and empty lists are rejected', async () => {
    const valid = { url: receiver.url, event_types: ['account.created'] };
    const rejects = async (input: object, fault: string) =>
      expectInvalid(await service.as(root).post(ENDPOINTS, { ...valid, ...input }), fault);
    for (const url of ['ftp://a.example/', 'https://user@a.example/', 'https://a.example/#x', '/events'])
      await rejects({ url }, 'url: INVALID_URL_FORMAT');
    await rejects({ event_types: [] }, 'event_types: INVALID_FORMAT');
    await rejects({ event_types: ['account.created', 'account.lost'] }, 'event_types.1: INVALID_FORMAT');
    expect((await service.as(root).get(ENDPOINTS)).body.event_endpoints).toEqual([]);
  });

  test('without permission for private addresses, the URL must be public and use https', async () => {
    const strict = await gatehouse();
    const admin = strict.as(await superuser(strict));
    const event_types = ['account.created'];
    const plain = await admin.post(ENDPOINTS, { url: 'http://a.example/', event_types });
    expectInvalid(plain, 'url: INVALID_URL_FORMAT');
    const inside = await admin.post(ENDPOINTS, { url: 'https://127.0.0.1/', event_types });
    expectInvalid(inside, 'url: URL_NOT_PUBLICLY_ROUTABLE');
    expect((await admin.get(ENDPOINTS)).body.event_endpoints).toEqual([]);
    await strict.close();
  });
});

describe('types of outgoing events', () => {
  test('an extension starts only with the prefix of its feature, a text and a new name', async () => {
    const words = { 'en-US': 'A trip started.' };
    const config = loadConfig({ NODE_ENV: 'test', GATEHOUSE_SECRET: 'x'.repeat(44) });
    const starting = readRoutes(config, {
      features: [
        defineFeature('trips', {
          outgoingEvents: {
            'account.created': outgoingEvent(words),
            'journeys.started': outgoingEvent(words),
            'trips.silent': outgoingEvent(null),
            Trips: outgoingEvent(words),
          },
        }),
      ],
    });
    const { message } = await starting.then(
      () => new Error('the extension starts'),
      (error: Error) => error,
    );
    expect(
      message
        .split('\n')
        .slice(1)
        .map((line) => line.trim()),
    ).toEqual([
      'trips: the outgoing event "account.created" exists already in the feature outgoing_events. Rename it',
      'trips: the outgoing event "journeys.started" must start with trips.',
      'trips: the outgoing event "trips.silent" needs a text. Set it instead of null',
      'trips: the outgoing event "Trips" is not a valid name. Use words of lower-case letters, digits and _ with dots between them, such as notes.created',
    ]);
  });
});

describeOnPostgres('outgoing events of several replicas', () => {
  test('each event is delivered once', async () => {
    const databaseUrl = service.app.get(Config).databaseUrl ?? '';
    const second = await gatehouse({ env: { ...env, DATABASE_URL: databaseUrl }, features: [trips] });
    const endpoint = await create(['trips.booked']);
    await Promise.all(
      Array.from({ length: 30 }, (_, index) => (index % 2 ? second : service).as(root).post('/v1/trips')),
    );
    await until(endpoint, ({ status }) => status === 'delivered');
    await second.close();
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(30);
    expect(receiver.received).toHaveLength(30);
  });
});
