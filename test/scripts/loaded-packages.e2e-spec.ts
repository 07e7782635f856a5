import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { preparedDirectory } from '../machine/service-process.js';

const root = join(import.meta.dirname, '../..');
const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const DIRECT = Object.keys({ ...dependencies, ...peerDependencies });

/**
 * Packages that every start loads. Each new one slows down every start, so first check whether it can be loaded later.
 */
const ALWAYS = [
  ...['@nestjs/common', '@nestjs/core', '@nestjs/platform-ws', '@nestjs/websockets', 'reflect-metadata', 'rxjs'],
  ...['class-transformer', 'class-validator', 'pg', 'typeorm', 'ws'],
  ...['@node-rs/argon2', 'jose', 'otpauth', 'pino', 'prom-client', '@opentelemetry/api'],
  ...['bowser', 'busboy', 'eta', 'file-type', 'ipaddr.js'],
];

/** Packages that a configuration loads in addition. Packages in neither list are loaded on first use. */
const BY_CONFIGURATION: readonly [what: string, env: Record<string, string>, packages: readonly string[]][] = [
  [
    'Express and nothing that has to be asked for',
    { HTTP_PLATFORM: 'express' },
    ['@electric-sql/pglite', '@nestjs/platform-express', 'express'],
  ],
  [
    'Fastify, S3 and traces',
    {
      HTTP_PLATFORM: 'fastify',
      MEDIA_STORAGE: 's3',
      MEDIA_S3_ENDPOINT: 'http://127.0.0.1:9',
      MEDIA_S3_ACCESS_KEY_ID: 'id',
      MEDIA_S3_SECRET_ACCESS_KEY: 'key',
      MEDIA_S3_UPLOADS_BUCKET: 'uploads',
      MEDIA_S3_MEDIA_BUCKET: 'media',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
    },
    [
      ...['@electric-sql/pglite', '@nestjs/platform-fastify', '@aws-sdk/client-s3'],
      ...['@opentelemetry/core', '@opentelemetry/exporter-trace-otlp-http', '@opentelemetry/resources'],
      '@opentelemetry/sdk-trace-node',
      // Dependencies of Fastify.
      ...['ajv', 'semver'],
    ],
  ],
];

/**
 * The direct dependencies that are loaded once the service is ready and, if `path` is given, has answered a request.
 */
async function loadedBy(entry: string, env: Record<string, string>, path?: string): Promise<string[]> {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-loaded-'));
  const child = spawn(process.execPath, [join(root, entry)], {
    cwd: directory,
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      LOG_LEVEL: 'error',
      MAX_LOOP_DELAY_MS: '0',
      DATA_DIR: preparedDirectory(directory),
      NODE_OPTIONS: `--no-warnings --require ${join(root, 'bench/servers/loading.cjs')}`,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  try {
    let out = '';
    while (!/^Database .+\n/m.test(out)) {
      const [chunk] = await Promise.race([once(child.stdout as NodeJS.EventEmitter, 'data'), once(child, 'exit')]);
      if (child.exitCode !== null) throw new Error(`the service ended: ${out}`);
      out += chunk;
    }
    const [, url] = /^Listening +(http:\S+)$/m.exec(out) ?? [];
    if (path) expect((await fetch(`${url}${path}`)).status).toBe(200);
    child.send('loaded');
    const [files] = (await once(child, 'message')) as [[file: string, ms: number][]];
    const loaded = files.map(([file]) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1]);
    return DIRECT.filter((name) => loaded.includes(name));
  } finally {
    child.kill('SIGTERM');
    await once(child, 'exit');
    rmSync(directory, { recursive: true, force: true });
  }
}

test.each(BY_CONFIGURATION)(
  'a start loads only the packages that its configuration uses: %s',
  async (_what, env, packages) => {
    expect((await loadedBy('dist/src/main.cjs', env)).sort()).toEqual([...ALWAYS, ...packages].sort());
  },
);

test('no second copy of a bundled package is loaded, not even by lazy imports', async () => {
  const apart = ['@electric-sql/pglite', '@node-rs/argon2', '@opentelemetry/api', 'pg', 'ws'];
  expect((await loadedBy('dist/service/main.cjs', {}, '/openapi.json')).sort()).toEqual(apart);
});

describe('the bundle is cheap to store and to start', () => {
  const home = join(root, 'dist/service');
  const chunks = readdirSync(home).filter((name) => name.endsWith('.js'));
  const textOf = (name: string) => readFileSync(join(home, name), 'utf8');
  const withAny = (pattern: RegExp) => chunks.filter((name) => pattern.test(textOf(name)));

  test('no character makes V8 store two bytes per character', () => {
    expect(chunks.length).toBeGreaterThan(10);
    expect(withAny(/[\u0100-\uffff]/)).toEqual([]);
  });

  test('no module is wrapped in a function that V8 parses twice', () => {
    expect(withAny(/__(commonJSMin|esmMin)\(\(function\(/)).not.toEqual([]);
    // An empty function is allowed, because V8 has nothing to read there.
    expect(withAny(/__(commonJSMin|esmMin)\(\((async )?\([^()]*\) => \{(?!\}\))/)).toEqual([]);
  });

  test('no Node module is imported as a namespace, which would load all its members', () => {
    const imported = chunks.flatMap((name) => [...textOf(name).matchAll(/^import [^;]*?"([^"]+)";$/gm)]);
    const names = imported.map(([, from = '']) => from);
    expect(names).toContain('pg');
    expect(names.filter(isBuiltin)).toEqual([]);
  });

  test('TypeORM loads only its PostgreSQL driver', () => {
    const runners = chunks.flatMap((name) => [...textOf(name).matchAll(/\b(\w+)QueryRunner = class extends/g)]);
    expect(runners.map(([, database]) => database)).toEqual(['Postgres']);
  });
});
