import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './ports.js';
import { startProxy } from './proxies.js';

const DEPLOY = join(import.meta.dirname, '../../deploy/forward-auth');
export const APACHE_MODULES = '/usr/lib/apache2/modules';

/** The ports that replace those of the configurations in `deploy`. */
interface Ports {
  readonly front: number;
  readonly upstream: number;
  readonly gatehouse: number;
}

/** The text of a file in `deploy/forward-auth` with these ports. */
const deployed = (name: string, { front, upstream, gatehouse }: Ports): string =>
  readFileSync(join(DEPLOY, name), 'utf8')
    .replaceAll(':8000', `:${front}`)
    .replaceAll('127.0.0.1:3000', `127.0.0.1:${upstream}`)
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${gatehouse}`);

type Start = (folder: string, ports: Ports) => { readonly program: string; readonly args: readonly string[] };

const write = (folder: string, name: string, text: string): string => {
  const file = join(folder, name);
  writeFileSync(file, text);
  // Apache reads the script as another user.
  chmodSync(file, 0o644);
  return file;
};

/** How each proxy is started with its configuration. Tests add only what has to be in their own folder. */
export const FORWARD_AUTH_PROXIES = {
  nginx: (folder, ports) => {
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
    const http = ['access_log off;', ...temporary.map((name) => `${name}_temp_path ${folder}/${name};`)].join('\n');
    const text = `daemon off; master_process off; pid ${folder}/pid;\n${deployed('nginx.conf', ports).replace('http {', `http {\n${http}`)}`;
    return {
      program: 'nginx',
      args: ['-p', folder, '-e', `${folder}/errors`, '-c', write(folder, 'nginx.conf', text)],
    };
  },
  caddy: (folder, ports) => {
    const file = write(folder, 'Caddyfile', deployed('Caddyfile', ports));
    return { program: 'caddy', args: ['run', '--adapter', 'caddyfile', '--config', file] };
  },
  haproxy: (folder, ports) => {
    const script = write(folder, 'haproxy.lua', deployed('haproxy.lua', ports));
    const text = deployed('haproxy.cfg', ports).replace('/etc/haproxy/haproxy.lua', script);
    return { program: 'haproxy', args: ['-db', '-q', '-f', write(folder, 'haproxy.cfg', text)] };
  },
  apache: (folder, ports) => {
    const modules = ['mpm_event', 'authz_core', 'lua', 'proxy', 'proxy_http', 'headers', 'setenvif'];
    const script = write(folder, 'apache.lua', deployed('apache.lua', ports));
    const text = [
      ...[`ServerRoot ${folder}`, 'ServerName localhost', `PidFile ${folder}/pid`, `ErrorLog ${folder}/errors`],
      ...[`Mutex file:${folder}`, 'User www-data', 'Group www-data'],
      ...modules.map((name) => `LoadModule ${name}_module ${APACHE_MODULES}/mod_${name}.so`),
      deployed('apache.conf', ports).replace('/etc/apache2/apache.lua', script),
    ].join('\n');
    return { program: 'apache2', args: ['-D', 'FOREGROUND', '-f', write(folder, 'apache.conf', text)] };
  },
} satisfies Record<string, Start>;

/** A service behind a proxy, which records the requests that reach it. */
export interface ProtectedService {
  /** The URL of the proxy. */
  readonly url: string;
  readonly port: number;
  /** The raw headers of each request that reached the service, and its method, URL and body. */
  readonly received: { readonly method: string; readonly url: string; readonly raw: string[]; readonly body: string }[];
  close(): Promise<void>;
}

async function bodyOf(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** Starts a proxy with its configuration in `deploy`, and a service behind it. */
export async function protectedService(
  name: keyof typeof FORWARD_AUTH_PROXIES,
  gatehouse: number,
): Promise<ProtectedService> {
  const received: ProtectedService['received'] = [];
  const upstream = createServer((req, res) => {
    void bodyOf(req).then((body) => {
      received.push({ method: req.method ?? '', url: req.url ?? '', raw: req.rawHeaders, body });
      res.end('document');
    });
  }).listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  // Its user cannot read the folder of the tests.
  const folder = mkdtempSync(join(name === 'apache' ? '/tmp' : tmpdir(), `gatehouse-${name}-`));
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, 'home'));
  const front = await freePort();
  const ports = { front, upstream: (upstream.address() as AddressInfo).port, gatehouse };
  const { program, args } = FORWARD_AUTH_PROXIES[name](folder, ports);
  const env = { ...process.env, HOME: join(folder, 'home') };
  const closeProxy = await startProxy({ name: program, args, folder, env }, front);
  return {
    url: `http://127.0.0.1:${front}`,
    port: front,
    received,
    async close() {
      await closeProxy();
      upstream.closeAllConnections();
      upstream.close();
    },
  };
}
