import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configOf, root, text } from './repository.js';

const SECRETS = {
  GATEHOUSE_SECRET: randomBytes(32).toString('base64'),
  DATABASE_URL: 'postgres://gatehouse@db.example/gatehouse',
};
/** The secrets that the page for Fly.io and Railway lists. */
const PLATFORM_SECRETS = {
  ...SECRETS,
  REDIS_URL: 'redis://redis.example:6379',
  MAIL_FROM: 'accounts@id.example',
  SMTP_URL: 'smtps://user:password@mail.example:465',
  MEDIA_S3_ENDPOINT: 'https://s3.example',
  MEDIA_S3_UPLOADS_BUCKET: 'uploads',
  MEDIA_S3_MEDIA_BUCKET: 'media',
  MEDIA_S3_ACCESS_KEY_ID: 'key',
  MEDIA_S3_SECRET_ACCESS_KEY: 'secret',
  TRUSTED_PROXIES: '192.0.2.1',
};

/** The variables of lines such as `NAME=value` or `NAME = "value"`. */
const variables = (lines: string): Record<string, string> =>
  Object.fromEntries(
    [...lines.matchAll(/^\s*([A-Z_]+) ?= ?"?([^"\n]*)"?$/gm)].map(([, name, value]) => [name as string, value ?? '']),
  );
const envOf = (page: string): Record<string, string> => variables(/```env\n([\s\S]*?)```/.exec(text(page))?.[1] ?? '');
const productionImage = { NODE_ENV: 'production', HOST: '0.0.0.0' };

describe('deploy/systemd', () => {
  const unit = text('deploy/systemd/gatehouse.service');
  const setting = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? '';
  const environment = Object.fromEntries(
    setting('Environment')
      .split(' ')
      .map((pair) => pair.split('=')),
  );

  test('starts in production with the settings of the page', () => {
    const settings = envOf('docs/guides/operators/virtual-machine.md');
    expect(settings).toMatchObject({ TRUSTED_PROXIES: '127.0.0.1' });
    const config = configOf({ ...settings, ...environment, GATEHOUSE_SECRET: SECRETS.GATEHOUSE_SECRET });
    expect(config).toMatchObject({ production: true, dataDir: '/var/lib/gatehouse', host: '127.0.0.1', port: 8080 });
    expect(config.media.root).toMatch(/^\/var\/lib\/gatehouse\//);
    expect(setting('StateDirectory')).toBe('gatehouse');
    expect(setting('EnvironmentFile')).toBe('/etc/gatehouse/gatehouse.env');
  });

  test('runs the program of the image, as a user that is not root, and gives it time to end', () => {
    const [, program] = setting('ExecStart').split(' ');
    expect(text('Dockerfile')).toContain(`CMD ["node", "${program}"]`);
    expect(setting('User')).toBe('gatehouse');
    const { shutdownSeconds } = configOf({ ...SECRETS, NODE_ENV: 'test' });
    expect(Number(setting('TimeoutStopSec'))).toBeGreaterThan(shutdownSeconds);
  });

  test('the guide creates every directory of the units, and installs every unit', () => {
    const guide = text('docs/guides/operators/virtual-machine.md');
    const units = readdirSync(join(root, 'deploy/systemd'));
    const all = units.map((name) => text(join('deploy/systemd', name))).join('\n');
    for (const [, path = ''] of all.matchAll(/^(?:ReadWritePaths|WorkingDirectory)=(.+)$/gm))
      expect(guide).toContain(path);
    for (const [, path = ''] of all.matchAll(/^EnvironmentFile=(.+)$/gm)) expect(guide).toContain(path);
    for (const name of units) expect(guide).toContain(name.replace(/\.(?:service|timer)$/, ''));
    expect(text('deploy/systemd/gatehouse-backup.service')).toContain('/deploy/backup/backup.sh\n');
  });

  const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;
  /** Checks the units. The programs must exist where they are checked. */
  const verify = (change: (content: string) => string = (content) => content) => {
    const place = mkdtempSync(join(tmpdir(), 'gatehouse-unit-'));
    const paths = readdirSync(join(root, 'deploy/systemd')).map((name) => {
      const content = text(join('deploy/systemd', name)).replaceAll('/opt/gatehouse/current', root);
      writeFileSync(join(place, name), change(content.replace('/usr/bin/node', process.execPath)));
      return join(place, name);
    });
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...paths], { encoding: 'utf8' });
    rmSync(place, { recursive: true });
    return { status, faults: stderr.split('\n').filter((line) => line.includes(place)) };
  };
  (hasSystemd ? test : test.skip)(
    `the units are valid for systemd${hasSystemd ? '' : ' (skipped: systemd-analyze is not installed)'}`,
    () => {
      expect(verify()).toEqual({ status: 0, faults: [] });
      expect(verify((content) => content.replace('TimeoutStopSec=40', 'TimeoutStopSec=soon')).faults).toHaveLength(1);
    },
  );
});

describe('deploy/fly', () => {
  const toml = text('deploy/fly/fly.toml');
  const section = (name: string): string => toml.split(`\n[${name}]\n`)[1]?.split('\n[')[0] ?? '';
  const setting = (lines: string, name: string): string =>
    new RegExp(`^${name} = "?([^"\n]*)`, 'm').exec(lines)?.[1] ?? '';

  test('starts in production with its settings and the secrets of the page', () => {
    const config = configOf({ ...productionImage, ...variables(section('env')), ...PLATFORM_SECRETS });
    expect(config).toMatchObject({ production: true, migrateOnStart: false });
    expect(Number(setting(section('http_service'), 'internal_port'))).toBe(config.port);
    expect(Number.parseInt(setting(toml, 'kill_timeout'), 10)).toBeGreaterThan(config.shutdownSeconds);
    expect(setting(toml, 'kill_signal')).toBe('SIGTERM');
  });

  test('applies migrations before a release, and waits until it is ready', () => {
    expect(setting(section('deploy'), 'release_command')).toBe('node dist/src/cli.js migrate');
    expect(section('[http_service.checks]')).toContain('path = "/health/ready"');
  });
});

describe('deploy/railway', () => {
  const { build, deploy } = JSON.parse(text('deploy/railway/railway.json'));

  test('starts in production with the variables of the page', () => {
    const config = configOf({
      ...productionImage,
      ...envOf('docs/guides/operators/fly-and-railway.md'),
      ...PLATFORM_SECRETS,
      PORT: '3000',
    });
    expect(config).toMatchObject({ production: true, migrateOnStart: false, port: 3000 });
    expect(deploy.drainingSeconds).toBeGreaterThan(config.shutdownSeconds);
  });

  test('builds the image, applies migrations first, and waits until it is ready', () => {
    expect(build).toEqual({ builder: 'DOCKERFILE', dockerfilePath: 'Dockerfile' });
    expect(deploy).toMatchObject({
      preDeployCommand: ['node dist/src/cli.js migrate'],
      healthcheckPath: '/health/ready',
    });
  });
});

test('the page for Fly.io and Railway lists every secret', () => {
  const page = text('docs/guides/operators/fly-and-railway.md');
  expect(Object.keys(PLATFORM_SECRETS).filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
