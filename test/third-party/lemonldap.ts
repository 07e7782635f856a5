import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { missing, programPath } from '../machine/programs.js';
import { until } from '../machine/service-process.js';

const FOLDER = '/usr/share/lemonldap-ng/portal';
const PORTAL = `${FOLDER}/htdocs/index.psgi`;

/** The reason why lemonldap-ng cannot run here, if it cannot. */
export const lemonldapMissing = missing(
  'plackup',
  PORTAL,
  '/usr/share/perl5/GD/SecurityImage.pm',
  '/usr/share/perl5/Image/Magick.pm',
  '/usr/share/perl5/IO/String.pm',
  '/usr/share/perl5/String/Random.pm',
);

export interface LemonldapClient {
  readonly port: number;
  /** URL of the OpenID Provider. */
  readonly issuer: string;
  readonly id: string;
  readonly secret: string;
}

/** The documents that an administrator of lemonldap-ng copies from the provider. */
async function documentsOf(issuer: string): Promise<{ metadata: string; keys: string }> {
  const read = async (url: string) => (await fetch(url)).text();
  const metadata = await read(`${issuer}/.well-known/openid-configuration`);
  return { metadata, keys: await read(JSON.parse(metadata).jwks_uri) };
}

/** The portal of lemonldap-ng, as it is installed. */
export class Lemonldap {
  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
    private readonly directory: string,
  ) {}

  /** Starts a portal that signs users in with an OpenID Provider. */
  static async start({ port, issuer, id, secret }: LemonldapClient): Promise<Lemonldap> {
    const { metadata, keys } = await documentsOf(issuer);
    const options = {
      oidcOPMetaDataOptionsClientID: id,
      oidcOPMetaDataOptionsClientSecret: secret,
      oidcOPMetaDataOptionsScope: 'openid profile email',
      oidcOPMetaDataOptionsTokenEndpointAuthMethod: 'client_secret_basic',
      oidcOPMetaDataOptionsCheckJWTSignature: 1,
      oidcOPMetaDataOptionsUseNonce: 1,
      oidcOPMetaDataOptionsMaxAge: 3600,
      oidcOPMetaDataOptionsStoreIDToken: 1,
      oidcOPMetaDataOptionsJWKSTimeout: 60,
    };
    const url = `http://127.0.0.1:${port}`;
    return Lemonldap.launch(port, url, {
      ...{ domain: '127.0.0.1', authentication: 'OpenIDConnect', userDB: 'Same' },
      locationRules: { '127.0.0.1': { default: 'accept' } },
      oidcOPMetaDataJSON: { gatehouse: metadata },
      oidcOPMetaDataJWKS: { gatehouse: keys },
      oidcOPMetaDataOptions: { gatehouse: options },
      oidcOPMetaDataExportedVars: { gatehouse: { uid: 'sub', cn: 'name', mail: 'email' } },
      // The session of the caller can be read as JSON.
      ...{ restSessionServer: 1, exportedAttr: 'uid cn mail _oidc_OP _oidc_access_token' },
    });
  }

  /** Starts a portal at this URL, which may belong to a proxy of the port. */
  static async launch(port: number, url: string, settings: object): Promise<Lemonldap> {
    const directory = mkdtempSync(join(tmpdir(), 'gatehouse-lemonldap-'));
    for (const name of ['conf', 'sessions', 'locks']) mkdirSync(join(directory, name));
    const configuration = {
      ...{ cfgNum: 1, cfgAuthor: 'test', cfgDate: 1, cfgVersion: '2.16.1', key: 'a long random value' },
      ...{ portal: `${url}/`, securedCookie: 0, cookieName: 'lemonldap', passwordDB: 'Null' },
      globalStorage: 'Apache::Session::File',
      globalStorageOptions: { Directory: join(directory, 'sessions'), LockDirectory: join(directory, 'locks') },
      // Every request reads the session from its file.
      ...{ localSessionStorage: '', handlerInternalCache: 0 },
      ...settings,
    };
    writeFileSync(join(directory, 'conf/lmConf-1.json'), JSON.stringify(configuration));
    writeFileSync(
      join(directory, 'lemonldap-ng.ini'),
      `[all]
logLevel = warn
[configuration]
type = File
dirName = ${directory}/conf
localStorage = Cache::NullCache
[portal]
staticPrefix = /static
templateDir = ${FOLDER}/templates
languages = en
`,
    );
    const child = spawn(programPath('plackup') ?? '', ['--host', '127.0.0.1', '--port', String(port), PORTAL], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { PATH: process.env.PATH, LLNG_DEFAULTCONFFILE: join(directory, 'lemonldap-ng.ini') },
    });
    const log = text(child.stderr);
    const portal = new Lemonldap(url, child, directory);
    try {
      await until(async () => {
        if (child.exitCode !== null) throw new Error(`lemonldap-ng ended: ${await log}`);
        return (await fetch(`http://127.0.0.1:${port}`, { redirect: 'manual' }).catch(() => null)) !== null;
      });
    } catch (error) {
      await portal.close();
      throw error;
    }
    return portal;
  }

  /** Makes the access tokens of all sessions count as expired. */
  expireAccessTokens(): void {
    const folder = join(this.directory, 'sessions');
    for (const name of readdirSync(folder)) {
      const session = readFileSync(join(folder, name), 'utf8');
      writeFileSync(join(folder, name), session.replace(/("_oidc_access_token_eol":)[^,}]+/, '$11'));
    }
  }

  async close(): Promise<void> {
    this.child.kill('SIGTERM');
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'exit');
    rmSync(this.directory, { recursive: true, force: true });
  }
}
