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
  withGatehouse,
} from '../support/index.js';

let service: Gatehouse;
let alice: Persona;
let hook: CreatedWebhook;
beforeAll(async () => {
  service = await gatehouse({ env: { WEBHOOK_MAX_PER_ACCOUNT: '1000' } });
  alice = await person(service, 'alice');
});
beforeEach(async () => {
  hook = await newWebhook(service, alice, { name: 'Robot' });
});
afterAll(() => service.close());

const received = async (of = hook) => (await service.as(alice).get(`/v1/webhooks/${of.id}/messages`)).body;
/** Asserts that a request was rejected or ignored without any effect. */
async function withoutEffect(work: () => Promise<void>): Promise<void> {
  const events = new Events(service);
  await work();
  expect(await received()).toEqual([]);
  expect(await service.sql('SELECT 1 FROM webhook_repeat WHERE webhook_id = $1', [hook.id])).toEqual([]);
  expect(events.of(alice)).toEqual([]);
}
const proxied = expect.stringMatching(/\/media\/external\/[\w-]{43}\/v2\//);

describe('webhooks.md section 6, slack', () => {
  const slack = (body: unknown, path = `${hook.path}/slack`) => service.anonymous.post(path, body);
  const one = async (body: unknown) => {
    const response = await slack(body);
    expect({ status: response.status, text: response.text }).toEqual({ status: 200, text: 'ok' });
    const messages = await received();
    expect(messages).toHaveLength(1);
    return messages[0];
  };

  test('returns ok as text, and text is the content', async () => {
    const response = await slack({ text: 'Hello from *Slack*' });
    expect([response.status, response.text, response.headers.get('content-type')]).toEqual([
      ...[200, 'ok', 'text/html; charset=utf-8'],
    ]);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await received()).toMatchObject([
      { content: 'Hello from *Slack*', embeds: [], author: { username: 'Robot' } },
    ]);
  });

  test('an attachment in the form of a monitoring service becomes an embed', async () => {
    const message = await one({
      channel: '#ops',
      username: 'monitor',
      icon_url: 'https://images.example.com/icon.png',
      text: 'Alert',
      attachments: [
        {
          fallback: 'Disk is full',
          color: '#D00000',
          pretext: 'Attention',
          author_name: 'Probe',
          author_link: 'https://probe.example.com/',
          author_icon: 'https://images.example.com/probe.png',
          title: 'Disk is full',
          title_link: 'https://probe.example.com/42',
          text: '/dev/sda1 at 99 %',
          fields: [
            { title: 'Priority', value: 'High', short: true },
            { title: '', value: 'no title', short: false },
          ],
          image_url: 'https://images.example.com/graph.png',
          thumb_url: 'https://images.example.com/thumb.png',
          footer: 'Monitor 1.0',
          footer_icon: 'https://images.example.com/footer.png',
          ts: 1767323045,
          mrkdwn_in: ['text'],
        },
      ],
    });
    expect(message).toMatchObject({ content: 'Alert', author: { username: 'monitor', avatar_url: proxied } });
    expect(message.embeds).toEqual([
      {
        title: 'Disk is full',
        description: 'Attention\n/dev/sda1 at 99 %',
        url: 'https://probe.example.com/42',
        color: 0xd00000,
        timestamp: '2026-01-02T03:04:05.000Z',
        footer: { text: 'Monitor 1.0' },
        author: {
          ...{ name: 'Probe', url: 'https://probe.example.com/' },
          ...{ icon_url: 'https://images.example.com/probe.png', proxy_icon_url: proxied },
        },
        image: { url: 'https://images.example.com/graph.png', proxy_url: proxied },
        thumbnail: { url: 'https://images.example.com/thumb.png', proxy_url: proxied },
        fields: [
          { name: 'Priority', value: 'High', inline: true },
          { name: '\u200b', value: 'no title', inline: false },
        ],
      },
    ]);
  });

  test.each<[object, object]>([
    [{ pretext: 'a' }, { description: 'a' }],
    [{ text: 'b' }, { description: 'b' }],
    [{ pretext: 'a', text: '', fallback: 'c' }, { description: 'a' }],
    [{ fallback: 'c' }, { description: 'c' }],
    [{ text: null, fallback: 'c' }, { description: 'c' }],
    [
      { title: 't', color: 'ff8000' },
      { title: 't', color: 0xff8000 },
    ],
    [{ title: 't', color: 'good' }, { title: 't' }],
    [{ title: 't', color: '#fff' }, { title: 't' }],
    [{ title: 't', color: 16711680 }, { title: 't' }],
    [{ title: 't', title_link: 'javascript:alert(1)' }, { title: 't' }],
    [{ title: 't', image_url: 'nonsense', thumb_url: 'file:///etc/passwd' }, { title: 't' }],
    [{ title: 't', image_url: `https://images.example.com/${'x'.repeat(2048)}` }, { title: 't' }],
    [{ title: 't', author_link: 'https://a.example.com/' }, { title: 't' }],
    [
      { title: 't', author_name: 'n', author_icon: 'nonsense' },
      { title: 't', author: { name: 'n' } },
    ],
    [
      { title: 't', ts: '1767323045.5' },
      { title: 't', timestamp: '2026-01-02T03:04:05.500Z' },
    ],
    [{ title: 't', ts: 'yesterday' }, { title: 't' }],
    [{ title: 't', ts: -1 }, { title: 't' }],
    [
      { title: 't', fields: [] },
      { title: 't', fields: [] },
    ],
  ])('%j is rendered as %j', async (attachment, embed) => {
    expect((await one({ attachments: [attachment] })).embeds).toEqual([embed]);
  });

  const odd = [null, '', 5, 0, true, false];
  const shown = (value: unknown) => (value === null || value === '' ? undefined : String(value));

  test.each(odd)('an optional member with %j counts as absent or as its text', async (value) => {
    const names = ['fallback', 'pretext', 'text', 'color', 'title_link', 'ts', 'author_link', 'author_icon'];
    const more = ['footer', 'image_url', 'thumb_url', 'mrkdwn_in', 'actions', 'fields'];
    const all = Object.fromEntries([...names, ...more].map((name) => [name, value]));
    const top = { username: value, icon_url: value, channel: value, attachments: [{ ...all, title: 't' }] };
    const message = await one({ ...top, text: 'Alert' });
    expect(message).toMatchObject({
      content: 'Alert',
      author: { username: shown(value) ?? 'Robot', avatar_url: null },
    });
    const [{ timestamp: _, ...embed }] = message.embeds;
    const text = shown(value);
    expect(embed).toEqual(
      text === undefined ? { title: 't' } : { title: 't', description: `${text}\n${text}`, footer: { text } },
    );
  });

  test.each(odd)('a field whose title or value is %j is still shown', async (value) => {
    const fields = [{ title: 'Load', value }, { title: value, value: 'High' }, { title: value, value }, value];
    const [embed] = (await one({ attachments: [{ title: value, fields }, value] })).embeds;
    const [text, blank] = [shown(value), '\u200b'];
    expect(embed).toEqual({
      ...(text === undefined ? {} : { title: text }),
      fields: [
        { name: 'Load', value: text ?? blank, inline: false },
        { name: text ?? blank, value: 'High', inline: false },
        ...(text === undefined ? [] : [{ name: text, value: text, inline: false }]),
      ],
    });
  });

  test.each(odd)('attachments with %j are ignored', async (attachments) => {
    expect((await one({ text: 'x', attachments })).embeds).toEqual([]);
  });

  test('a number as text is the content', async () => {
    expect((await one({ text: 42 })).content).toBe('42');
  });

  test('a body may have 100,000 members and elements', async () => {
    const blocks = (count: number) => ({ text: 'x', blocks: Array(count).fill(0) });
    expect((await one(blocks(99_998))).content).toBe('x');
    expectInvalid(await slack(blocks(100_000)), 'body: INVALID_FORMAT');
    expect(await received()).toHaveLength(1);
  });

  test('an invalid icon is dropped, and so are attachments without visible content', async () => {
    const message = await one({
      text: 'x',
      icon_url: 'nonsense',
      attachments: [{ color: '#ff0000' }, {}, { title: 't' }, { actions: [] }],
    });
    expect(message).toMatchObject({ author: { avatar_url: null }, embeds: [{ title: 't' }] });
  });

  test.each([
    {},
    { text: '' },
    { text: '  ' },
    { attachments: [] },
    { attachments: [{}] },
    { attachments: [{ color: 'x' }] },
  ])('%j produces nothing', async (body) =>
    withoutEffect(async () => expectApiError(await slack(body), 'CANNOT_SEND_EMPTY_MESSAGE')),
  );

  test.each<[unknown, string]>([
    [{ text: 'x'.repeat(4001) }, 'text: CONTENT_EXCEEDS_MAX_LENGTH'],
    [{ text: 'x', attachments: [{ title: 'x'.repeat(257) }] }, 'attachments.0.title: CONTENT_EXCEEDS_MAX_LENGTH'],
    [{ text: 'x', username: 'x'.repeat(81) }, 'username: CONTENT_EXCEEDS_MAX_LENGTH'],
    [{ attachments: Array(11).fill({ title: 't' }) }, 'attachments: TOO_MANY_EMBEDS'],
    [{ text: {} }, 'message_data: INVALID_MESSAGE_DATA'],
    [{ text: 'x', username: [] }, 'message_data: INVALID_MESSAGE_DATA'],
    [{ text: 'x', attachments: {} }, 'message_data: INVALID_MESSAGE_DATA'],
    [{ text: 'x', attachments: [[]] }, 'message_data: INVALID_MESSAGE_DATA'],
    [{ text: 'x', attachments: [{ text: {} }] }, 'message_data: INVALID_MESSAGE_DATA'],
    [
      { text: 'x', attachments: [{ title: 't', fields: [{ title: 'a', value: {} }] }] },
      'message_data: INVALID_MESSAGE_DATA',
    ],
    [[], 'body: INVALID_FORMAT'],
  ])('body %# is rejected', async (body, fault) => {
    await withoutEffect(async () => expectInvalid(await slack(body), fault));
  });

  test('JSON only, of at most 256 KiB, for a webhook that exists', async () => {
    await withoutEffect(async () => {
      const form = { headers: { 'content-type': 'application/x-www-form-urlencoded' } };
      const payload = new TextEncoder().encode('payload=%7B%22text%22%3A%22x%22%7D');
      expectApiError(await service.anonymous.post(`${hook.path}/slack`, payload, form), 'UNSUPPORTED_MEDIA_TYPE');
      expectApiError(await slack({ text: 'x'.repeat(256 * 1024) }), 'PAYLOAD_TOO_LARGE');
      expectApiError(await slack({ text: 'x' }, `${hook.path}x/slack`), 'UNKNOWN_WEBHOOK');
    });
  });
});

/** Payloads as documented by GitHub, reduced to some of their fields. */
const sender = { login: 'octocat', id: 1, avatar_url: 'https://avatars.example.com/u/1', type: 'User' };
const repository = {
  ...{ id: 9, name: 'hello', full_name: 'octocat/hello', private: false, owner: sender },
  html_url: 'https://git.example.com/octocat/hello',
};
const at = (path: string) => `https://git.example.com/octocat/hello/${path}`;
const issue = {
  number: 7,
  title: 'It is broken',
  body: 'Steps: none',
  html_url: at('issues/7'),
  state: 'open',
  user: sender,
};
const pull = { number: 8, title: 'Mend it', body: 'Mends #7', html_url: at('pull/8'), merged: false, user: sender };
const comment = { id: 5, body: 'Looks good', html_url: at('issues/7#5'), commit_id: 'abcdef0123456789', user: sender };
const discussion = { number: 9, title: 'Ideas', body: 'What next?', html_url: at('discussions/9') };
const PUSH = {
  ref: 'refs/heads/main',
  before: '1'.repeat(40),
  after: '2'.repeat(40),
  created: false,
  deleted: false,
  forced: false,
  compare: at('compare/1...2'),
  commits: [
    { id: 'aaaaaaaa11', message: 'First\n\nwith a body', timestamp: '2026-01-01T00:00:00Z', author: { name: 'Octo' } },
    { id: 'bbbbbbbb22', message: 'Second', timestamp: '2026-01-01T00:00:00Z', author: { name: 'Cat' } },
  ],
  pusher: { name: 'octocat' },
};

describe('webhooks.md section 6, github', () => {
  const github = (event: string | undefined, body: unknown, delivery?: string, path = `${hook.path}/github`) =>
    service.anonymous.post(path, body, {
      headers: {
        ...(event === undefined ? {} : { 'x-github-event': event }),
        ...(delivery === undefined ? {} : { 'x-github-delivery': delivery }),
        'x-hub-signature-256': 'sha256=nobody-checks-this',
        'user-agent': 'GitHub-Hookshot/abc',
      },
    });
  const embedOf = async (event: string, body: object) => {
    const response = await github(event, { sender, repository, ...body });
    expect([event, response.status, response.text]).toEqual([event, 204, '']);
    const messages = await received();
    expect(messages).toHaveLength(1);
    expect(messages[0]).toMatchObject({ content: '', author: { username: 'Robot' } });
    expect(messages[0].embeds).toMatchObject([{ author: { name: 'GitHub' }, footer: { text: 'octocat' } }]);
    const { author, footer, ...embed } = messages[0].embeds[0];
    return embed;
  };

  test.each<[string, object, object]>([
    [
      'commit_comment',
      { action: 'created', comment },
      { title: '[octocat/hello] comment on commit abcdef0', description: 'Looks good', url: comment.html_url },
    ],
    [
      'create',
      { ref: 'feature', ref_type: 'branch', master_branch: 'main' },
      { title: '[octocat/hello] branch created: feature', url: repository.html_url },
    ],
    ['create', { ref: 'v1', ref_type: 'tag' }, { title: '[octocat/hello] tag created: v1', url: repository.html_url }],
    [
      'delete',
      { ref: 'feature', ref_type: 'branch' },
      { title: '[octocat/hello] branch deleted: feature', url: repository.html_url },
    ],
    [
      'fork',
      { forkee: { full_name: 'other/hello', html_url: 'https://git.example.com/other/hello' } },
      { title: '[octocat/hello] fork created: other/hello', url: 'https://git.example.com/other/hello' },
    ],
    [
      'issue_comment',
      { action: 'created', issue, comment },
      { title: '[octocat/hello] comment on issue #7 It is broken', description: 'Looks good', url: comment.html_url },
    ],
    [
      'issue_comment',
      { action: 'created', issue: { ...issue, pull_request: { url: 'x' } }, comment },
      {
        title: '[octocat/hello] comment on pull request #7 It is broken',
        description: 'Looks good',
        url: comment.html_url,
      },
    ],
    ...['opened', 'closed', 'reopened'].map((action): [string, object, object] => [
      'issues',
      { action, issue },
      { title: `[octocat/hello] issue ${action}: #7 It is broken`, description: 'Steps: none', url: issue.html_url },
    ]),
    [
      'member',
      { action: 'added', member: { login: 'hubot' } },
      { title: '[octocat/hello] collaborator added: hubot', url: repository.html_url },
    ],
    ['public', {}, { title: '[octocat/hello] now public', url: repository.html_url }],
    ...['opened', 'closed', 'reopened'].map((action): [string, object, object] => [
      'pull_request',
      { action, number: 8, pull_request: pull },
      { title: `[octocat/hello] pull request ${action}: #8 Mend it`, description: 'Mends #7', url: pull.html_url },
    ]),
    [
      'pull_request',
      { action: 'closed', pull_request: { ...pull, merged: true, body: null } },
      { title: '[octocat/hello] pull request merged: #8 Mend it', url: pull.html_url },
    ],
    [
      'pull_request_review',
      {
        action: 'submitted',
        review: { state: 'changes_requested', body: 'Not yet', html_url: at('r/1') },
        pull_request: pull,
      },
      {
        title: '[octocat/hello] review (changes requested) of pull request #8 Mend it',
        description: 'Not yet',
        url: at('r/1'),
      },
    ],
    [
      'pull_request_review_comment',
      { action: 'created', comment, pull_request: pull },
      {
        title: '[octocat/hello] review comment on pull request #8 Mend it',
        description: 'Looks good',
        url: comment.html_url,
      },
    ],
    [
      'push',
      PUSH,
      {
        title: '[octocat/hello:main] 2 new commits',
        description: 'aaaaaaa First - Octo\nbbbbbbb Second - Cat',
        url: PUSH.compare,
      },
    ],
    ['push', { ...PUSH, forced: true, commits: [] }, { title: '[octocat/hello:main] force-pushed', url: PUSH.compare }],
    [
      'release',
      { action: 'published', release: { name: 'One', tag_name: 'v1', body: 'Notes', html_url: at('releases/v1') } },
      { title: '[octocat/hello] release published: One', description: 'Notes', url: at('releases/v1') },
    ],
    [
      'release',
      { action: 'published', release: { name: null, tag_name: 'v1', body: null, html_url: at('releases/v1') } },
      { title: '[octocat/hello] release published: v1', url: at('releases/v1') },
    ],
    ['watch', { action: 'started' }, { title: '[octocat/hello] star added by octocat', url: repository.html_url }],
    [
      'check_run',
      {
        action: 'completed',
        check_run: {
          name: 'build',
          conclusion: 'failure',
          html_url: at('runs/1'),
          output: { title: 'Red', summary: null },
        },
      },
      { title: '[octocat/hello] check build: failure', description: 'Red', url: at('runs/1') },
    ],
    [
      'check_suite',
      { action: 'completed', check_suite: { conclusion: 'success', head_branch: 'main' } },
      { title: '[octocat/hello] check suite of main: success', url: repository.html_url },
    ],
    [
      'discussion',
      { action: 'created', discussion },
      { title: '[octocat/hello] discussion created: #9 Ideas', description: 'What next?', url: discussion.html_url },
    ],
    [
      'discussion_comment',
      { action: 'created', discussion, comment },
      { title: '[octocat/hello] comment on discussion #9 Ideas', description: 'Looks good', url: comment.html_url },
    ],
    ['repository', { action: 'created' }, { title: '[octocat/hello] repository created', url: repository.html_url }],
  ])('%s %j', async (event, body, embed) => expect(await embedOf(event, body)).toEqual(embed));

  test('titles are cut to 70, those of pushes and checks to 256, descriptions to 350 code points', async () => {
    const long = '𝒳'.repeat(400);
    const opened = await embedOf('issues', { action: 'opened', issue: { ...issue, title: long, body: long } });
    expect([[...opened.title].length, [...opened.description].length]).toEqual([70, 350]);
    expect([opened.title.endsWith('…'), opened.description.endsWith('…')]).toEqual([true, true]);
    hook = await newWebhook(service, alice);
    const response = await github('push', { ...PUSH, sender, repository, ref: `refs/heads/${long}` });
    expect(response.status).toBe(204);
    const [pushed] = await received();
    expect([...pushed.embeds[0].title]).toHaveLength(256);
  });

  test('characters that no message may contain are replaced, not rejected', async () => {
    const odd = { ...issue, title: 'a\u0000b\ud800', body: '\u0000', html_url: 'javascript:alert(1)' };
    expect(await embedOf('issues', { action: 'opened', issue: odd })).toEqual({
      title: '[octocat/hello] issue opened: #7 ab\ufffd',
    });
  });

  test.each<[string | undefined, object]>([
    [undefined, { action: 'opened', issue }],
    ['', {}],
    ['ping', { zen: 'Keep it logically awesome.', hook_id: 1 }],
    ['star', { action: 'created' }],
    ['ISSUES', { action: 'opened', issue }],
    ['constructor', {}],
    ['__proto__', {}],
    ['issues', { action: 'labeled', issue }],
    ['pull_request', { action: 'synchronize', pull_request: pull }],
    ['check_run', { action: 'created' }],
    ['create', { ref: 'x', ref_type: 'repository' }],
    ['push', { ...PUSH, commits: [], created: true }],
    ['push', { ...PUSH, commits: [], deleted: true }],
  ])('the event %s %j creates nothing', async (event, body) => {
    await withoutEffect(async () => {
      const response = await github(event, { sender, repository, ...body }, 'delivery-of-nothing');
      expect([response.status, response.text]).toEqual([204, '']);
    });
  });

  test.each<[string, unknown, string]>([
    ['issues', {}, 'action: INVALID_FORMAT'],
    ['issues', { action: 'opened' }, 'sender.login: INVALID_FORMAT'],
    ['issues', { action: 'opened', sender }, 'repository.full_name: INVALID_FORMAT'],
    ['issues', { action: 'opened', sender: 'octocat', repository }, 'sender.login: INVALID_FORMAT'],
    ['issues', { action: 'opened', sender, repository: { full_name: 5 } }, 'repository.full_name: INVALID_FORMAT'],
    ['issues', { sender, repository, issue }, 'action: INVALID_FORMAT'],
    ['issues', { sender, repository, action: 'opened' }, 'issue.number: INVALID_FORMAT'],
    [
      'issues',
      { sender, repository, action: 'opened', issue: { ...issue, number: '7' } },
      'issue.number: INVALID_FORMAT',
    ],
    ['push', { sender, repository, ...PUSH, commits: null }, 'commits: INVALID_FORMAT'],
    ['push', { sender, repository, ...PUSH, commits: [5] }, 'message: INVALID_FORMAT'],
    ['create', { sender, repository }, 'ref_type: INVALID_FORMAT'],
    ['issues', [], 'body: INVALID_FORMAT'],
  ])('%s with an invalid body %j is rejected', async (event, body, fault) => {
    await withoutEffect(async () => expectInvalid(await github(event, body, 'delivery-of-bad'), fault));
  });

  test('an unlisted action creates nothing, with any body', async () => {
    await withoutEffect(async () => {
      for (const event of ['issues', 'member', 'release', 'check_run', 'watch']) {
        for (const rest of [{}, { sender: null, repository: null }, { sender: 5, issue: 'x' }]) {
          const response = await github(event, { action: 'edited', ...rest }, 'delivery-of-nothing');
          expect([event, response.status, response.text]).toEqual([event, 204, '']);
        }
      }
    });
  });

  test('a push of 1,000 commits with all their members is shown', async () => {
    const { commits } = PUSH;
    const person = { name: 'Octo', email: 'o@example.com', username: 'octocat', date: '2026-01-01T00:00:00Z' };
    const files = { added: ['a'], removed: [], modified: ['b', 'c'] };
    const commit = {
      ...commits[0],
      tree_id: 'c'.repeat(40),
      distinct: true,
      author: person,
      committer: person,
      ...files,
    };
    const many = { ...PUSH, commits: Array(1000).fill(commit) };
    expect(await embedOf('push', many)).toMatchObject({ title: '[octocat/hello:main] 1000 new commits' });
  });

  test('a delivery that was received within a day creates nothing, per webhook', async () => {
    const body = { action: 'opened', issue, sender, repository };
    const { responses } = await race(32, () => github('issues', body, 'delivery-1'));
    for (const { status } of responses) expect(status).toBe(204);
    const [message] = await received();
    expect(await received()).toHaveLength(1);
    await github('issues', body, 'delivery-2');
    await github('issues', body);
    await github('issues', body);
    expect(await received()).toHaveLength(4);
    const other = await newWebhook(service, alice);
    await github('issues', body, 'delivery-1', `${other.path}/github`);
    expect(await received(other)).toHaveLength(1);

    await service.anonymous.delete(`${hook.path}/messages/${message.id}`);
    expect((await github('issues', body, 'delivery-1')).status).toBe(204);
    expect(await received()).toHaveLength(3);
    const [row] = await service.sql(
      `SELECT extract(epoch FROM max(expires_at) - now())::float AS life FROM webhook_repeat WHERE webhook_id = $1`,
      [hook.id],
    );
    expect(row?.life).toBeGreaterThan(23.9 * 3600);
    expect(row?.life).toBeLessThanOrEqual(24 * 3600);
    await service.sql("UPDATE webhook_repeat SET expires_at = expires_at - interval '24 hours'");
    await github('issues', body, 'delivery-1');
    expect(await received()).toHaveLength(4);
  });

  test('JSON only, of at most 1 MiB, for a webhook that exists', async () => {
    await withoutEffect(async () => {
      const body = { action: 'opened', sender, repository, issue: { ...issue, body: 'x'.repeat(1024 * 1024) } };
      expectApiError(await github('issues', body), 'PAYLOAD_TOO_LARGE');
      const form = { headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-github-event': 'issues' } };
      const payload = new TextEncoder().encode('payload=%7B%7D');
      expectApiError(await service.anonymous.post(`${hook.path}/github`, payload, form), 'UNSUPPORTED_MEDIA_TYPE');
      expectApiError(await github('issues', body, undefined, `${hook.path}x/github`), 'UNKNOWN_WEBHOOK');
    });
    const large = { action: 'opened', sender, repository, issue: { ...issue, body: 'x'.repeat(900 * 1024) } };
    expect((await github('issues', large)).status).toBe(204);
    expect(await received()).toHaveLength(1);
  });
});

describe('webhooks.md section 3, buckets of the callbacks', () => {
  test('slack shares the execution bucket, github has its own; both are per webhook', async () => {
    await withGatehouse(
      {
        env: { RATE_LIMITS: 'on', RATE_LIMIT_OVERRIDES: '{"webhook:execute": "60/36000"}' },
      },
      async (limited) => {
        const owner = await person(limited, 'owner');
        const own = await newWebhook(limited, owner);
        const other = await newWebhook(limited, owner);
        for (let n = 0; n < 30; n++) {
          expect((await limited.anonymous.post(own.path, { content: 'x' })).status).toBe(204);
          expect((await limited.anonymous.post(`${own.path}/slack`, { text: 'x' })).status).toBe(200);
        }
        expectApiError(await limited.anonymous.post(`${own.path}/slack`, { text: 'x' }), 'RATE_LIMITED');
        expectApiError(await limited.anonymous.post(own.path, { content: 'x' }), 'RATE_LIMITED');
        expect((await limited.anonymous.post(`${other.path}/slack`, { text: 'x' })).status).toBe(200);
        const pinged = await limited.anonymous.post(
          `${own.path}/github`,
          {},
          { headers: { 'x-github-event': 'ping' } },
        );
        expect([pinged.status, pinged.headers.get('x-ratelimit-limit')]).toEqual([204, '200']);
      },
    );
  });
});
