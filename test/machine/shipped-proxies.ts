import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './ports.js';
import { startProxy } from './proxies.js';

const deploy = join(import.meta.dirname, '../../deploy');

/** The shipped configuration of each proxy, and its arguments. */
const SHIPPED = {
  nginx: {
    file: 'nginx/nginx.conf',
    args: (folder: string, file: string) => [
      ...['-p', folder, '-c', file, '-e', `${folder}/errors`],
      ...['-g', `daemon off; master_process off; pid ${folder}/pid;`],
    ],
  },
  haproxy: { file: 'haproxy/haproxy.cfg', args: (_folder: string, file: string) => ['-db', '-q', '-f', file] },
  caddy: {
    file: 'caddy/Caddyfile',
    args: (_folder: string, file: string) => ['run', '--config', file, '--adapter', 'caddyfile'],
  },
} as const;

export type ShippedProxy = keyof typeof SHIPPED;
export const SHIPPED_PROXIES = Object.keys(SHIPPED) as ShippedProxy[];

/** Starts a proxy with the configuration that `deploy` contains, in front of two ports of this machine. */
export async function startShipped(name: ShippedProxy, ports: readonly [number, number]) {
  const folder = mkdtempSync(join(tmpdir(), `gatehouse-${name}-`));
  const port = await freePort();
  const { file, args } = SHIPPED[name];
  const text = ports
    .reduce(
      (settings, of, index) => settings.replaceAll(`gatehouse-${index + 1}:8080`, `127.0.0.1:${of}`),
      readFileSync(join(deploy, file), 'utf8'),
    )
    // The names of the three at their address.
    .replace('listen 80;', `listen 127.0.0.1:${port};`)
    .replace('bind :80', `bind 127.0.0.1:${port}`)
    .replace(/^:80 \{/m, `{\n\tadmin off\n}\nhttp://127.0.0.1:${port} {`)
    .replace('/var/log/nginx/gatehouse.log', join(folder, 'access'))
    .replace(
      'http {',
      `http {\n${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${folder}/${kind};`).join('\n')}`,
    );
  const settings = join(folder, 'settings');
  writeFileSync(settings, text);
  const env = { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: folder };
  const close = await startProxy({ name, args: args(folder, settings), folder, env }, port);
  return { url: `http://127.0.0.1:${port}`, close };
}
