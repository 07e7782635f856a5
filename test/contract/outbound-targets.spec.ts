import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Config } from '../../src/core/config/config.js';
import { loadConfig } from '../../src/features.js';
import { Network, OutboundFault } from '../../src/platform/outbound/network.js';
import { Outbound } from '../../src/platform/outbound/outbound.js';
import { getOwnHosts, parseTarget } from '../../src/platform/outbound/targets.js';

const PUBLIC = '93.184.216.34';
const PUBLIC_6 = '2606:2800:220:1:248:1893:25c8:1946';
const ORIGIN = '93.184.216.99';

/** IP addresses that a user's URL must never reach, whichever name resolves to them. */
const INNER_4 = [
  ...['0.0.0.0', '0.1.2.3', '10.0.0.1', '10.255.255.255', '100.64.0.1', '100.100.100.200', '100.127.255.255'],
  ...['127.0.0.1', '127.0.0.53', '127.255.255.254', '169.254.0.1', '169.254.169.254', '169.254.170.2', '172.16.0.1'],
  ...['172.31.255.255', '192.0.0.1', '192.0.0.170', '192.0.0.192', '192.0.2.1', '192.88.99.1', '192.168.0.1'],
  ...['192.168.255.255', '198.18.0.1', '198.19.255.255', '198.51.100.7', '203.0.113.9', '224.0.0.1', '239.255.255.250'],
  ...['240.0.0.1', '255.255.255.255'],
];
const INNER_6 = [
  ...['::', '::1', '::2', '::7f00:1', '::127.0.0.1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:93.184.216.34'],
  ...['::ffff:0:127.0.0.1', '64:ff9b::7f00:1', '64:ff9b::a00:1', '64:ff9b:1::7f00:1', '100::1', '2001::1', '2001:2::1'],
  ...[
    '2001:10::1',
    '2001:20::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '2002:a00:1::1',
    '3ffe::1',
    '3fff::1',
    '5f00::1',
    'fc00::1',
  ],
  ...['fd00:ec2::254', 'fdff::1', 'fe80::1', 'fe80::1%eth0', '2606:2800:220::1%eth0', 'febf::1', 'fec0::1', 'ff02::1'],
  ...['ff0e::1', '4000::1', '8000::1', 'e000::1'],
];
/** Invalid addresses that a resolver should never return. */
const NO_ADDRESS = ['', 'localhost', '127.1', '0177.0.0.1', '0x7f.0.0.1', '2130706433', '1.2.3', '1.2.3.4.5', '[::1]'];

const HOSTS = [
  // IP address literals, including public ones, in every notation that some parser accepts.
  ...[...INNER_4, PUBLIC, '8.8.8.8', '1.1.1.1'],
  ...INNER_6.filter((address) => !address.includes('%')).map((address) => `[${address}]`),
  ...[`[${PUBLIC_6}]`, '[fe80::1%25eth0]', '[::1', '::1', '[::1].example.com', '[v1.x]', '[]'],
  ...['127.1', '127.0.1', '127.0.0.1.', '127.000.000.001', '0177.0.0.1', '0177.1', '0x7f.0.0.1', '0x7f.1', '0X7F.1'],
  ...['0x7f000001', '2130706433', '017700000001', '0x7f.0.0.01', '127.0.0.0x1', '00000127.0.0.1', '4294967295', '0'],
  ...['1.2.3.4.5', '256.256.256.256', '127.0.0.256', '0x100000000', '93.184.216.034', 'example.1', '1.example.2'],
  ...['１２７.０.０.１', '①②⑦.⓪.⓪.①', '127。0。0。1', '127．0．0．1', '%31%32%37.0.0.1', '%5b::1%5d', '127.0.0.1%00'],
  ...['127%2e0%2e0%2e1', '0%78%37%66000001', '１６９.254.169.254'],
  // Names of this machine and its network, and invalid names.
  ...['localhost', 'LOCALHOST', 'localhost.', 'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ', 'lo%63alhost', 'intranet', 'metadata', 'db', 'gatehouse'],
  ...['public.example.com.', 'public..example.com', '.example.com', 'public.example.com..', '-public.example.com'],
  ...[
    'public-.example.com',
    'pub_lic.example.com',
    '*.example.com',
    'public.example.123',
    'public.example.0x7f',
    '~.com',
  ],
  ...[
    `${'a'.repeat(64)}.example.com`,
    `${'a.'.repeat(126)}com`,
    'public.example.com%00.evil.example',
    'a%20b.example.com',
  ],
  ...['public.example.com%2f.evil.example', 'public.example.com%5c.evil.example', 'xn--.example.com', 'xn--a.com', ''],
  ...[
    'public.exam\u00adple.com\u0000',
    'public.example.com\u0007',
    'a,b.example.com',
    "a'b.example.com",
    'a!.example.com',
  ],
];

const SCHEMES = [
  ...['ftp', 'file', 'gopher', 'ws', 'wss', 'dict', 'ldap', 'ldaps', 'tftp', 'sftp', 'ssh', 'telnet', 'smtp', 'redis'],
  ...['netdoc', 'php', 'expect', 'view-source', 'httpx', 'http+unix', 'unix', 'chrome', 'about', 'filesystem'],
];

const WHOLE_URLS = [
  ...['', ' ', 'http', 'http:', 'http://', 'http:///', 'http://?', 'http://#', 'http://:80/', '/etc/passwd', 'x'],
  ...['//public.example.com/', 'public.example.com', 'data:text/html,x', 'javascript:alert(1)', 'mailto:a@example.com'],
  ...['blob:https://public.example.com/1', 'jar:http://public.example.com/a!/b', 'file:///etc/passwd', 'about:blank'],
  ...['http://user@public.example.com/', 'http://user:secret@public.example.com/', 'http://@public.example.com/'],
  ...['http://:@public.example.com/', 'http://:secret@public.example.com/', 'http:user@public.example.com/'],
  ...['http:/user@public.example.com/', 'http:////user@public.example.com/', 'http://public.example.com@127.0.0.1/'],
  ...[
    'http://127.0.0.1@public.example.com/',
    'http://public.example.com:80@127.0.0.1/',
    'http://a%40b@public.example.com/',
  ],
  ...[
    'http://127.0.0.1#@public.example.com/',
    'http://127.0.0.1?@public.example.com/',
    'http://127.0.0.1;@public.example.com/',
  ],
  ...['http://public.example.com\\@127.0.0.1/', 'http:\\\\public.example.com\\', 'http:/\\public.example.com/'],
  ...['http://public.example.com/a\\b', 'http://127.0.0.1\\.public.example.com/', 'ht\ttp://public.example.com/'],
  ...['http://public.exam\nple.com/', 'http://public.example.com/\r\nHost: evil', ' http://public.example.com/'],
  ...['http://public.example.com/ ', 'http://public.example.com/a b', 'http://public.example.com/\u0000'],
  ...['\u0001http://public.example.com/', 'http://public.example.com/\u007f', 'http://public.example.com/\u0085'],
  ...['http://public.example.com:0/', 'http://public.example.com:00/', 'http://public.example.com:65536/'],
  ...['http://public.example.com:-1/', 'http://public.example.com:80x/', 'http://public.example.com:99999999/'],
  ...['http://public.example.com:8 0/', 'http://public.example.com::80/', 'https://[::1]:443/', 'https://[::1]'],
  ...['http://api.gatehouse.example/', 'http://API.Gatehouse.Example/x', 'https://api.gatehouse.example:8443/'],
  ...[
    'https://app.gatehouse.example/',
    'https://media.gatehouse.example/external/x/y',
    'http://api.gatehouse。example/',
  ],
  `http://public.example.com/${'a'.repeat(8192)}`,
  `http://public.example.com/${'ä'.repeat(4090)}`,
];

const PORTS = [
  21, 22, 23, 25, 53, 81, 110, 143, 389, 465, 587, 2375, 3306, 5432, 6379, 8080, 9200, 11211, 27017, 65535,
];

/** A network with fake DNS. Connections that pass the checks reach the trap, except those to the redirecting origin. */
class FakeNetwork extends Network {
  readonly ways: string[] = [];
  readonly asked: string[] = [];
  answers: (name: string) => readonly string[] = () => [PUBLIC];
  ports = { trap: 0, origin: 0 };

  override async resolve(name: string): Promise<readonly string[]> {
    this.asked.push(name);
    return name === 'origin.example.com' ? [ORIGIN] : this.answers(name);
  }

  override endpointFor(address: string) {
    if (address === ORIGIN) return { address: '127.0.0.1', port: this.ports.origin };
    this.ways.push(address);
    return { address: '127.0.0.1', port: this.ports.trap };
  }
}

const listen = async (server: Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
};

describe('media.md section 6: which targets are fetched for a user', () => {
  const network = new FakeNetwork();
  let outbound: Outbound;
  let config: Config;
  let trap: Server;
  let origin: Server;
  let trapped = 0;
  let location: string | undefined;
  let status = 302;
  let tricks = 0;

  beforeAll(async () => {
    config = loadConfig({
      NODE_ENV: 'test',
      GATEHOUSE_SECRET: Buffer.alloc(32, 7).toString('base64'),
      PUBLIC_ORIGIN: 'https://api.gatehouse.example',
      WEB_APP_URL: 'https://app.gatehouse.example',
      MEDIA_BASE_URL: 'https://media.gatehouse.example',
    });
    trap = createServer((_req, res) => void res.end('trapped')).on('connection', () => trapped++);
    origin = createServer((_req, res) => {
      res.writeHead(status, location === undefined ? {} : { location }).end();
    });
    network.ports = { trap: await listen(trap), origin: await listen(origin) };
    outbound = new Outbound(config, network);
  });

  afterAll(async () => {
    await outbound.onApplicationShutdown();
    for (const server of [trap, origin]) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });

  beforeEach(() => {
    network.answers = () => [PUBLIC];
    network.ways.length = 0;
    trapped = 0;
  });

  const fetchOne = (url: string, ports: number[] = []) =>
    outbound.fetchForUser({
      ...{ url, rules: { ports, ownHosts: getOwnHosts(config) }, client: '192.0.2.1', maxBytes: 1000, timeoutMs: 5000 },
    });

  /** Returns how a fetch ended: the reason for the rejection, or the response status. */
  async function outcome(url: string, ports?: number[]): Promise<string> {
    tricks++;
    try {
      const response = await fetchOne(url, ports);
      response.body.destroy();
      return `answered ${response.status}`;
    } catch (error) {
      return error instanceof OutboundFault ? error.reason : String(error);
    }
  }

  async function expectAllRefused(urls: readonly string[], ports?: number[]): Promise<void> {
    const outcomes: string[] = [];
    for (const url of urls) {
      const end = await outcome(url, ports);
      if (end !== 'target') outcomes.push(`${JSON.stringify(url.slice(0, 100))}: ${end}`);
    }
    expect(outcomes).toEqual([]);
    expect({ trapped, ways: network.ways }).toEqual({ trapped: 0, ways: [] });
  }

  test('an ordinary URL is fetched from the address that was checked', async () => {
    const response = await fetchOne('http://public.example.com/a?b#c');
    let text = '';
    for await (const chunk of response.body) text += chunk;
    expect({ text, url: response.url, trapped, ways: network.ways }).toEqual({
      text: 'trapped',
      url: 'http://public.example.com/a?b',
      trapped: 1,
      ways: [PUBLIC],
    });
  });

  test('the host is a public name: no IP address in any notation, no local name', () =>
    expectAllRefused(HOSTS.flatMap((host) => [`http://${host}/`, `https://${host}:8443/a?b#c`])));

  test('only http and https are supported', () =>
    expectAllRefused(
      SCHEMES.flatMap((scheme) => [`${scheme}://public.example.com/`, `${scheme}:public.example.com/`]),
    ));

  test('no user info, no control characters, no backslash, no odd port, none of our own hosts, at most 8192 bytes', () =>
    expectAllRefused(WHOLE_URLS));

  test('with a list of ports, every other port is rejected', async () => {
    await expectAllRefused(
      PORTS.map((port) => `http://public.example.com:${port}/`),
      [80, 443],
    );
    expect(await outcome('http://public.example.com/', [80, 443])).toBe('answered 200');
    expect(await outcome('https://public.example.com/', [80])).toBe('target');
  });

  test('one non-public address in the DNS response rejects the host', async () => {
    for (const bad of [...INNER_4, ...INNER_6, ...NO_ADDRESS]) {
      const sets = [[bad], [PUBLIC, bad], [bad, PUBLIC], [...Array(19).fill(PUBLIC), bad], [PUBLIC_6, bad]];
      for (const [index, responses] of sets.entries()) {
        network.answers = () => responses;
        expect({ bad, index, end: await outcome('http://public.example.com/') }).toEqual({ bad, index, end: 'target' });
      }
    }
    expect({ trapped, ways: network.ways }).toEqual({ trapped: 0, ways: [] });
  });

  test('a name without addresses is rejected like any other', async () => {
    network.answers = () => [];
    expect(await outcome('http://public.example.com/')).toBe('target');
    network.answers = () => {
      throw new Error('ENOTFOUND');
    };
    expect(await outcome('http://public.example.com/')).toBe('target');
    expect({ trapped, ways: network.ways }).toEqual({ trapped: 0, ways: [] });
  });

  test('a name that resolves to a private address after its check is never contacted there', async () => {
    const turns = [PUBLIC, '127.0.0.1', '169.254.169.254', '::1'];
    network.answers = (name) => (name === 'turning.example.com' ? [turns.shift() ?? '10.0.0.1'] : [PUBLIC]);
    const ends: string[] = [];
    for (let attempt = 0; attempt < 5; attempt++) {
      ends.push(await outcome(`http://turning.example.com:${8000 + attempt}/`));
    }
    expect(ends).toEqual(['answered 200', 'target', 'target', 'target', 'target']);
    expect(network.ways).toEqual([PUBLIC]);
  });

  test('each connection resolves the name once: the checked address is used', async () => {
    network.asked.length = 0;
    await outcome('http://once.example.com/');
    expect(network.asked).toEqual(['once.example.com']);
  });

  test('every rule also applies to redirects', async () => {
    network.answers = (name) => (name.startsWith('inner') ? ['10.0.0.1'] : [PUBLIC]);
    const locations = [
      ...HOSTS.filter((host) => !/[^\x21-\x7e]/.test(host)).map((host) => `http://${host}/`),
      ...SCHEMES.map((scheme) => `${scheme}://public.example.com/`),
      ...['file:///etc/passwd', 'data:text/html,x', 'javascript:alert(1)', 'about:blank', 'http://:80/', 'http://'],
      ...['//127.0.0.1/', '\\\\127.0.0.1\\', '/\\127.0.0.1/', '//user@public.example.com/', '//[::1]/', '//localhost/'],
      ...['http://user@public.example.com/', 'http://@public.example.com/', 'http://inner.example.com/'],
      ...[
        '//inner.example.com/',
        'https://api.gatehouse.example/',
        '//app.gatehouse.example/',
        'http://a.example.com:0/',
      ],
    ];
    const outcomes: string[] = [];
    for (const [index, value] of locations.entries()) {
      location = value;
      status = [301, 302, 303, 307, 308][index % 5] as number;
      const end = await outcome(`http://origin.example.com/${index}`);
      if (end !== 'target') outcomes.push(`${JSON.stringify(value.slice(0, 100))}: ${end}`);
    }
    expect(outcomes).toEqual([]);
    expect({ trapped, ways: network.ways }).toEqual({ trapped: 0, ways: [] });
  });

  test('an invalid redirect, a redirect loop or a sixth redirect ends the fetch', async () => {
    status = 302;
    location = undefined;
    expect(await outcome('http://origin.example.com/nowhere')).toBe('redirect');
    location = '/circle';
    expect(await outcome('http://origin.example.com/circle')).toBe('redirect');
    location = '#again';
    expect(await outcome('http://origin.example.com/circle')).toBe('redirect');
    origin.removeAllListeners('request');
    origin.on('request', (req, res) => {
      const step = Number(req.url?.slice(1));
      if (step === 0) res.end('arrived');
      else res.writeHead(307, { location: `/${step - 1}` }).end();
    });
    expect(await outcome('http://origin.example.com/5')).toBe('answered 200');
    expect(await outcome('http://origin.example.com/6')).toBe('redirect');
    expect({ trapped, ways: network.ways }).toEqual({ trapped: 0, ways: [] });
  });

  test('the check of the text alone gives the same results, without any network', () => {
    const rules = { ports: [], ownHosts: getOwnHosts(config) };
    expect(parseTarget('HTTPS://Public.EXAMPLE.com:443/a/../b?c#d', rules)?.href).toBe(
      'https://public.example.com/b?c',
    );
    expect(WHOLE_URLS.filter((url) => parseTarget(url, rules) !== null)).toEqual([]);
  });

  test('the corpus contains more than 600 attacks', () => {
    expect(tricks).toBeGreaterThan(600);
  });
});
