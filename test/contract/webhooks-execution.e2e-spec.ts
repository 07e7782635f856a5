import { GatewayClient } from '../support/gateway-client.js';
import {
  type CreatedWebhook,
  Events,
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  newWebhook,
  type Persona,
  person,
  race,
} from '../support/index.js';

let service: Gatehouse;
let alice: Persona;
let hook: CreatedWebhook;
beforeAll(async () => {
  service = await gatehouse();
  alice = await person(service, 'alice');
  hook = await newWebhook(service, alice, { name: 'Robot' });
});
afterAll(() => service.close());

const send = (body: unknown, query = '') => service.anonymous.post(`${hook.path}${query}`, body);
const sent = async (body: unknown) => {
  const response = await send(body, '?wait=true');
  expect({ status: response.status, body: response.body }).toEqual({ status: 200, body: expect.any(Object) });
  return response.body;
};
const stored = async () => (await service.sql('SELECT count(*)::int AS n FROM webhook_message'))[0]?.n;

describe('webhooks.md 4.1, request', () => {
  test('without wait 204, with wait the message', async () => {
    for (const query of ['', '?wait=false', '?wait=TRUE', '?wait=yes', '?wait=', '?wait=1&wait=0']) {
      const response = await send({ content: 'x' }, query);
      expect([query, response.status, response.text]).toEqual([query, 204, '']);
      expect(response.headers.has('content-type')).toBe(false);
    }
    for (const query of ['?wait=true', '?wait=True', '?wait=1']) {
      expect((await send({ content: 'x' }, query)).status).toBe(200);
    }
  });

  test('a message has every member, and the name at the time of sending', async () => {
    const body = await sent({ content: 'hello' });
    expect(body).toEqual({
      id: expect.stringMatching(/^\d+$/),
      webhook_id: hook.id,
      application_id: null,
      type: 0,
      author: {
        ...{ id: hook.id, username: 'Robot', discriminator: '0000', avatar: null, avatar_url: null },
        ...{ bot: true, flags: 0 },
      },
      content: 'hello',
      embeds: [],
      attachments: [],
      flags: 0,
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      edited_timestamp: null,
    });
    await service.as(alice).patch(`/v1/webhooks/${hook.id}`, { name: 'Renamed' });
    const path = `${hook.path}/messages/${body.id}`;
    expect((await service.anonymous.get(path)).body).toEqual(body);
    await service.as(alice).patch(`/v1/webhooks/${hook.id}`, { name: 'Robot' });
  });

  test('name, avatar and flags of one message', async () => {
    const body = await sent({
      content: 'x',
      username: 'Another',
      avatar_url: 'https://images.example.com/a.png',
      flags: 2 ** 40 + 4 + 4096 + 1,
      unknown: 'is stripped',
    });
    expect(body).toMatchObject({ author: { username: 'Another' }, flags: 4 + 4096 });
    expect(body.author.avatar_url).toMatch(/^http:\/\/localhost:8080\/media\/external\/[\w-]{43}\/v2\/[\w-]+$/);
    expect(body).not.toHaveProperty('unknown');
  });

  test.each(['http://127.0.0.1/a.png', 'http://localhost/a.png', 'https://u:p@example.com/', 'https://[::1]/a'])(
    'the avatar %s violates the target rules and is dropped silently',
    async (avatar_url) => expect((await sent({ content: 'x', avatar_url })).author.avatar_url).toBeNull(),
  );

  test('null counts as absent if allowed, and an empty string stays one', async () => {
    const body = await sent({
      content: null,
      username: null,
      avatar_url: null,
      embeds: [{ title: 't', url: undefined }],
    });
    expect(body).toMatchObject({ content: '', author: { username: 'Robot', avatar_url: null } });
    expect((await sent({ content: '', embeds: [{ title: 't', description: '' }] })).embeds).toEqual([
      { title: 't', description: '' },
    ]);
  });

  test('content of 4000 code points is accepted, one more is rejected', async () => {
    expect((await sent({ content: '𝒳'.repeat(4000) })).content).toHaveLength(8000);
    expectInvalid(await send({ content: '𝒳'.repeat(4001) }), 'content: CONTENT_EXCEEDS_MAX_LENGTH');
  });

  test('other bodies: form 415, text 415, too large 413, invalid JSON 400; blank ones count as {}', async () => {
    const raw = (body: string, type: string) =>
      service.anonymous.post(hook.path, new TextEncoder().encode(body), { headers: { 'content-type': type } });
    expectApiError(await raw('content=x', 'application/x-www-form-urlencoded'), 'UNSUPPORTED_MEDIA_TYPE');
    expectApiError(await raw('{"content":"x"}', 'text/plain'), 'UNSUPPORTED_MEDIA_TYPE');
    const gzip = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    expectApiError(
      await service.anonymous.post(hook.path, new Uint8Array(3), { headers: gzip }),
      'UNSUPPORTED_MEDIA_TYPE',
    );
    expectApiError(await send({ content: 'x'.repeat(256 * 1024) }), 'PAYLOAD_TOO_LARGE');
    expectInvalid(await raw('{"content"', 'application/json'), 'body: INVALID_FORMAT');
    expectInvalid(await raw('[]', 'application/json'), 'body: INVALID_FORMAT');
    expectInvalid(await raw('{"__proto__": {}}', 'application/json'), 'body: INVALID_FORMAT');
    for (const blank of ['', ' \n ']) expectApiError(await raw(blank, 'application/json'), 'CANNOT_SEND_EMPTY_MESSAGE');
    expectApiError(await service.anonymous.post(hook.path), 'CANNOT_SEND_EMPTY_MESSAGE');
  });
});

describe('webhooks.md 4.1, nonce', () => {
  test.each(['abc', 7, '7', 0, 'n'.repeat(32)])(
    'a repeat of %j returns the first message and creates nothing',
    async (nonce) => {
      const events = new Events(service);
      const first = await sent({ content: 'first', nonce });
      const before = await stored();
      expect(first.nonce).toBe(nonce);
      expect(await sent({ content: 'second', nonce })).toEqual(first);
      expect((await send({ content: 'third', nonce })).status).toBe(204);
      expect(await stored()).toBe(before);
      expect(events.of(alice)).toEqual(['WEBHOOK_MESSAGE_CREATE']);
    },
  );

  test('32 parallel repeats create one message', async () => {
    const events = new Events(service);
    const before = await stored();
    const responses = await Promise.all(
      Array.from({ length: 32 }, (_, n) => send({ content: `parallel ${n}`, nonce: 'race' }, '?wait=1')),
    );
    for (const response of responses) expect(response).toMatchObject({ status: 200, body: responses[0]?.body });
    expect(await stored()).toBe(before + 1);
    expect(events.of(alice)).toEqual(['WEBHOOK_MESSAGE_CREATE']);
  });

  test('is remembered for 5 minutes, per webhook', async () => {
    const first = await sent({ content: 'x', nonce: 'five' });
    const [row] = await service.sql(
      'SELECT extract(epoch FROM expires_at - now())::float AS life FROM webhook_repeat WHERE value = \'"five"\'',
    );
    expect(row?.life).toBeGreaterThan(280);
    expect(row?.life).toBeLessThanOrEqual(300);
    const other = await newWebhook(service, alice);
    const elsewhere = await service.anonymous.post(`${other.path}?wait=1`, { content: 'x', nonce: 'five' });
    expect(elsewhere.body.webhook_id).toBe(other.id);
    await service.sql("UPDATE webhook_repeat SET expires_at = expires_at - interval '5 minutes'");
    expect((await sent({ content: 'x', nonce: 'five' })).id).not.toBe(first.id);
  });

  test('a repeat of a message that was deleted does not create it again', async () => {
    const { id } = await sent({ content: 'x', nonce: 'gone' });
    await service.anonymous.delete(`${hook.path}/messages/${id}`);
    const before = await stored();
    expectApiError(await send({ content: 'x', nonce: 'gone' }, '?wait=1'), 'UNKNOWN_MESSAGE');
    expect(await stored()).toBe(before);
  });

  test('a failed message does not consume its nonce', async () => {
    expectApiError(await send({ content: ' ', nonce: 'unused' }), 'CANNOT_SEND_EMPTY_MESSAGE');
    expect((await send({ content: 'x', nonce: 'unused' })).status).toBe(204);
  });
});

describe('webhooks.md 4.2, embeds', () => {
  const picture = 'https://images.example.com/p.png';

  test('a complete embed is returned, with a signed URL for every image', async () => {
    const embed = {
      title: 'Title',
      description: 'Text',
      url: 'https://example.com/',
      color: 16777215,
      timestamp: '2026-01-02T03:04:05Z',
      footer: { text: 'Footer', icon_url: picture },
      author: { name: 'Author', url: 'https://example.com/', icon_url: picture },
      image: { url: picture },
      thumbnail: { url: picture },
      fields: [
        { name: 'a', value: 'b', inline: true },
        { name: 'c', value: 'd' },
      ],
      unknown: 1,
    };
    const proxy = expect.stringMatching(/\/media\/external\/[\w-]{43}\/v2\//);
    expect((await sent({ embeds: [embed] })).embeds).toEqual([
      {
        title: 'Title',
        description: 'Text',
        url: 'https://example.com/',
        color: 16777215,
        timestamp: '2026-01-02T03:04:05.000Z',
        footer: { text: 'Footer', icon_url: picture, proxy_icon_url: proxy },
        author: { name: 'Author', url: 'https://example.com/', icon_url: picture, proxy_icon_url: proxy },
        image: { url: picture, proxy_url: proxy },
        thumbnail: { url: picture, proxy_url: proxy },
        fields: [
          { name: 'a', value: 'b', inline: true },
          { name: 'c', value: 'd', inline: false },
        ],
      },
    ]);
  });

  test('February 29 is a valid date in a leap year', async () => {
    for (const day of ['2024-02-29', '2000-02-29', '2026-02-28']) {
      const [embed] = (await sent({ embeds: [{ title: 't', timestamp: `${day}T00:00:00Z` }] })).embeds;
      expect(embed).toEqual({ title: 't', timestamp: `${day}T00:00:00.000Z` });
    }
  });

  test('null in a member of an embed or of a message counts as absent', async () => {
    const none = {
      title: null,
      description: null,
      url: null,
      color: null,
      timestamp: null,
      footer: null,
      author: null,
    };
    const nothing = { ...none, image: null, thumbnail: null, fields: null };
    const message = { content: 'x', flags: null, nonce: null, username: null, avatar_url: null, embed: null };
    expect(await sent({ ...message, embeds: [{ ...nothing, title: 't' }] })).toMatchObject({
      ...{ content: 'x', embeds: [{ title: 't' }], flags: 0 },
    });
    for (const name of Object.keys(nothing)) {
      const embed = { title: 't', description: 'd', [name]: null };
      const { [name]: _, ...rest } = embed;
      expect([name, (await sent({ embeds: [embed] })).embeds]).toEqual([name, [rest]]);
    }
    const parts = {
      ...{ footer: { text: 'f', icon_url: null }, author: { name: 'a', url: null, icon_url: null } },
      ...{ image: { url: null }, thumbnail: { url: null }, fields: [{ name: 'n', value: 'v', inline: null }] },
    };
    expect((await sent({ embeds: [parts] })).embeds).toEqual([
      { footer: { text: 'f' }, author: { name: 'a' }, fields: [{ name: 'n', value: 'v', inline: false }] },
    ]);
  });

  test('a single embed counts if embeds is absent, and is ignored otherwise', async () => {
    expect((await sent({ embed: { title: 'one' } })).embeds).toEqual([{ title: 'one' }]);
    expect((await sent({ embed: { title: 'one' }, embeds: [{ title: 'two' }] })).embeds).toEqual([{ title: 'two' }]);
    expectApiError(await send({ embed: { title: 'one' }, embeds: null }), 'CANNOT_SEND_EMPTY_MESSAGE');
  });

  test.each<[string, unknown]>([
    ['a color beyond white', { title: 't', color: 16777216 }],
    ['a color that is text', { title: 't', color: '1' }],
    ['a time that is none', { title: 't', timestamp: 'yesterday' }],
    ...[
      ...['2026-13-01T00:00:00Z', '2026-02-29T00:00:00Z', '2026-02-30T12:00:00+02:00', '2026-04-31T00:00Z'],
      ...['2026-00-10T00:00:00Z', '2026-01-00T00:00:00Z', '2026-01-32T00:00:00Z', '2100-02-29T00:00:00Z'],
      ...['2026-01-01T25:00:00Z', '2026-01-01T00:60:00Z', '2026-01-01T00:00:00+24:00', '9999-12-31T23:59:59-12:00'],
    ].map((timestamp): [string, unknown] => [`the time ${timestamp}`, { title: 't', timestamp }]),
    ['a script as URL', { title: 't', url: 'javascript:alert(1)' }],
    ['a picture without URL', { title: 't', image: {} }],
    ['a picture on disk', { title: 't', image: { url: 'file:///etc/passwd' } }],
    ['a footer that is text', { title: 't', footer: 'x' }],
    ['a field without value', { title: 't', fields: [{ name: 'x' }] }],
    ['a field without a name to see', { title: 't', fields: [{ name: '', value: 'x' }] }],
    ['fields that are no list', { title: 't', fields: {} }],
    ['a title that is null', { title: null }],
    ['NUL', { title: 'a\u0000' }],
    ['half a character', { title: '\ud800' }],
    ['nothing to see', { color: 5, url: 'https://example.com/' }],
    ['nothing', {}],
    ['a text', 'x'],
    ['null', null],
  ])('%s is not a valid embed', async (_, embed) => {
    const before = await stored();
    expectInvalid(await send({ content: 'x', embeds: [embed] }), 'message_data: INVALID_MESSAGE_DATA');
    expect(await stored()).toBe(before);
  });
});

describe('webhooks.md 4.3, outcome', () => {
  test.each([{}, { content: '' }, { content: ' \n\t' }, { embeds: [] }, { username: 'x' }])(
    '%j has nothing to send',
    async (body) => expectApiError(await send(body), 'CANNOT_SEND_EMPTY_MESSAGE'),
  );

  test('any number of members of invalid type or form gives one element', async () => {
    expectInvalid(
      await send({
        content: 5,
        embeds: 'x',
        username: '',
        avatar_url: 'nonsense',
        flags: -1,
        nonce: {},
        attachments: 1,
      }),
      'message_data: INVALID_MESSAGE_DATA',
    );
    for (const body of [
      { nonce: '' },
      { nonce: 'x'.repeat(0) },
      { nonce: 1.5 },
      { nonce: 2 ** 53 },
      { flags: '4' },
      { content: 'a\u0000' },
    ]) {
      expectInvalid(await send({ content: 'x', ...body }), 'message_data: INVALID_MESSAGE_DATA');
    }
  });

  test('several exceeded limits are all listed', async () => {
    const embeds = Array.from({ length: 11 }, () => ({ title: 'x'.repeat(257), description: 'x'.repeat(600) }));
    expectInvalid(
      await send({ content: 'x'.repeat(4001), embeds, username: 'x'.repeat(81), nonce: 'n'.repeat(33) }),
      'content: CONTENT_EXCEEDS_MAX_LENGTH',
      'embeds: TOO_MANY_EMBEDS',
      ...embeds.map((_, n) => `embeds.${n}.title: CONTENT_EXCEEDS_MAX_LENGTH`),
      'embeds: CONTENT_EXCEEDS_MAX_LENGTH',
      'username: CONTENT_EXCEEDS_MAX_LENGTH',
      'nonce: CONTENT_EXCEEDS_MAX_LENGTH',
    );
    expectInvalid(
      await send({ content: 'x'.repeat(4001), flags: 'wrong form comes first' }),
      'message_data: INVALID_MESSAGE_DATA',
    );
  });

  test.each<[string, object]>([
    ['embeds.0.description', { description: 'x'.repeat(4097) }],
    ['embeds.0.url', { title: 't', url: `https://example.com/${'x'.repeat(2048)}` }],
    ['embeds.0.footer.text', { footer: { text: 'x'.repeat(2049) } }],
    ['embeds.0.author.name', { author: { name: 'x'.repeat(257) } }],
    ['embeds.0.fields.0.name', { fields: [{ name: 'x'.repeat(257), value: 'x' }] }],
    ['embeds.0.fields.0.value', { fields: [{ name: 'x', value: 'x'.repeat(1025) }] }],
  ])('%s has its own limit', async (path, embed) => {
    expectInvalid(await send({ embeds: [embed] }), `${path}: CONTENT_EXCEEDS_MAX_LENGTH`);
  });

  test('all text of all embeds together has at most 6000 code points', async () => {
    const embeds = [{ description: 'x'.repeat(4000) }, { description: 'x'.repeat(2000) }];
    expect((await send({ embeds })).status).toBe(204);
    expectInvalid(await send({ embeds: [...embeds, { title: 'x' }] }), 'embeds: CONTENT_EXCEEDS_MAX_LENGTH');
  });

  test('the message is sent to the gateway sessions of the owner, at any size', async () => {
    const { client } = await GatewayClient.identify(service, alice.authorization);
    const small = await sent({ content: 'for the gateway' });
    let event = await client.event('WEBHOOK_MESSAGE_CREATE');
    // A message of an earlier test may still arrive.
    while (event.d.id < small.id) event = await client.event('WEBHOOK_MESSAGE_CREATE');
    expect(event.d).toEqual(small);
    const large = await sent({ content: '𝒳'.repeat(4000), embeds: [{ description: '𝒳'.repeat(4000) }] });
    expect((await client.event('WEBHOOK_MESSAGE_CREATE')).d).toEqual(large);
    const path = `${hook.path}/messages/${small.id}`;
    const edited = (await service.anonymous.patch(path, { content: 'edited' })).body;
    expect((await client.event('WEBHOOK_MESSAGE_UPDATE')).d).toEqual(edited);
    await service.anonymous.delete(path);
    expect((await client.event('WEBHOOK_MESSAGE_DELETE')).d).toEqual({ id: small.id, webhook_id: hook.id });
    client.socket.terminate();
  });
});

describe('webhooks.md section 5, messages of a webhook', () => {
  const at = ({ id }: { id: string }, path = hook.path) => `${path}/messages/${id}`;

  test('an edit replaces the sent members and keeps the rest', async () => {
    const message = await sent({ content: 'one', embeds: [{ title: 't' }], flags: 4, nonce: 'edit' });
    const edit = async (body: object) => {
      const { status, body: edited } = await service.anonymous.patch(at(message), body);
      expect(status).toBe(200);
      return edited;
    };
    expect(await edit({ content: 'two' })).toEqual({
      ...{ ...message, content: 'two' },
      edited_timestamp: expect.stringMatching(/Z$/),
    });
    expect(await edit({ flags: 0 })).toMatchObject({ content: 'two', embeds: [{ title: 't' }], flags: 0 });
    expect(await edit({ content: null, embeds: [{ title: 'u' }] })).toMatchObject({
      content: '',
      embeds: [{ title: 'u' }],
    });
    expect((await service.anonymous.get(at(message))).body).toMatchObject({ embeds: [{ title: 'u' }], nonce: 'edit' });
  });

  test('an edit without members, or with no visible content left, is rejected and changes nothing', async () => {
    const message = await sent({ content: 'stays' });
    for (const body of [{}, { username: 'x' }, { content: '' }, { content: ' ' }, { content: null }]) {
      expectApiError(await service.anonymous.patch(at(message), body), 'CANNOT_SEND_EMPTY_MESSAGE');
    }
    expectInvalid(await service.anonymous.patch(at(message), { content: 5 }), 'message_data: INVALID_MESSAGE_DATA');
    expectInvalid(
      await service.anonymous.patch(at(message), { content: 'x'.repeat(4001) }),
      'content: CONTENT_EXCEEDS_MAX_LENGTH',
    );
    expect((await service.anonymous.get(at(message))).body).toEqual(message);
  });

  test('a message is looked up by webhook and id together', async () => {
    const message = await sent({ content: 'mine' });
    const other = await newWebhook(service, alice);
    const unknown = { id: '1' };
    for (const path of [at(message, other.path), at(unknown)]) {
      expectApiError(await service.anonymous.get(path), 'UNKNOWN_MESSAGE');
      expectApiError(await service.anonymous.patch(path, { content: 'x' }), 'UNKNOWN_MESSAGE');
      expectApiError(await service.anonymous.delete(path), 'UNKNOWN_MESSAGE');
    }
    expectInvalid(await service.anonymous.get(at({ id: 'x' })), 'message_id: INVALID_SNOWFLAKE_FORMAT');
    expect((await service.anonymous.get(at(message))).body).toEqual(message);
  });

  test('of 32 parallel deletions, exactly one succeeds', async () => {
    const message = await sent({ content: 'x' });
    const { responses } = await race(32, () => service.anonymous.delete(at(message)));
    expect(responses.filter(({ status }) => status === 204)).toHaveLength(1);
    for (const response of responses.filter(({ status }) => status !== 204))
      expectApiError(response, 'UNKNOWN_MESSAGE');
  });

  test('messages sent during the deletion of their webhook are stored or rejected, without errors', async () => {
    const doomed = await newWebhook(service, alice);
    const responses = await Promise.all([
      ...Array.from({ length: 16 }, () => service.anonymous.post(doomed.path, { content: 'x' })),
      service.as(alice).delete(`/v1/webhooks/${doomed.id}`),
      ...Array.from({ length: 16 }, () => service.anonymous.post(doomed.path, { content: 'x' })),
    ]);
    for (const { status } of responses) expect([204, 404]).toContain(status);
    expect(await service.sql('SELECT 1 FROM webhook_message WHERE webhook_id = $1', [doomed.id])).toEqual([]);
  });
});
