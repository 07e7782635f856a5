import { isRegistered, redirectUriFault, withParameters } from './redirect-uris.js';

const ACCEPTED = [
  ...['https://app.example', 'https://app.example/', 'https://app.example/cb', 'https://app.example:8443/cb?x=1&y'],
  ...['https://APP.example/Cb', 'https://192.0.2.1/cb', 'https://[2001:db8::1]/cb', 'https://app.example/a%2Fb'],
  ...['http://localhost', 'http://localhost:3000/cb', 'http://app.localhost/cb', 'http://127.0.0.1/cb'],
  ...[
    'http://127.1.2.3:9000/',
    'http://127.10.200.255/',
    'http://[::1]/cb',
    'http://[::1]:8080',
    'https://xn--mnchen-3ya.example/cb',
  ],
  ...[`https://app.example/${'a'.repeat(236)}`, 'https://app.example/cb?next=https://other.example/'],
];

const REJECTED = [
  ...['', 'app.example/cb', '/cb', '//app.example/cb', 'https:/app.example', 'https://', 'https:///cb', 'https://?x'],
  ...['https://app.example/a%20b', 'https://app.example/cb?next=%0d%0aSet-Cookie:x', 'https://app.example/%0A'],
  ...['https://app.example/%00', 'https://app.example/%7F', 'https://app.example/%C2%85', 'https://app.example/%5Ccb'],
  ...['https://app.example/%E2%80%A8', 'https://app.example/%zz', 'https://app.example/%', 'https://app.example/%ff'],
  ...['code', 'state', 'iss', 'error', 'error_description'].flatMap((name) => [
    `https://app.example/cb?${name}=1`,
    `https://app.example/cb?x=1&${name}`,
  ]),
  ...['https://app.example/cb?%63ode=1', 'http://127.0.0.1/cb?st%61te=x'],
  ...[
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'blob:https://app.example/1',
    'ftp://a.example/',
  ],
  ...[
    'myapp://callback',
    'https:https://https/',
    'urn:ietf:wg:oauth:2.0:oob',
    'http://app.example/cb',
    'http://10.0.0.1/cb',
    'http://[::2]/cb',
  ],
  ...['http://localhost.example/cb', 'http://notlocalhost/cb', 'http://127.0.0.1.example/cb', 'http://128.0.0.1/cb'],
  ...[
    'https://app.example/cb#',
    'https://app.example/cb#f',
    'https://user@app.example/',
    'https://user:pw@app.example/',
  ],
  ...['https://@app.example/', 'https://*.app.example/cb', 'https://app.example/*', 'https://app.example\\cb'],
  ...['https://app.example/c b', ' https://app.example/cb', 'https://app.example/cb ', 'https://app.example/\tcb'],
  ...[
    'https://app.example/cb\n',
    'https://app.example/\u0000',
    'https://app.example/\u007f',
    'https://münchen.example/',
  ],
  ...[
    'https://app.example/\u202ecb',
    'http://127.1/cb',
    'http://0x7f.0.0.1/cb',
    'http://0177.0.0.1/',
    'http://2130706433/',
  ],
  ...[
    'http://[0:0:0:0:0:0:0:1]/cb',
    'https://%61pp.example/cb',
    'https://app.example:99999/',
    'https://app.example:x/',
  ],
  ...[`https://app.example/${'a'.repeat(237)}`, 'http://.localhost/cb', 'https://a\u00adpp.example/'],
];

describe('3.2 registration of redirect URIs', () => {
  test.each(ACCEPTED)('%j is accepted', (uri) => expect(redirectUriFault(uri)).toBeUndefined());
  test.each(REJECTED)('%j is rejected', (uri) => expect(redirectUriFault(uri)).toBe('INVALID_URL_FORMAT'));
  test.each([[null], [1], [{}], [[]], [true]])('%j is not text', (value) =>
    expect(redirectUriFault(value)).toBe('INVALID_FORMAT'),
  );
});

describe('3.2 matching of redirect URIs', () => {
  const registered = [
    'https://app.example/cb',
    'http://127.0.0.1/native?a=1',
    'http://[::1]:1/native',
    'http://localhost/cb',
    'http://127.10.200.255',
    'http://127.0.0.1/127.0.0.1/cb',
  ];

  test.each(registered)('%s matches itself', (uri) => expect(isRegistered(uri, registered)).toBe(true));
  test.each([
    ...[
      'http://127.0.0.1:1/native?a=1',
      'http://127.0.0.1:65535/native?a=1',
      'http://[::1]/native',
      'http://[::1]:2/native',
      'http://127.10.200.255:8080',
    ],
  ])('the port of a loopback IP literal may differ: %s', (uri) => expect(isRegistered(uri, registered)).toBe(true));
  test.each([
    ...[
      'http://127.0.0.1:65536/native?a=1',
      'http://127.0.0.1:/native?a=1',
      'http://127.0.0.1:1/native',
      'http://127.0.0.1',
    ],
    ...['http://127.0.0.2:1/native?a=1', 'http://127.0.0.1:1/native?a=2', 'https://127.0.0.1:1/native?a=1'],
    ...[
      'http://127.0.0.1:1@evil.example/native?a=1',
      'http://127.0.0.1:1x/native?a=1',
      'http://127.0.0.1:1/native?a=1&b',
    ],
    ...['http://[::1]:1/Native', 'http://[::2]:1/native', 'http://localhost:3000/cb', 'http://localhost:80/cb'],
    ...[
      'https://e/http://127.0.0.1/cb',
      'http://127.0.0.1.evil.example/native?a=1',
      'HTTP://127.0.0.1:1/native?a=1',
      'http://127.0.0.1:1\\native?a=1',
    ],
  ])('%s matches nothing', (uri) => expect(isRegistered(uri, registered)).toBe(false));
});

describe('3.2 parameters of a redirect', () => {
  test.each([
    ['https://app.example/cb', 'https://app.example/cb?code=a+b&state=%C3%A9'],
    ['https://app.example/cb?', 'https://app.example/cb?code=a+b&state=%C3%A9'],
    ['https://app.example/cb?x=%20&x', 'https://app.example/cb?x=%20&x&code=a+b&state=%C3%A9'],
    ['https://app.example/cb?x&', 'https://app.example/cb?x&code=a+b&state=%C3%A9'],
  ])('%s keeps its own query', (uri, expected) =>
    expect(withParameters(uri, { code: 'a b', gone: undefined, state: 'é' })).toBe(expected),
  );
  test('without parameters it is unchanged', () =>
    expect(withParameters('https://app.example/cb', { state: undefined })).toBe('https://app.example/cb'));
});
