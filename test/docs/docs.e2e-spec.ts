import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { Ajv } from 'ajv';
import { load } from 'js-yaml';
import { createApp } from '../../src/app.js';
import { execute } from '../../src/cli/execute.js';
import { allSettings, loadConfig } from '../../src/features.js';
import { arrivalGuardsInOrder } from '../../src/pipeline/arrival-guards.js';
import { guardsInOrder } from '../../src/pipeline/guards.js';
import { type Block, blocksOf, guidePages, patternOf } from '../machine/guides.js';
import { freePort } from '../machine/ports.js';
import { describeWithTools, Terminal } from '../machine/terminal.js';
import { ban } from '../support/bans.js';
import { openTestDatabase, type TestDatabase } from '../support/gatehouse.js';
import { Client, type Gatehouse, gatehouse } from '../support/index.js';
import { GENEROUS_TIMEOUTS } from '../support/timeouts.js';

const root = join(import.meta.dirname, '../..');
const pages = guidePages();
const blocks = pages.flatMap(blocksOf);
const where = ({ page, line }: Block): string => `${page}:${line}`;
const inLanguage = (...languages: string[]) =>
  blocks.filter(({ language, reason }) => languages.includes(language) && reason === undefined);

/** The scripts of the site have no types. */
const script = (name: string) => import(join(root, 'scripts/guides', name));

const LANGUAGES = 'bash sh text ts js jsx python env yaml nginx caddy apache json html'.split(' ');

describe('the guides: everything in them is checked', () => {
  test('every block is in a language that is run, compiled or parsed below', () => {
    expect(blocks.length).toBeGreaterThan(40);
    expect(blocks.filter(({ language }) => !LANGUAGES.includes(language)).map(where)).toEqual([]);
    const fences = pages.map((page) => readFileSync(join(root, page), 'utf8').match(/^ *```/gm)?.length ?? 0);
    expect(fences.reduce((sum, count) => sum + count, 0)).toBe(2 * blocks.length);
  });

  test('each text block is the output of the block before it', () => {
    const texts = blocks.filter(({ language }) => language === 'text');
    expect(texts.length).toBe(blocks.filter(({ prints }) => prints !== undefined).length);
  });

  test('blocks that cannot run here say why, and a shell parses them', () => {
    const marked = blocks.filter(({ reason }) => reason !== undefined);
    const counts: Record<string, number> = {};
    for (const { page } of marked) counts[page] = (counts[page] ?? 0) + 1;
    expect(counts).toEqual(NOT_RUN);
    for (const { code, language } of marked) {
      expect(language).toBe('sh');
      expect([code, spawnSync('bash', ['-n'], { input: code }).status]).toEqual([code, 0]);
      for (const [, name] of code.matchAll(/npm (?:run )?(?!ci\b|prune\b|run\b)(\w+)/g)) {
        expect(Object.keys(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts)).toContain(name);
      }
    }
  });

  test('links and anchors of the guides, the manual, the contract and the reference exist', async () => {
    const { sources, isFile, assemble } = await script('assemble.mjs');
    const { faultsOf } = await script('links.mjs');
    const { readFacts } = await script('facts.mjs');
    const { referencePages, orderDrawing } = await script('reference.mjs');
    const facts = await readFacts((path: string) => import(join(root, 'src', path.replace(/\.js$/, '.ts'))));
    const all: Map<string, string> = sources();
    const { faults, links } = faultsOf(all, isFile);
    expect(faults).toEqual([]);
    expect(links).toBeGreaterThan(100);
    all.set(
      'docs/faulty.md',
      '[a](nowhere.md) [b](guides/concepts.md#no-such) [r](guides/reference/routes.md) `[c](code.md)`',
    );
    expect(faultsOf(all, isFile).faults).toHaveLength(3);
    const { pages: site, files } = assemble(referencePages(facts));
    const isInSite = (path: string) => path === 'order.svg' || files.has(path.replace(/^files\//, ''));
    expect(faultsOf(site, isInSite).faults).toEqual([]);
    for (const [, picture = ''] of [...site.values()].join('\n').matchAll(/!\[[^\]]*\]\((\S+)\)/g)) {
      expect(picture).toMatch(/\.(?:svg|png)$/);
    }
    expect(orderDrawing(facts).match(/<rect /g)).toHaveLength(facts.rows.length);
  });

  test('the reference lists every route, error, setting, bucket and command', async () => {
    const { readFacts } = await script('facts.mjs');
    const { referencePages } = await script('reference.mjs');
    const facts = await readFacts((path: string) => import(join(root, 'src', path.replace(/\.js$/, '.ts'))));
    const made: Map<string, string> = referencePages(facts);
    const routes = readFileSync(join(root, 'test/routes.snapshot.txt'), 'utf8').match(/^[A-Z]+ \/\S*/gm) ?? [];
    for (const route of routes)
      expect(made.get('reference/routes.md')).toContain(`\`${route.replace(/[:*](\w+)/g, '{$1}')}\``);
    for (const { name } of allSettings()) expect(made.get('reference/configuration.md')).toContain(`| \`${name}\` |`);
    for (const [code] of facts.errors) expect(made.get('reference/errors.md')).toContain(`| \`${code}\` |`);
    for (const { name } of facts.rows) expect(name).toMatch(/Guard$/);
  });

  test('the version is that of package.json on every page that names the next or the current one', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
    expect(/^## (.+)$/m.exec(changelog)?.[1]).toMatch(
      new RegExp(`^(?:Unreleased: )?${version.replaceAll('.', '\\.')}$`),
    );
    const [major] = version.split('.');
    for (const page of [...pages, 'README.md', 'docs/public.md']) {
      const text = readFileSync(join(root, page), 'utf8');
      const named = [
        ...[...text.matchAll(/gatehouse-auth-\w+-(\d+\.\d+\.\d+)\.tgz/g)].map(([, of]) => of),
        ...[...text.matchAll(/compatibleWith: '\^(\S+?)'/g)].map(([, of]) => of),
      ];
      expect([page, named.filter((of) => of !== version && of?.split('.')[0] !== major)]).toEqual([page, []]);
      expect([page, /\bunreleased\b/i.test(text)]).toEqual([page, false]);
    }
    const broken = readFileSync(join(root, 'docs/public.md'), 'utf8').matchAll(/^\| (\d+\.\d+\.\d+) \|/gm);
    for (const [, of = ''] of broken) expect(of.localeCompare(version, 'en', { numeric: true })).toBeLessThanOrEqual(0);
  });

  test('the order of outcomes is that of the service', () => {
    const rows = [...arrivalGuardsInOrder(), ...guardsInOrder()].map(({ name }) => name);
    const said = [...readFileSync(join(root, 'docs/guides/concepts.md'), 'utf8').matchAll(/^\d+\. `(\w+)`/gm)];
    expect(said.map(([, name]) => name)).toEqual(rows);
  });
});

/** How many blocks of each page are not run. */
const NOT_RUN: Readonly<Record<string, number>> = {
  'docs/description.md': 1,
  'docs/guides/operators/backup.md': 3,
  'docs/guides/operators/capacity.md': 1,
  'docs/guides/operators/container.md': 3,
  'docs/guides/operators/database.md': 4,
  'docs/guides/operators/fly-and-railway.md': 1,
  'docs/guides/operators/kubernetes.md': 2,
  'docs/guides/operators/runbooks.md': 5,
  'docs/guides/operators/virtual-machine.md': 3,
  'docs/guides/quick-start.md': 1,
  'docs/guides/tour.md': 2,
};

/** Runs a block, and expects the output that the page shows. */
async function paste(terminal: Terminal, block: Block): Promise<void> {
  const { output, status } = await terminal.paste(block.code);
  expect({ at: where(block), output, status }).toEqual({ at: where(block), output, status: 0 });
  if (block.prints === undefined) return;
  expect({ at: where(block), output: output.trim() }).toEqual({
    at: where(block),
    output: expect.stringMatching(patternOf(block.prints)),
  });
}

describeWithTools('the guides, pasted into a terminal (skipped if bash or curl is missing)', () => {
  const place = join(root, 'dist', `guides-${randomBytes(4).toString('hex')}`);
  let service: Gatehouse;
  let env: Record<string, string | undefined>;
  beforeAll(async () => {
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    service = await gatehouse({ env: { PORT: String(port), PUBLIC_ORIGIN: origin, RATE_LIMITS: 'on' } });
    env = { ...process.env, API: origin, LC_ALL: 'C.UTF-8' };
    mkdirSync(place, { recursive: true });
    // The third-party clients are installed there.
    symlinkSync(join(root, 'test/node_modules'), join(place, 'node_modules'));
  });
  afterAll(async () => {
    await service?.close();
    rmSync(place, { recursive: true, force: true });
  });

  const commands = inLanguage('bash');

  test.each([...new Set(commands.map(({ page }) => page))])('%s works on its own', async (page) => {
    const terminal = new Terminal(env);
    try {
      for (const block of commands.filter((one) => one.page === page)) await paste(terminal, block);
    } finally {
      terminal.end();
    }
  });

  describe('programs', () => {
    const programs = inLanguage('ts');
    const nameOf = ({ page, line }: Block): string =>
      `${page.replace('docs/', '').replaceAll('/', '-').replace('.md', '')}-${line}`;

    beforeAll(() => {
      for (const program of programs) writeFileSync(join(place, `${nameOf(program)}.ts`), program.code);
      const options = { extends: join(root, 'tsconfig.json'), include: [`${place}/*.ts`], exclude: [] };
      const compilerOptions = {
        ...{ rootDir: place, outDir: place, noEmit: false, noUnusedLocals: false, incremental: false },
        lib: ['es2024', 'dom'],
      };
      writeFileSync(join(place, 'tsconfig.json'), JSON.stringify({ ...options, compilerOptions }));
      const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
      const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', place], { encoding: 'utf8' });
      expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
    });

    test('every piece of TypeScript compiles, in one program', () => {
      expect(programs.length).toBeGreaterThan(0);
    });

    test.each(programs.filter(({ words }) => words.includes('run')).map((block) => [where(block), block] as const))(
      '%s runs',
      async (_, block) => {
        const terminal = new Terminal({ ...env, PROGRAM: join(place, `${nameOf(block)}.js`) });
        try {
          for (const { code } of commands.filter(({ page, line }) => page === block.page && line < block.line)) {
            expect(await terminal.paste(code)).toMatchObject({ status: 0 });
          }
          const { output, status } = await terminal.paste(`${process.execPath} "$PROGRAM"`);
          expect({ output: output.trim(), status }).toEqual({
            output: expect.stringMatching(patternOf(block.prints ?? '')),
            status: 0,
          });
        } finally {
          terminal.end();
        }
      },
    );
  });
});

describeWithTools('the guides in reading order, in one terminal (skipped if bash or curl is missing)', () => {
  test.each([
    ['npm start', {}],
    ['production', { LOGIN_ALLOWANCES: 'on', REGISTRATION_ALLOWANCES: 'on', ABUSE_BANS: 'on' }],
  ])('with the limits of %s', async (_, limits) => {
    const { sectionsOf } = await script('sections.mjs');
    const commands = inLanguage('bash');
    const named = new Map(commands.map(({ page }) => [page.replace('docs/guides/', '').replace('.md', ''), page]));
    const sections: { pages: string[] }[] = sectionsOf([...named.keys()]);
    const inOrder = sections.flatMap((section) => section.pages);
    expect([...inOrder].sort()).toEqual([...named.keys()].sort());
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    const service = await gatehouse({
      env: { PORT: String(port), PUBLIC_ORIGIN: origin, RATE_LIMITS: 'on', ...limits },
    });
    const terminal = new Terminal({ ...process.env, API: origin, LC_ALL: 'C.UTF-8' });
    try {
      for (const block of inOrder.flatMap((name) => commands.filter(({ page }) => page === named.get(name)))) {
        await paste(terminal, block);
      }
      // The quick start and the tour each register a user. All other pages use the second one.
      expect(await service.sql("SELECT count(*)::int AS count FROM account WHERE email LIKE 'ada.%'")).toEqual([
        { count: 2 },
      ]);
    } finally {
      terminal.end();
      await service.close();
    }
  });
});

const consoles = inLanguage('sh');

describe.each([...new Set(consoles.map(({ page }) => page))])(
  'the commands of %s, on a database of its own',
  (page) => {
    const directory = mkdtempSync(join(tmpdir(), 'gatehouse-guides-'));
    const env = {
      DATA_DIR: directory,
      GATEHOUSE_SECRET: randomBytes(32).toString('base64'),
      GATEHOUSE_SECRET_PREVIOUS: randomBytes(32).toString('base64'),
      LOG_LEVEL: 'silent',
      ...GENEROUS_TIMEOUTS,
    };
    let own: TestDatabase;
    const lent = () => (own.embedded ? { embeddedDatabase: own.embedded } : {});

    beforeAll(async () => {
      own = await openTestDatabase();
      Object.assign(env, own.databaseUrl ? { DATABASE_URL: own.databaseUrl } : {});
      const app = await createApp(loadConfig({ ...env, PORT: '0' }), lent());
      await app.listen(0, '127.0.0.1');
      const client = new Client(
        `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`,
        undefined,
        [],
      );
      for (const email of ['ada@example.com', 'grace@example.com']) {
        expect((await client.post('/v1/auth/register', { email, password: 'a long enough password' })).status).toBe(
          200,
        );
      }
      // The IP address that the incident guide unbans.
      await ban({ app }, '203.0.113.7', null);
      await app.close();
      const quiet = { env, ...lent(), out: () => {}, err: () => {} };
      expect(await execute(['user', 'grant-acl', 'grace@example.com', '*'], quiet)).toBe(0);
    });
    afterAll(async () => {
      await own?.release();
      rmSync(directory, { recursive: true, force: true });
    });

    test.each(consoles.filter((block) => block.page === page).map((block) => [where(block), block] as const))(
      '%s',
      async (_, { code, prints }) => {
        const lines: string[] = [];
        const terminal = {
          env,
          ...lent(),
          out: (line: string) => void lines.push(line),
          err: (line: string) => void lines.push(line),
        };
        for (const line of code.trim().split('\n')) {
          const [name, ...args] =
            line
              .replace(/ +#.*$/, '')
              .replace('npm run cli --', 'gatehouse')
              .match(/'[^']*'|\S+/g) ?? [];
          expect([line, name]).toEqual([line, 'gatehouse']);
          const status = await execute(
            args.map((arg) => arg.replaceAll("'", '')),
            terminal,
          );
          expect({ line, status, lines }).toEqual({ line, status: 0, lines });
        }
        if (prints !== undefined) expect(lines.join('\n')).toMatch(patternOf(prints));
      },
    );
  },
);

describe('the guides: files', () => {
  const secrets = {
    GATEHOUSE_SECRET: randomBytes(32).toString('base64'),
    DATABASE_URL: 'postgres://gatehouse@postgres:5432/gatehouse',
    MAIL_TRANSPORT: 'none',
    PUBLIC_ORIGIN: 'https://id.example',
    SMTP_URL: 'smtps://user:password@mail.example:465',
    MAIL_FROM: 'accounts@id.example',
    MEDIA_S3_ENDPOINT: 'https://s3.example',
    MEDIA_S3_UPLOADS_BUCKET: 'uploads',
    MEDIA_S3_MEDIA_BUCKET: 'media',
    MEDIA_S3_ACCESS_KEY_ID: 'key',
    MEDIA_S3_SECRET_ACCESS_KEY: 'secret',
  };

  test.each(inLanguage('env').map((block) => [where(block), block] as const))(
    '%s: settings that start it in production',
    (_, { code }) => {
      const said = parseEnv(code) as Record<string, string>;
      const known = new Set([...allSettings().map(({ name }) => name), 'NODE_ENV']);
      expect(Object.keys(said).filter((name) => !known.has(name))).toEqual([]);
      expect(loadConfig({ NODE_ENV: 'production', DATA_DIR: '/app/data', ...secrets, ...said }).production).toBe(true);
    },
  );

  test.each(inLanguage('json').map((block) => [where(block), block] as const))('%s: JSON', (_, { code }) => {
    expect(typeof JSON.parse(code)).toBe('object');
  });

  test.each(inLanguage('yaml').map((block) => [where(block), block] as const))(
    '%s: YAML that its reader accepts',
    (_, { code }) => {
      const document = load(code) as object;
      const [kind = ''] = Object.keys(document);
      const validate = new Ajv({ strict: false }).compile(READERS[kind] ?? false);
      expect({ kind, fits: validate(document), errors: validate.errors }).toEqual({ kind, fits: true, errors: null });
      expect(validate({ [kind]: 'misspelt' })).toBe(false);
    },
  );

  test('metrics that a page names are metrics of the service', () => {
    // `gatehouse_verify` is the Python module.
    const name = /gatehouse_(?!verify\b)[a-z_]+/g;
    const named = [...new Set(pages.flatMap((page) => readFileSync(join(root, page), 'utf8').match(name) ?? []))];
    expect(named.length).toBeGreaterThan(8);
    for (const one of named) expect(METRICS).toContain(one.replace(/_(?:count|bucket|sum)$/, ''));
  });

  test.each(inLanguage('nginx').map((block) => [where(block), block] as const))('%s: nginx', (_, { code }) => {
    const said = directives(code, ';');
    expect(said.filter(({ name }) => !NGINX.includes(name)).map(({ line }) => line)).toEqual([]);
    const lines = said.map(({ line }) => line);
    expect(lines).toEqual(
      expect.arrayContaining([
        'proxy_pass http://gatehouse',
        'proxy_set_header X-Forwarded-For $remote_addr',
        'proxy_set_header Upgrade $http_upgrade',
        'proxy_request_buffering off',
        'merge_slashes off',
      ]),
    );
    const [pattern] = /~\^\(\?<begin>[^"]+/.exec(code) ?? [];
    const hidden = new RegExp(pattern?.slice(1) ?? '(?!)');
    for (const path of SECRET_PATHS) expect(hidden.exec(path)?.groups?.begin).not.toContain('secret');
  });

  test.each(inLanguage('caddy').map((block) => [where(block), block] as const))('%s: Caddy', (_, { code }) => {
    const said = directives(code, '\n');
    expect(said.filter(({ name }) => !CADDY.includes(name)).map(({ line }) => line)).toEqual([]);
    const hidden = new RegExp(/regexp (\S+)/.exec(code)?.[1] ?? '(?!)');
    for (const path of SECRET_PATHS) expect(hidden.exec(path)?.[1]).not.toContain('secret');
  });
});

/** Secret URL paths, each with its secret part. */
const SECRET_PATHS = [
  '/v1/webhooks/12/secret',
  '/media/external/secret/v2/x',
  '/media/relay/secret?t=secret',
  '/v1/auth/reset/secret',
];

/** Words that a line of a configuration may begin with. */
const NGINX =
  `upstream server keepalive map default '' "~^(?<begin>/v1/webhooks/\\d+/|/media/external/|/media/relay/|/v1/auth/reset/)"
  "~^(?<path>[^?]*)" log_format listen server_name ssl_certificate ssl_certificate_key access_log client_max_body_size
  merge_slashes location proxy_pass proxy_http_version proxy_set_header proxy_request_buffering proxy_buffering
  proxy_read_timeout`.split(/\s+/);
const CADDY = `id.example log format wrap fields request>uri request>headers>Authorization reverse_proxy health_uri
  health_interval flush_interval`.split(/\s+/);

/** The directives of a configuration with braces. @throws if the braces do not match */
function directives(code: string, end: string): { name: string; line: string }[] {
  const text = code.replace(/^\s*#.*$/gm, '');
  let depth = 0;
  const found: { name: string; line: string }[] = [];
  const boundary = end === ';' ? /\s\{$|;$|^\}$/ : /./;
  for (const line of text
    .split('\n')
    .map((raw) => raw.trim())
    .filter(Boolean)) {
    if (!boundary.test(line)) throw new Error(`${line} has no end`);
    if (line === '}') depth--;
    else {
      if (/\s\{$/.test(line)) depth++;
      const plain = line.replace(/\s*[;{]$/, '');
      found.push({ name: plain.split(/\s+/)[0] ?? '', line: plain.replace(/\s+/g, ' ') });
    }
    if (depth < 0) throw new Error(`${line} closes nothing`);
  }
  if (depth !== 0) throw new Error('a brace is open');
  return found;
}

const text = { type: 'string', minLength: 1 };
const strict = (properties: object) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
const list = (items: object) => ({ type: 'array', items, minItems: 1 });
const named = (of: object) => ({ type: 'object', additionalProperties: of, minProperties: 1 });

/** The settings that Traefik and Prometheus read. The key is the first word of a document. Prometheus has two kinds. */
const READERS: Readonly<Record<string, object>> = {
  http: strict({
    http: strict({
      routers: named(
        strict({ rule: text, entryPoints: list(text), service: text, tls: strict({ certResolver: text }) }),
      ),
      services: named(
        strict({
          loadBalancer: strict({
            servers: list(strict({ url: { type: 'string', pattern: '^http://' } })),
            healthCheck: strict({ path: { const: '/health/ready' }, interval: text, timeout: text }),
          }),
        }),
      ),
    }),
  }),
  groups: strict({
    groups: list(
      strict({
        name: text,
        rules: list({
          type: 'object',
          properties: { alert: text, expr: text, for: { type: 'string', pattern: '^[0-9]+[smh]$' } },
          required: ['alert', 'expr'],
          additionalProperties: false,
        }),
      }),
    ),
  }),
  scrape_configs: strict({
    scrape_configs: list(
      strict({
        job_name: text,
        kubernetes_sd_configs: list(strict({ role: { enum: ['pod', 'endpoints', 'service', 'node', 'ingress'] } })),
        relabel_configs: list(
          strict({ source_labels: list(text), regex: text, action: { enum: ['keep', 'drop', 'replace'] } }),
        ),
      }),
    ),
  }),
};

/** Every metric that the source files register. */
const METRICS = (readdirSync(join(root, 'src'), { recursive: true }) as string[])
  .filter((name) => name.endsWith('.ts'))
  .flatMap((name) =>
    [...readFileSync(join(root, 'src', name), 'utf8').matchAll(/'(gatehouse_[a-z_]+)'/g)].map(
      ([, metric]) => metric as string,
    ),
  );
