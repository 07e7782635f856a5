import {
  type App,
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  newApp,
  OriginServer,
  type Persona,
  person,
} from '../support/index.js';

const APPLICATIONS = '/v1/oauth2/applications';
const RETURN = 'https://client.example/signed-out';
const BACKCHANNEL = 'https://client.example/logout?x=1';

const origin = new OriginServer();
let service: Gatehouse;
let alice: Persona;
let app: App;
beforeAll(async () => {
  service = await gatehouse({ network: origin });
  alice = await person(service, 'alice');
  app = await newApp(service, alice);
});
afterAll(() => service.close());

const edit = (input: object, by = alice) => service.as(by).patch(`${APPLICATIONS}/${app.id}`, input);
const stored = async () => (await service.as(alice).get(`${APPLICATIONS}/${app.id}`)).body;

describe('7 application members', () => {
  test('are set at creation and later, and null clears them', async () => {
    const members = {
      ...{ post_logout_redirect_uris: [RETURN], backchannel_logout_uri: BACKCHANNEL },
      backchannel_logout_session_required: true,
    };
    const created = await service.as(alice).post(APPLICATIONS, { name: 'With', ...members });
    expect(created.body).toMatchObject(members);
    const before = await stored();
    expect(before).toMatchObject({
      ...{ post_logout_redirect_uris: [], backchannel_logout_uri: null, backchannel_logout_session_required: false },
    });
    const changed = await edit({ ...members, post_logout_redirect_uris: [RETURN, RETURN] });
    expect({ status: changed.status, body: changed.body }).toEqual({ status: 200, body: { ...before, ...members } });
    expect((await edit({ name: 'Other' })).body).toMatchObject(members);
    const cleared = await edit({ post_logout_redirect_uris: null, backchannel_logout_uri: null });
    expect(cleared.body).toMatchObject({ post_logout_redirect_uris: [], backchannel_logout_uri: null });
  });

  test.each([
    [{ post_logout_redirect_uris: RETURN }, 'post_logout_redirect_uris: INVALID_FORMAT'],
    [{ post_logout_redirect_uris: Array(11).fill(RETURN) }, 'post_logout_redirect_uris: INVALID_FORMAT'],
    [{ post_logout_redirect_uris: [RETURN, 5] }, 'post_logout_redirect_uris.1: INVALID_FORMAT'],
    [{ post_logout_redirect_uris: ['http://a.example/'] }, 'post_logout_redirect_uris.0: INVALID_URL_FORMAT'],
    [{ post_logout_redirect_uris: ['https://a.example/?state=1'] }, 'post_logout_redirect_uris.0: INVALID_URL_FORMAT'],
    [{ backchannel_logout_session_required: null }, 'backchannel_logout_session_required: INVALID_FORMAT'],
    [{ backchannel_logout_uri: 5 }, 'backchannel_logout_uri: INVALID_FORMAT'],
  ])('%j is rejected, at creation and later', async (input, fault) => {
    const before = await stored();
    expectInvalid(await service.as(alice).post(APPLICATIONS, { name: 'x', ...input }), fault);
    expectInvalid(await edit({ name: 'changed', ...input }), fault);
    expect(await stored()).toEqual(before);
  });

  test.each([
    ...['', '/logout', 'javascript:alert(1)', 'https://a.example/#f', 'https://u:p@a.example/', 'https://*.a.example/'],
    ...['http://a.example/', 'https://127.0.0.1/', 'https://[::1]/', 'https://10.0.0.1/', 'https://169.254.169.254/'],
    ...['https://2130706433/', 'https://a.inner.example/', 'https://a.half.example/', 'https://a.nowhere.example/'],
    `https://a.example/${'x'.repeat(240)}`,
  ])('back-channel logout to %j is rejected: it is not a public https URL', async (uri) => {
    const before = await stored();
    const fault = 'backchannel_logout_uri: INVALID_URL_FORMAT';
    expectInvalid(await service.as(alice).post(APPLICATIONS, { name: 'x', backchannel_logout_uri: uri }), fault);
    expectInvalid(await edit({ name: 'changed', backchannel_logout_uri: uri }), fault);
    expect(await stored()).toEqual(before);
  });

  test('the operator may allow private addresses and http', async () => {
    const open = await gatehouse({ network: origin, env: { BACKCHANNEL_ALLOW_PRIVATE_ADDRESSES: 'true' } });
    const owner = await person(open, 'owner');
    for (const uri of ['http://127.0.0.1:8080/logout', 'https://a.inner.example/']) {
      const { body } = await open.as(owner).post(APPLICATIONS, { name: 'Local', backchannel_logout_uri: uri });
      expect(body.backchannel_logout_uri).toBe(uri);
    }
    const ftp = await open.as(owner).post(APPLICATIONS, { name: 'x', backchannel_logout_uri: 'ftp://a.example/' });
    expectInvalid(ftp, 'backchannel_logout_uri: INVALID_URL_FORMAT');
    await open.close();
  });

  test('the host of an application of another user is not looked up', async () => {
    const mallory = await person(service, 'mallory');
    origin.resolvedNames.length = 0;
    expectApiError(await edit({ backchannel_logout_uri: BACKCHANNEL }, mallory), 'ACCESS_DENIED');
    expect(origin.resolvedNames).toEqual([]);
    expect((await stored()).backchannel_logout_uri).toBe(null);
  });
});
