import { codeOf, fake, refusalOf } from '../../../test/machine/policies.js';
import { ApiError, validationError } from '../../core/errors.js';
import { digest } from '../../core/secrets.js';
import { featureRegistry } from '../../features.js';
import type { Call } from '../../policy/call.js';
import { ClientAuthenticator, clientOf, formOf } from './client-authenticator.service.js';

const SECRET = 'S'.repeat(43);
const APPLICATIONS: Record<string, { client_type: string; secret_digest: Buffer | null }> = {
  '10': { client_type: 'confidential', secret_digest: digest(SECRET) },
  '11': { client_type: 'public', secret_digest: null },
  '12': { client_type: 'confidential', secret_digest: null },
  '13': { client_type: 'confidential', secret_digest: digest('') },
  '14': { client_type: 'confidential', secret_digest: digest('a b+:%') },
  '15': { client_type: 'confidential', secret_digest: digest('x'.repeat(759)) },
  '16': { client_type: 'confidential', secret_digest: digest('ü?>') },
};
const UNKNOWN_CLIENT_TYPE = { client_type: 'unknown', secret_digest: null };
const STORE_TIME = 1_700_000_000_000;

interface Sent {
  authorization?: string | string[];
  form?: Record<string, string>;
  target?: string;
}

/** Authenticates a request against the applications above. Returns the result and all calls. */
async function authenticateRequest(
  { authorization = [], form = {}, target = '/v1/oauth2/token' }: Sent,
  confidentialOnly = false,
) {
  const did: unknown[] = [];
  const statements: [name: string, text: string][] = [];
  const database = {
    statement: async (name: string, text: string, [ids, dummy]: [string[], Buffer]) => {
      did.push([ids]);
      statements.push([name, text]);
      return ids.map((id) => {
        const { client_type, secret_digest } = APPLICATIONS[id] ?? UNKNOWN_CLIENT_TYPE;
        return { id, client_type, secret_digest: secret_digest ?? dummy, now: STORE_TIME };
      });
    },
  };
  const observed: [stored: number, sent: number, received: number][] = [];
  const storeClock = {
    observe: (...values: [number, number, number]) => void observed.push(values),
    at: (moment: number) => `at ${moment}`,
  };
  let noted = 0;
  const arrivals = { note: () => noted++ };
  const authenticator = new ClientAuthenticator(fake(database), fake(storeClock), fake(arrivals));
  const value = Object.fromEntries(Object.entries(form).map(([name, text]) => [name, [text]]));
  const call = { authorization: [authorization].flat(), target, body: { value }, startedAt: 7 } as unknown as Call;
  const apiError = await refusalOf(() => authenticator.authenticate(call, confidentialOnly));
  const { client, clientCredential: guess } = call;
  return { refusal: apiError, code: apiError?.code ?? null, client, guess, asked: did, statements, observed, noted };
}

const encode = (text: string) => Buffer.from(text).toString('base64');
const basic = (id: string, secret: string) => `Basic ${encode(`${id}:${secret}`)}`;
const byForm = (client_id: string, client_secret?: string) => ({
  form: { client_id, ...(client_secret !== undefined && { client_secret }) },
});

/** Expects the same INVALID_CLIENT error for every cause. */
async function expectInvalidClient(sent: Sent, confidentialOnly?: boolean) {
  const { refusal: apiError, client } = await authenticateRequest(sent, confidentialOnly);
  const { status, body } = featureRegistry().describe(apiError as ApiError);
  expect({ sent, status, client }).toEqual({ sent, status: 401, client: undefined });
  expect(body).toEqual({
    code: 'INVALID_CLIENT',
    message: expect.any(String),
    error: 'invalid_client',
    error_description: expect.any(String),
  });
}

async function expectNoRequest(sent: Sent, blamed: string) {
  const { refusal: apiError, client, asked: requested } = await authenticateRequest(sent);
  expect({ sent, client, asked: requested }).toEqual({ sent, client: undefined, asked: [] });
  const { status, body } = featureRegistry().describe(apiError as ApiError);
  expect(status).toBe(400);
  expect(body).toMatchObject({
    code: 'INVALID_REQUEST',
    error: 'invalid_request',
    errors: [{ path: blamed }],
  });
}

describe('oauth.md 5.5: accepted clients', () => {
  test.each<[how: string, sent: Sent, applicationId: string, confidential: boolean]>([
    ['Basic', { authorization: basic('10', SECRET) }, '10', true],
    ['Basic in another case', { authorization: basic('10', SECRET).replace('Basic', 'bASIC') }, '10', true],
    ['Basic, and its id in the form', { authorization: basic('10', SECRET), ...byForm('10') }, '10', true],
    ['Basic, and an empty form', { authorization: basic('10', SECRET), ...byForm('', '') }, '10', true],
    [
      'Basic with all characters encoded',
      { authorization: basic('%31%30', SECRET.replaceAll('S', '%53')) },
      '10',
      true,
    ],
    ['Basic with blanks as +', { authorization: basic('14', 'a+b%2B%3A%25') }, '14', true],
    ['Basic with a colon in the secret', { authorization: basic('14', 'a b%2B:%25') }, '14', true],
    ['Basic in UTF-8', { authorization: basic('16', 'ü?>') }, '16', true],
    ['Basic of 1022 characters', { authorization: basic('15', 'x'.repeat(759)) }, '15', true],
    ['the form', byForm('10', SECRET), '10', true],
    ['the form, with a query', { ...byForm('10', SECRET), target: '/v1/oauth2/token?secret=x' }, '10', true],
    ['a public client in the form', byForm('11'), '11', false],
    ['a public client in the form, without a value', byForm('11', ''), '11', false],
    ['a public client as Basic', { authorization: basic('11', '') }, '11', false],
  ])('by %s', async (_, sent, applicationId, confidential) => {
    const { code, client, asked: requested, noted } = await authenticateRequest(sent);
    expect({ code, client, asked: requested, noted }).toEqual({
      code: null,
      client: { applicationId, confidential, beganAt: 'at 7', resourceScopes: [], resourcePolicies: [] },
      asked: [[[applicationId]]],
      noted: 1,
    });
  });

  test('only a confidential client if one is required', async () => {
    expect((await authenticateRequest(byForm('10', SECRET), true)).client).toMatchObject({ applicationId: '10' });
    await expectInvalidClient(byForm('11'), true);
    await expectInvalidClient({ authorization: basic('11', '') }, true);
  });

  test('the time of the database is observed between two local times', async () => {
    const { observed } = await authenticateRequest(byForm('10', SECRET));
    expect(observed).toEqual([[STORE_TIME, expect.any(Number), expect.any(Number)]]);
    const [, sent = 0, received = 0] = observed[0] ?? [];
    expect(received).toBeGreaterThanOrEqual(sent);
  });

  test('a named statement is used, which a connection prepares once', async () => {
    const { statements } = await authenticateRequest(byForm('10', SECRET));
    expect(statements).toEqual([[expect.stringMatching(/^[a-z-]+$/), expect.stringContaining('FROM unnest')]]);
    expect((await authenticateRequest(byForm('99'))).statements).toEqual(statements);
  });

  test('an operation has the accepted client, and without one it is an internal error', async () => {
    const client = { applicationId: '10', confidential: true, beganAt: 1 };
    expect(clientOf({ client } as Call)).toBe(client);
    expect(() => clientOf({} as Call)).toThrow('The route has no client');
  });
});

describe('oauth.md 5.5: rejected clients', () => {
  test.each<[why: string, sent: Sent]>([
    ['nobody says who they are', {}],
    ['a secret alone', { form: { client_secret: SECRET } }],
    ['a confidential client without its secret', byForm('10')],
    ['the same as Basic', { authorization: basic('10', '') }],
    ['another secret', byForm('10', `${SECRET}S`)],
    ['another secret as Basic', { authorization: basic('10', SECRET.slice(1)) }],
    ['the right secret of another client', byForm('14', SECRET)],
    ['a confidential client that has no secret', byForm('12', SECRET)],
    ['a confidential client that has none, without one', byForm('12')],
    ['one whose digest is that of nothing, without a secret', byForm('13')],
    ['a public client with a secret', byForm('11', SECRET)],
    ['a public client with a secret as Basic', { authorization: basic('11', 'x') }],
    ['an unknown application', byForm('99', SECRET)],
    ['an unknown application without a secret', byForm('99')],
  ])('%s', async (_, sent) => {
    await expectInvalidClient(sent);
    await expectInvalidClient(sent, true);
    expect(await authenticateRequest(sent)).toMatchObject({ noted: 1 });
  });

  test.each(['x', '', '010', ' 10', '10 ', '-1', '9223372036854775808', "1' OR '1'='1"])(
    'an invalid ID, %j, is not looked up',
    async (id) => {
      await expectInvalidClient(byForm(id));
      await expectInvalidClient({ authorization: basic(id, SECRET) });
      expect((await authenticateRequest({ authorization: basic(id, SECRET) })).asked).toEqual([]);
    },
  );

  test.each<[why: string, authorization: string | string[]]>([
    ['another scheme', `Bearer ${encode(`10:${SECRET}`)}`],
    ['a longer scheme', `X${basic('10', SECRET)}`],
    ['no scheme', encode(`10:${SECRET}`)],
    ['nothing', ''],
    ['nothing after the scheme', 'Basic '],
    ['two blanks', basic('10', SECRET).replace(' ', '  ')],
    ['something before', ` ${basic('10', SECRET)}`],
    ['something behind', `${basic('10', SECRET)}= x`],
    ['characters of no base64', `Basic ${encode(`10:${SECRET}`).replace('M', '-')}`],
    ['too much padding', `${basic('10', SECRET)}=`],
    ['bits that do not count', basic('10', SECRET).replace(/w==$/, 'x==')],
    ['no padding', basic('10', SECRET).replace(/=+$/, '')],
    ['no colon', `Basic ${encode('10')}`],
    ['no percent-encoding', basic('10', '%')],
    ['no percent-encoding of the id', basic('%zz', SECRET)],
    ['1026 characters', basic('15', 'x'.repeat(762))],
    ['two lines', [basic('10', SECRET), basic('10', SECRET)]],
  ])('Authorization that is not Basic by %s is rejected with any form', async (_, authorization) => {
    for (const form of [{}, byForm('10', SECRET).form, byForm('11').form]) {
      await expectInvalidClient({ authorization, form });
      expect((await authenticateRequest({ authorization, form })).asked).toEqual([]);
    }
  });
});

describe('oauth.md 1.2 and 5.5: invalid requests', () => {
  test.each<[why: string, sent: Sent, blamed: string]>([
    ['a secret beside Basic', { authorization: basic('10', SECRET), form: { client_secret: SECRET } }, 'client_secret'],
    [
      'a secret beside Basic of no id',
      { authorization: basic('', SECRET), form: { client_secret: 'x' } },
      'client_secret',
    ],
    ['another id beside Basic', { authorization: basic('10', SECRET), form: { client_id: '11' } }, 'client_id'],
    ['a secret of 257 characters', byForm('10', 'x'.repeat(257)), 'client_secret'],
    ['a secret with white space around it', byForm('10', `${SECRET} `), 'client_secret'],
    ...['?client_secret=x', '?client_secret', '?a=b&client_secret=', '?a=?&client_secret=x', '??&client_secret=x'].map(
      (query): [string, Sent, string] => [
        `a secret in the query ${query}`,
        { ...byForm('10', SECRET), target: `/v1/oauth2/token${query}` },
        'client_secret',
      ],
    ),
  ])('%s', async (_, sent, blamed) => {
    await expectNoRequest(sent, blamed);
  });

  test.each(['?client?_secret=x', '?a=?client_secret=x', '?Client_Secret=x', '?client_id=11', ''])(
    'the query %j contains no secret',
    async (query) => {
      expect((await authenticateRequest({ ...byForm('11'), target: `/client_secret=x${query}` })).code).toBeNull();
    },
  );

  test('the same guess is reported for every way of sending, and others differ', async () => {
    const guessOf = async (sent: Sent) => (await authenticateRequest(sent)).guess;
    const guess = await guessOf(byForm('10', 'wrong'));
    expect(guess).toBe('["10","wrong"]');
    expect(await guessOf({ authorization: basic('10', 'wrong') })).toBe(guess);
    expect(await guessOf({ authorization: ['Basic a', 'Basic b'] })).toBe('Basic a\nBasic b');
    expect(await guessOf({ authorization: 'Bearer x' })).toBe('Bearer x');
    expect(await guessOf({})).toBe('[null,null]');
  });
});

describe('oauth.md 1.3: the form', () => {
  const formOfBody = (body: object) => formOf({ body } as Call);

  test('contains the sent values', async () => {
    const value = { token: ['x'] };
    expect(await formOfBody({ value })).toBe(value);
  });

  test('that is malformed is an invalid request, and authenticates no client', async () => {
    const call = { authorization: [], body: { fault: validationError('body', 'INVALID_FORMAT') } } as unknown as Call;
    const never = fake<never>({ note: () => {} });
    expect(await codeOf(() => new ClientAuthenticator(never, never, never).authenticate(call, false))).toBe(
      'INVALID_REQUEST',
    );
    expect(call.client).toBeUndefined();
  });

  test.each([
    new ApiError('PAYLOAD_TOO_LARGE'),
    new ApiError('UNSUPPORTED_MEDIA_TYPE'),
    Object.assign(new Error('of ours'), { code: 'INVALID_FORM_BODY' }),
  ])('that could not be read has its original error: %s', async (fault) => {
    await expect(formOfBody({ fault })).rejects.toBe(fault);
  });
});
