import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { Entity, PrimaryColumn } from 'typeorm';
import { settings } from '../core/config/declared.js';
import { StartError } from '../core/config/start-error.js';
import { ApiError, validationError } from '../core/errors.js';
import { BUILT_IN_FEATURES, featureRegistry } from '../features.js';
import { InstanceSettings } from '../platform/settings/instance.settings.js';
import { defineFeature, type FeatureDeclaration, gatewayEvent } from './feature.js';
import { FeatureRegistry } from './feature-registry.js';
import { RESERVED_FEATURE_NAMES } from './reserved-names.js';

const DOCS = join(import.meta.dirname, '../../docs');
const read = (page: string): string => readFileSync(join(DOCS, page), 'utf8');
/** The part of a page from a heading to the next one of its kind. */
const section = (page: string, heading: string): string => {
  const [, text = ''] = read(page).split(`\n${heading}`);
  return text.split(/\n#{2,3} /)[0] ?? '';
};
const quoted = (text: string): string[] => [...text.matchAll(/`([^`\s]+)`/g)].map(([, name = '']) => name);

const WORDS = { 'en-US': 'See something' };
const ours = featureRegistry();
const registryOf = (declaration: FeatureDeclaration, name = 'notes') =>
  featureRegistry({ features: [defineFeature(name, declaration)] });

describe('the registries of the service', () => {
  test('oauth.md 2 and openid.md 1: the scopes, in the order of the contract', () => {
    const rows = [section('contract/oauth.md', '## 2'), section('contract/openid.md', '## 1')].flatMap((text) => [
      ...text.matchAll(/^\| `([\w.]+)` \|/gm),
    ]);
    expect([...ours.scopes.keys()]).toEqual(rows.map(([, scope]) => scope));
  });

  test('admin.md 2.1: the ACLs, in the order of the contract', () => {
    const named = quoted(section('contract/admin.md', '### 2.1'));
    const listed = [...new Set(named.filter((name) => name === '*' || /^[a-z_]+(?::[a-z_]+)+$/.test(name)))];
    // Later rows of the page add these.
    const later = ['user:update:traits', 'instance:jobs:view', 'instance:jobs:retry'];
    later.push('application:trust', 'application:resource', 'outgoing_events:view', 'outgoing_events:manage');
    expect([...ours.acls.keys()]).toEqual([...listed, ...later]);
  });

  test('conventions.md 5: the error codes of each feature, in the order of the contract', () => {
    const order = [...new Set(quoted(section('contract/conventions.md', '## 5')))];
    for (const { name, errors = {} } of BUILT_IN_FEATURES) {
      // Section 4 lists the codes that stand only for their status. media.md section 6 lists the code of another
      // server.
      const codes = Object.keys(errors).filter((code) => code !== 'GONE' && code !== 'UPSTREAM_FETCH_FAILED');
      expect({ name, codes: codes.toSorted((a, b) => order.indexOf(a) - order.indexOf(b)) }).toEqual({ name, codes });
      expect({ name, unknown: codes.filter((code) => !order.includes(code)) }).toEqual({ name, unknown: [] });
    }
  });

  test('conventions.md 7.1: the buckets that do not count against the global limit', () => {
    const [row = ''] = /^\| Exempt from global \|.*$/m.exec(read('contract/conventions.md')) ?? [];
    const exempt = [...ours.buckets].filter(([, [, , options]]) => options?.countsGlobally === false);
    expect(exempt.map(([name]) => name).sort()).toEqual(quoted(row).sort());
    expect(exempt).toHaveLength(9);
  });

  test('each feature is part of the service, and its names are part of the published types', () => {
    const source = join(import.meta.dirname, '..');
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.feature.ts'),
    );
    const entry = readFileSync(join(source, 'index.ts'), 'utf8');
    expect(files.filter((path) => !entry.includes(`import './${path.replace(/ts$/, 'js')}';`))).toEqual([]);
    expect(BUILT_IN_FEATURES.map(({ name }) => name).sort()).toEqual(
      files.map((path) => basename(path, '.feature.ts').replaceAll('-', '_')).sort(),
    );
  });

  test('docs/public.md lists the reserved names of features', () => {
    const page = read('public.md');
    expect(RESERVED_FEATURE_NAMES.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  test('every built-in name starts with a reserved word, so no extension can use it', () => {
    const { settings, errors, fieldErrors, buckets, acls, securityEvents, secrets, events, exports, erasure, metrics } =
      ours;
    const tables = [
      ...[settings, errors, fieldErrors, buckets, acls, securityEvents, secrets, events, exports, erasure, metrics],
    ];
    const names = tables.flatMap((table) => [...table.keys()]);
    const firstWord = (name: string) => name.toLowerCase().split(/[_:-]/)[0] ?? '';
    const free = names.filter((name) => name !== '*' && !RESERVED_FEATURE_NAMES.includes(firstWord(name)));
    expect(free).toEqual([]);
    expect(names.length).toBeGreaterThan(400);
    // Names of actions of a team have a colon, names of built-in actions have none.
    expect([...ours.auditActions.keys()].filter((name) => name.includes(':'))).toEqual([]);
  });
});

@Entity('notes_draft')
class Draft {
  @PrimaryColumn('bigint') id: string;

  async check(): Promise<void> {}
}

describe('the declarations of an extension feature', () => {
  const VALID = {
    errors: { NOTES_FULL: [409, 'There is no room.'] },
    fieldErrors: { NOTES_LOUD: 'Write in lower case.' },
    buckets: { 'notes:read': [60, 60] },
    scopes: { 'notes.read': WORDS },
    acls: { 'notes:moderate': WORDS },
    auditActions: { 'notes:remove': 'note' },
    securityEvents: { notes_shared: WORDS },
    secrets: { 'notes-invite': 'account' },
    events: { NOTES_CREATED: gatewayEvent<{ id: string }>() },
    exports: { notes: { select: 'SELECT id FROM notes WHERE owner_id = $1' } },
    metrics: { notes_searches_total: { type: 'counter', help: 'Searches', labels: { found: ['yes', 'no'] } } },
    erasure: { notes: { column: 'owner_id' }, notes_tag: { deletedWith: 'notes' } },
    encryptedColumns: { 'texts of notes': { table: 'notes', column: 'text' } },
  } as const satisfies FeatureDeclaration;

  const withLabel = (label: string): FeatureDeclaration => ({
    metrics: { notes_total: { type: 'gauge', help: 'Notes', labels: { [label]: ['c'] } } },
  });
  test('are added after the names of the service', () => {
    const registry = registryOf(VALID);
    for (const kind of Object.keys(VALID) as (keyof typeof VALID)[]) {
      const before = [...ours[kind].keys()];
      expect([...registry[kind].keys()]).toEqual([...before, ...Object.keys(VALID[kind])]);
    }
    expect(registry.textsOf('scopes')).toEqual({ 'notes.read': WORDS });
    expect(registry.textsOf('acls')).toEqual({ 'notes:moderate': WORDS });
    expect(ours.textsOf('acls')).toEqual({});
  });

  test('are known to one application and not to another one', () => {
    registryOf(VALID);
    expect(featureRegistry().errors.has('NOTES_FULL')).toBe(false);
  });

  test.each<[kind: string, declaration: FeatureDeclaration, advice: string]>([
    ['an error code', { errors: { FULL: [409, 'Full.'] } }, 'must start with NOTES_'],
    ['a field code', { fieldErrors: { LOUD: 'Loud.' } }, 'must start with NOTES_'],
    ['a bucket', { buckets: { 'note:read': [1, 1] } }, 'must start with notes:'],
    ['a scope', { scopes: { 'note.read': WORDS } }, 'must start with notes.'],
    ['an ACL', { acls: { 'note:read': WORDS } }, 'must start with notes:'],
    ['an audit action', { auditActions: { 'note:remove': 'note' } }, 'must start with notes:'],
    ['a purpose', { secrets: { 'note-invite': 'account' } }, 'must start with notes-'],
    ['a security event', { securityEvents: { note_shared: WORDS } }, 'must start with notes_'],
    ['a gateway event', { events: { NOTE_CREATED: gatewayEvent<null>() } }, 'must start with NOTES_'],
    ['a part of the export', { exports: { note: { select: 'SELECT 1' } } }, 'must start with notes_'],
    [
      'a health check',
      { healthChecks: { 'note-index': { check: Draft, cause: 'the index' } } },
      'must start with notes-',
    ],
    ['a metric', { metrics: { note_total: { type: 'counter', help: 'Notes' } } }, 'must start with notes_'],
    ['a table', { erasure: { note: { column: 'owner_id' } } }, 'must start with notes_'],
  ])(
    '%s without the prefix of its feature stops the start, and the error says how to fix it',
    (_, declaration, advice) => {
      expect(() => registryOf(declaration)).toThrow(StartError);
      expect(() => registryOf(declaration)).toThrow(advice);
    },
  );

  test.each<[kind: string, declaration: FeatureDeclaration, table: string]>([
    ['an entity', { entities: [Draft] }, 'notes_draft'],
    ['an encrypted column', { encryptedColumns: { texts: { table: 'notes', column: 'text' } } }, 'notes'],
  ])('the table of %s must be in `erasure`', (_, declaration, table) => {
    expect(() => registryOf(declaration)).toThrow(`notes: the table ${table} is not in \`erasure\``);
    expect(() => registryOf({ ...declaration, erasure: { [table]: { kept: 'only IDs' } } })).not.toThrow();
  });

  test.each<[fault: string, declaration: FeatureDeclaration]>([
    ['deletedWith names the unknown table notes', { erasure: { notes_tag: { deletedWith: 'notes' } } }],
    ['column must be an SQL name', { erasure: { notes: { column: 'id" OR true' } } }],
  ])('%s: the erasure stops the start', (fault, declaration) => {
    expect(() => registryOf(declaration)).toThrow(fault);
  });

  test.each<[kind: string, declaration: FeatureDeclaration]>([
    ['a scope', { scopes: { 'notes.read': null } }],
    ['an ACL', { acls: { 'notes:moderate': null } }],
    ['a security event', { securityEvents: { notes_shared: null } }],
    ['an email', { mails: { notes_shared: { sample: {}, validSeconds: 0, render: () => ({}) } } }],
  ])('%s without a text stops the start', (_, declaration) => {
    expect(() => registryOf(declaration)).toThrow('needs a text');
  });

  test.each<[kind: string, declaration: FeatureDeclaration, name: string]>([
    ['scope', { scopes: { identify: WORDS } }, 'identify'],
    ['ACL', { acls: { 'user:lookup': WORDS } }, 'user:lookup'],
    ['bucket', { buckets: { 'auth:login': [1, 1] } }, 'auth:login'],
    ['error code', { errors: { CONFLICT: [409, 'Taken.'] } }, 'CONFLICT'],
    ['field code', { fieldErrors: { INVALID_FORMAT: 'No.' } }, 'INVALID_FORMAT'],
    ['purpose', { secrets: { 'mfa-ticket': 'none' } }, 'mfa-ticket'],
    ['security event', { securityEvents: { signed_in: WORDS } }, 'signed_in'],
  ])('a %s that the service has is a conflict, and is named', (_, declaration, name) => {
    expect(() => registryOf(declaration)).toThrow(`${JSON.stringify(name)} exists already in the feature`);
  });

  const INVALID: readonly (readonly [what: string, declaration: FeatureDeclaration])[] = [
    ...['notes_full', 'NOTES FULL', ''].map(
      (code) => [`the code ${code}`, { errors: { [code]: [409, 'No.'] } }] as [string, FeatureDeclaration],
    ),
    ...[200, 402.5, 600].map(
      (status) => [`the status ${status}`, { errors: { NOTES_FULL: [status, 'No.'] } }] as [string, FeatureDeclaration],
    ),
    // RFC 6749 section 3.3: %x21 / %x23-5B / %x5D-7E.
    ...['notes. ', 'notes."', 'notes.\\', 'notes.\n', 'notes.\u007f', 'notes.ä', `notes.${'a'.repeat(60)}`].map(
      (scope) => [`the scope ${JSON.stringify(scope)}`, { scopes: { [scope]: WORDS } }] as [string, FeatureDeclaration],
    ),
    ...[
      'notes',
      'notes:',
      'notes::read',
      'notes:Read',
      'notes:read ',
      'notes:re-ad',
      'notes:*',
      `notes:${'a'.repeat(59)}`,
    ].map((acl) => [`the ACL ${acl}`, { acls: { [acl]: WORDS } }] as [string, FeatureDeclaration]),
    ...['notes', 'notes:Remove', `notes:${'a'.repeat(33)}`].map(
      (action) =>
        [`the audit action ${action}`, { auditActions: { [action]: 'note' } }] as [string, FeatureDeclaration],
    ),
    ...[
      [0, 1],
      [1, 0],
    ].map(
      (rule) =>
        [`the rule ${rule}`, { buckets: { 'notes:read': rule as [number, number] } }] as [string, FeatureDeclaration],
    ),
    ['no text', { scopes: { 'notes.read': undefined as never } }],
    ['no English text', { acls: { 'notes:read': { de: 'Notizen' } as never } }],
    ['a target of two words', { auditActions: { 'notes:burn': 'a note' } }],
    ['null in place of a text', { acls: { 'notes:read': null } }],
    ['two lines', { securityEvents: { notes_shared: { 'en-US': 'a\nb' } } }],
    ['SQL in place of a name', { encryptedColumns: { texts: { table: 'notes; DROP TABLE notes', column: 'text' } } }],
    [
      'a column that is declared twice',
      { encryptedColumns: { a: { table: 'notes', column: 'text' }, b: { table: 'notes', column: 'text' } } },
    ],
    ...['notes', 'notes_Total', 'notes_', 'notes__total', `notes_${'a'.repeat(59)}`].map(
      (name) =>
        [`the metric ${name}`, { metrics: { [name]: { type: 'gauge', help: 'Notes' } } }] as [
          string,
          FeatureDeclaration,
        ],
    ),
    [
      'a metric whose label can have any value',
      { metrics: { notes_total: { type: 'counter', help: 'Notes', labels: { id: 'any' } } } },
    ],
    [
      'a metric with more than 1000 series',
      {
        metrics: {
          notes_total: {
            type: 'counter',
            help: 'Notes',
            labels: { id: Array.from({ length: 1001 }, (_, n) => `${n}`) },
          },
        },
      },
    ],
    ['a label that is not a name', withLabel('a b')],
    ['a label of Prometheus', withLabel('job')],
    ...[[], [1, 1], [2, 1]].map(
      (buckets) =>
        [`the buckets [${buckets}]`, { metrics: { notes_seconds: { type: 'histogram', help: 'Notes', buckets } } }] as [
          string,
          FeatureDeclaration,
        ],
    ),
    ['a name without characters', { encryptedColumns: { ' ': { table: 'notes', column: 'text' } } }],
  ];
  test.each(INVALID)('%s is invalid', (_, declaration) => {
    expect(() => registryOf(declaration)).toThrow(StartError);
  });

  test('64 characters are the longest name of an ACL', () => {
    const longest = `notes:a:${'a'.repeat(56)}`;
    expect(registryOf({ acls: { [longest]: WORDS } }).acls.has(longest)).toBe(true);
  });

  describe('settings', () => {
    class Notes extends settings('Notes', (read) => ({ limit: read.int('NOTES_LIMIT', 'Notes', 5, [1, 9]) })) {}
    class Lists extends settings('Lists', (read) => ({ limit: read.int('LISTS_LIMIT', 'Lists', 5, [1, 9]) })) {}

    test('are listed after the settings of the service', () => {
      expect([...registryOf({ settings: [Notes] }).settings.keys()]).toEqual([...ours.settings.keys(), 'NOTES_LIMIT']);
      expect(ours.settings.size).toBeGreaterThan(100);
    });

    test('without the prefix of their feature stop the start, and the error says how to fix it', () => {
      expect(() => registryOf({ settings: [Notes, Lists] })).toThrow(StartError);
      expect(() => registryOf({ settings: [Notes, Lists] })).toThrow(
        'notes: the setting "LISTS_LIMIT" must start with NOTES_',
      );
    });

    test('of the service and of other features can be defaults, but cannot be declared again', () => {
      class Derived extends settings('Notes', (read) => ({
        url: read.text('NOTES_URL', 'The URL of notes') ?? read.of(InstanceSettings).publicOrigin,
      })) {}
      expect(registryOf({ settings: [Derived] }).settings.size).toBe(ours.settings.size + 1);
      class Port extends settings('Notes', (read) => ({ port: read.int('PORT', 'Port of notes', 80, [1, 99]) })) {}
      expect(() => registryOf({ settings: [Port] })).toThrow('"PORT" exists already in the feature');
      const features = [defineFeature('notes_a', { settings: [Notes] }), defineFeature('notes', { settings: [Notes] })];
      expect(() => featureRegistry({ features })).toThrow(
        'notes_a: the setting "NOTES_LIMIT" must start with NOTES_A_',
      );
    });

    test('that need a value are named', () => {
      class Needy extends settings('Notes', (read) => ({
        key: Buffer.from(read.secret('NOTES_KEY', 'The key of notes') as string),
      })) {}
      expect(() => registryOf({ settings: [Needy] })).toThrow(
        'notes: reading the settings without environment variables failed',
      );
    });
  });

  test.each(['Notes', 'my-notes', '', '1st'])('%j is not a valid feature name', (name) => {
    expect(() => registryOf({}, name)).toThrow('is not a valid feature name');
  });

  test.each(['user', 'user_notes', 'unknown', 'webhooks', 'pipeline', 'process', 'nodejs'])(
    'the feature name %s is reserved',
    (name) => {
      expect(() => registryOf({}, name)).toThrow(`the feature name ${name} is reserved`);
    },
  );

  test('two features cannot have the same name, and all errors are reported together', () => {
    const features = [defineFeature('notes', { errors: { FULL: [409, 'Full.'] } }), defineFeature('notes', {})];
    expect(() => featureRegistry({ features })).toThrow(/two features have the name notes[\s\S]*"FULL" must start/);
  });
});

describe('lists in the order of the registry', () => {
  const acls = [...ours.acls.keys()];

  test('ACLs, with undeclared ones at the end', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(acls), (list) => {
        const expected = [...acls.filter((acl) => list.includes(acl)), 'gone:b', 'gone:a'];
        expect(ours.sortAcls([...list, 'gone:b', 'gone:a'])).toEqual(expected);
      }),
    );
  });

  test.each([
    ['identify', ['identify']],
    ['email identify', ['identify', 'email']],
    ['bot+email+identify', ['identify', 'email', 'bot']],
    ['  email  ++ email ', ['email']],
    ['', null],
    [' + ', null],
    ['Identify', null],
    ['identify,email', null],
    ['identify\temail', null],
    ['identify email nothing', null],
    ['nothing', null],
  ])('the scopes of %j are %j', (text, expected) => {
    expect(ours.parseScopes(text)).toEqual(expected);
  });

  test('scopes, without undeclared ones', () => {
    expect(registryOf({ scopes: { 'notes.read': WORDS } }).sortScopes(['notes.read', 'gone', 'identify'])).toEqual([
      'identify',
      'notes.read',
    ]);
  });
});

describe('the response to an error', () => {
  test('has the status and the texts of its feature, and the members of the error', () => {
    const registry = registryOf({ errors: { NOTES_FULL: [409, 'There is no room.'] } });
    const error = new ApiError('NOTES_FULL' as 'CONFLICT');
    expect(registry.describe(error)).toEqual({
      status: 409,
      message: 'There is no room.',
      body: { code: 'NOTES_FULL', message: 'There is no room.' },
    });
    expect(ours.describe(validationError('name', 'INVALID_FORMAT')).body).toEqual({
      ...{ code: 'INVALID_FORM_BODY', message: 'The request has invalid members. See `errors`.' },
      errors: [{ path: 'name', code: 'INVALID_FORMAT', message: 'The value is invalid.' }],
    });
  });

  test('with an undeclared code is a failure of the service', () => {
    expect(new FeatureRegistry([]).describe(new ApiError('CONFLICT')).status).toBe(500);
  });

  test('keeps the status of another server', () => {
    expect(ours.describe(new ApiError('UPSTREAM_FETCH_FAILED').withStatus(418)).status).toBe(418);
  });
});
