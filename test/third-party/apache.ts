import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../machine/ports.js';
import { missing, programPath } from '../machine/programs.js';
import { until } from '../machine/service-process.js';

const MODULES = '/usr/lib/apache2/modules';
const LOADED = ['mpm_event', 'authn_core', 'authz_core', 'authz_user', 'headers', 'socache_shmcb', 'auth_openidc'];

const FILES = ['index', 'mail', 'private'];

/** The reason why Apache cannot run here, if it cannot. */
export const apacheMissing = missing('apache2', `${MODULES}/mod_auth_openidc.so`);

/** Apache with mod_auth_openidc in front of files. */
export class Apache {
  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
    private readonly directory: string,
  ) {}

  /** `/` requires a valid token, `/mail` one with the scope `email`. Both return the user ID in `X-User`. */
  static open(issuer: string, { id, secret }: { id: string; secret: string }): Promise<Apache> {
    return Apache.start(`OIDCOAuthClientID ${id}
OIDCOAuthClientSecret ${secret}
OIDCOAuthServerMetadataURL ${issuer}/.well-known/oauth-authorization-server
OIDCOAuthIntrospectionEndpointAuth client_secret_basic
# What was said of a token is not kept: the next request asks again.
OIDCOAuthTokenIntrospectionInterval -1
OIDCOAuthRemoteUserClaim sub
Header set X-User expr=%{REMOTE_USER}
<Location />
  AuthType oauth20
  Require valid-user
</Location>
<Location /mail>
  Require claim scope~(^|[[:space:]])email($|[[:space:]])
</Location>
`);
  }

  /** Starts a server with these directives. They can use the variables of the environment. */
  static async start(
    directives: string,
    { port: given, env = {} }: { port?: number; env?: Record<string, string> } = {},
  ): Promise<Apache> {
    const directory = mkdtempSync(join(tmpdir(), 'gatehouse-apache-'));
    const port = given ?? (await freePort());
    mkdirSync(join(directory, 'files'));
    for (const name of FILES) writeFileSync(join(directory, 'files', name), `this is ${name}\n`);
    writeFileSync(
      join(directory, 'apache.conf'),
      `ServerRoot ${directory}
ServerName 127.0.0.1
Listen 127.0.0.1:${port}
PidFile ${directory}/apache.pid
DefaultRuntimeDir ${directory}
Mutex file:${directory}
ErrorLog ${directory}/error.log
StartServers 1
${LOADED.map((name) => `LoadModule ${name}_module ${MODULES}/mod_${name}.so`).join('\n')}
DocumentRoot ${directory}/files
${directives}`,
    );
    const isRoot = process.getuid?.() === 0;
    const nobody = isRoot ? { uid: 65534, gid: 65534 } : {};
    const own = ['', 'apache.conf', 'files', ...FILES.map((name) => `files/${name}`)];
    if (isRoot) for (const path of own) chownSync(join(directory, path), 65534, 65534);
    const args = ['-D', 'FOREGROUND', '-f', join(directory, 'apache.conf')];
    const child = spawn(programPath('apache2') ?? '', args, {
      ...nobody,
      stdio: 'ignore',
      env: { PATH: process.env.PATH, ...env },
    });
    const apache = new Apache(`http://127.0.0.1:${port}`, child, directory);
    try {
      await until(() => apache.isUp(port));
    } catch (error) {
      await apache.close();
      throw error;
    }
    return apache;
  }

  private async isUp(port: number): Promise<boolean> {
    if (this.child.exitCode !== null) throw new Error(`Apache ended: ${this.said()}`);
    const socket = connect(port, '127.0.0.1');
    return once(socket, 'connect')
      .then(
        () => true,
        () => false,
      )
      .finally(() => socket.destroy());
  }

  private said(): string {
    const path = join(this.directory, 'error.log');
    return existsSync(path) ? readFileSync(path, 'utf8') : 'before it had a log';
  }

  /** Sends a request. Returns the status and the user that Apache identified. */
  async asked(path: string, authorization?: string): Promise<{ status: number; user: string | null; text: string }> {
    const response = await fetch(this.url + path, { headers: authorization ? { authorization } : {} });
    const user = response.headers.get('x-user');
    return { status: response.status, user: user === '' ? null : user, text: await response.text() };
  }

  async close(): Promise<void> {
    this.child.kill('SIGTERM');
    if (this.child.exitCode === null) await once(this.child, 'exit');
    rmSync(this.directory, { recursive: true, force: true });
  }
}
