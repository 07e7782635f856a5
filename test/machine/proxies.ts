import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './ports.js';
import { programPath } from './programs.js';
import { until } from './service-process.js';

/** Whether a server on this machine accepts connections on a port. */
export function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  return once(socket, 'connect')
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy());
}

/** Starts a proxy that listens on `port`. Returns what ends it and removes its folder. */
export async function startProxy(
  { name, args, folder, env = process.env }: ProxyProgram,
  port: number,
): Promise<() => Promise<void>> {
  const child: ChildProcess = spawn(programPath(name) ?? name, args, { stdio: 'ignore', env });
  await until(() => {
    if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}`);
    return accepts(port);
  });
  return async () => {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
    rmSync(folder, { recursive: true, force: true });
  };
}

interface ProxyProgram {
  readonly name: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** A proxy that sends the requests of all clients over persistent connections to the service. */
export interface ReusingProxy {
  readonly port: number;
  close(): Promise<void>;
}

/** Proxy programs with their configurations. Each keeps one connection to the service and never retries a request. */
export const REUSING = {
  nginx: (port: number, service: number, folder: string) => [
    ...['daemon off;', 'master_process off;', `pid ${folder}/pid;`, `error_log ${folder}/errors;`],
    'events {}',
    // Requests that the service must reject are not rejected by the proxy.
    'http { access_log off; client_max_body_size 0; proxy_request_buffering off; large_client_header_buffers 8 16k;',
    ...['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`),
    `upstream service { server 127.0.0.1:${service}; keepalive 1; }`,
    `server { listen 127.0.0.1:${port};`,
    'location / { proxy_pass http://service; proxy_http_version 1.1; proxy_set_header Connection "";',
    'proxy_next_upstream off; proxy_buffering off; } } }',
  ],
  haproxy: (port: number, service: number) => [
    // The same for HAProxy, whose defaults are 16 KiB of headers in 101 lines.
    ...['global', 'tune.bufsize 65536', 'tune.http.maxhdr 1024'],
    'defaults',
    ...['mode http', 'retries 0', 'timeout connect 10s', 'timeout client 60s', 'timeout server 60s'],
    'listen front',
    ...[`bind 127.0.0.1:${port}`, 'http-reuse always', `server service 127.0.0.1:${service}`],
  ],
} as const;

const ARGUMENTS = {
  nginx: (folder: string, file: string) => ['-p', folder, '-c', file, '-e', `${folder}/errors`],
  haproxy: (_folder: string, file: string) => ['-db', '-q', '-f', file],
};

/** Starts a proxy in front of a service. */
export async function reusingProxy(name: keyof typeof REUSING, service: number): Promise<ReusingProxy> {
  const folder = mkdtempSync(join(tmpdir(), `gatehouse-${name}-`));
  const port = await freePort();
  const file = join(folder, 'settings');
  writeFileSync(file, `${REUSING[name](port, service, folder).join('\n')}\n`);
  return { port, close: await startProxy({ name, args: ARGUMENTS[name](folder, file), folder }, port) };
}
