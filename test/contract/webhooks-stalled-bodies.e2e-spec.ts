import {
  type CreatedWebhook,
  Events,
  expectApiError,
  type Gatehouse,
  gatehouse,
  newWebhook,
  type Persona,
  person,
  RawConnection,
  race,
} from '../support/index.js';

let service: Gatehouse;
beforeAll(async () => {
  service = await gatehouse();
});
afterAll(() => service.close());

const JSON_TYPE = 'application/json';
const BOUNDARY = 'stalled';
const FORM = [
  ...[`--${BOUNDARY}`, 'content-disposition: form-data; name="payload_json"', '', '{"content":"late"}'],
  ...[
    `--${BOUNDARY}`,
    'content-disposition: form-data; name="files[0]"; filename="a.txt"',
    '',
    'late',
    `--${BOUNDARY}--`,
    '',
  ],
].join('\r\n');
const ISSUE = {
  ...{ action: 'opened', sender: { login: 'octocat' }, repository: { full_name: 'octocat/hello' } },
  issue: { number: 1, title: 'late' },
};

/** Every operation that reads a body and uses the webhook token: method, path below the webhook, body, content type. */
const OPERATIONS: readonly [string, string, string, string?][] = [
  ['POST', '', '{"content":"late"}'],
  ['POST', '', FORM, `multipart/form-data; boundary=${BOUNDARY}`],
  ['POST', '/slack', '{"text":"late"}'],
  ['POST', '/github', JSON.stringify(ISSUE)],
  ['PATCH', '', '{"name":"late"}'],
  ['PATCH', '/messages/:message', '{"content":"late"}'],
];

const flag = (owner: Persona, bit: number) =>
  service.sql('UPDATE account SET flags = flags | (1::bigint << $2) WHERE id = $1', [owner.id, bit]);

/** Every change after which the webhook token no longer works. */
const ENDS: readonly [string, (owner: Persona, hook: CreatedWebhook) => Promise<unknown>][] = [
  [
    'its token is rotated',
    async (owner, hook) => {
      const { status } = await service
        .as(owner)
        .post(`/v1/webhooks/${hook.id}/token/rotate`, { password: owner.password });
      expect(status).toBe(200);
    },
  ],
  [
    'it is deleted',
    async (owner, hook) => expect((await service.as(owner).delete(`/v1/webhooks/${hook.id}`)).status).toBe(204),
  ],
  ['its owner is disabled', (owner) => flag(owner, 38)],
  ['its owner is banned', ({ id }) => service.sql('UPDATE account SET banned = true WHERE id = $1', [id])],
  [
    'its owner is scheduled for deletion',
    ({ id }) => service.sql("UPDATE account SET deletion_at = now() + interval '1 day' WHERE id = $1", [id]),
  ],
];

const stateOf = (hook: CreatedWebhook) =>
  Promise.all([
    service.sql('SELECT name, avatar FROM webhook WHERE id = $1', [hook.id]),
    service.sql('SELECT content, edited_at FROM webhook_message WHERE webhook_id = $1 ORDER BY id', [hook.id]),
    service.sql('SELECT 1 FROM webhook_repeat WHERE webhook_id = $1', [hook.id]),
    service.sql('SELECT 1 FROM media_object WHERE owner_id = $1', [hook.id]),
  ]);

describe.each(ENDS)('webhooks.md section 3: a body that is still being sent when %s', (_, end) => {
  test.each(OPERATIONS)('%s %s changes nothing', async (method, path, body, type = JSON_TYPE) => {
    const owner = await person(service);
    const hook = await newWebhook(service, owner);
    const { body: message } = await service.anonymous.post(`${hook.path}?wait=true`, { content: 'early' });
    const connection = await RawConnection.open(service);
    const head = [
      `${method} ${hook.path}${path.replace(':message', message.id)} HTTP/1.1`,
      ...['host: localhost', `content-type: ${type}`, `content-length: ${Buffer.byteLength(body)}`],
      ...['x-github-event: issues', 'x-github-delivery: late', 'expect: 100-continue', '', ''],
    ];
    connection.send(head.join('\r\n'));
    // The token was valid, so the service asks for the body.
    expect((await connection.readResponse()).status).toBe(100);

    await end(owner, hook);
    const before = await stateOf(hook);
    const events = new Events(service);
    connection.send(body);
    const response = await connection.readResponse();
    expect([response.status, response.body]).toEqual([404, expect.objectContaining({ code: 'UNKNOWN_WEBHOOK' })]);
    expect(await stateOf(hook)).toEqual(before);
    expect(events.of(owner)).toEqual([]);
    connection.close();
  });
});

test('webhooks.md section 2: no message concurrent with a rotation is stored after it', async () => {
  const owner = await person(service);
  const hook = await newWebhook(service, owner);
  let rotated: Promise<unknown> | undefined;
  const { responses } = await race(32, (n) => {
    if (n === 16) {
      rotated = service
        .as(owner)
        .post(`/v1/webhooks/${hook.id}/token/rotate`, { password: owner.password })
        .then(async ({ status }) => {
          expect(status).toBe(200);
          return service.sql('SELECT id FROM webhook_message WHERE webhook_id = $1', [hook.id]);
        });
    }
    return service.anonymous.post(hook.path, { content: String(n) });
  });
  const atRotation = (await rotated) as unknown[];
  for (const { status } of responses) expect([204, 404]).toContain(status);
  expect(await service.sql('SELECT id FROM webhook_message WHERE webhook_id = $1', [hook.id])).toHaveLength(
    atRotation.length,
  );
  expectApiError(await service.anonymous.post(hook.path, { content: 'x' }), 'UNKNOWN_WEBHOOK');
});
