import '../../src/app.js';
import { getMetadataStorage } from 'class-validator';
import { featureRegistry } from '../../src/features.js';
import { boundOf, schemaOf } from '../../src/http/field.js';
import { defineFeature } from '../../src/policy/feature.js';
import type { Shape } from '../../src/policy/plan.js';

/** Where a value is created, and where a later request names it. Each is the member of an input class. */
interface Uses {
  readonly created: readonly string[];
  readonly used: readonly string[];
}

/** The values that one request stores and a later one names, with all input classes that have them. */
const STORED: Readonly<Record<string, Uses>> = {
  'email address': {
    created: [
      'ImportedUser.email',
      'RegisterInput.email',
      'SetEmailInput.email',
      'RequestNewEmailInput.new_email',
      'BouncedEmailInput.new_email',
    ],
    used: ['LoginInput.email', 'ForgotInput.email', 'UsersQuery.email', 'InboxQuery.to'],
  },
  password: {
    created: [
      'RegisterInput.password',
      'ResetInput.password',
      'RevertEmailInput.password',
      'EditMeInput.new_password',
      'CompletePasswordChangeInput.new_password',
    ],
    used: [
      'LoginInput.password',
      'SudoInput.password',
      'EditMeInput.password',
      'LockdownInput.password',
      'EndSessionsInput.password',
      'BackupCodesInput.password',
      'ApplyEmailInput.password',
      'RegistrationOptionsInput.password',
      'RenamePasskeyInput.password',
      'TwoFactorInput.password',
      'EnableTotpInput.password',
      'DisableTotpInput.password',
    ],
  },
  'user name': {
    created: ['ImportedUser.username', 'RegisterInput.username', 'EditBotInput.username', 'EditMeInput.username'],
    used: ['UsersQuery.username'],
  },
  'redirect URI': {
    created: ['CreateApplicationInput.redirect_uris', 'EditApplicationInput.redirect_uris'],
    used: ['AuthorizeQuery.redirect_uri', 'ConsentInput.redirect_uri'],
  },
  'state of an authorization': { created: ['AuthorizeQuery.state'], used: ['ConsentInput.state'] },
  'scope of an authorization': { created: ['AuthorizeQuery.scope'], used: ['ConsentInput.scope'] },
  'banned network': {
    created: ['BanAddressInput.ip'],
    used: ['LiftBanPath.value', 'BanEntriesQuery.after', 'CheckAddressPath.value', 'AuditQuery.ip'],
  },
};

/** Values that the service or another program creates, by the largest number of characters that they have. */
const MADE: readonly (readonly [what: string, length: number, used: readonly string[]])[] = [
  [
    'ID of a passkey: 1023 bytes in base64url',
    Math.ceil((1023 * 4) / 3),
    ['PasskeyPath.credential_id', 'UserCredentialPath.credential_id'],
  ],
  ['longest audit action of a feature', 64, ['AuditQuery.action']],
  ['ID of a request', 64, ['AuditQuery.request_id']],
  [
    'hash of a session ID: SHA-256 in base64url',
    43,
    ['UsersQuery.session_id_hash', 'EndSessionsInput.session_id_hashes'],
  ],
  [
    'token of an email',
    64,
    ['TokenInput.token', 'ResetInput.token', 'RevertEmailInput.token', 'LockdownTokenInput.token'],
  ],
];

/** Names that stand for different values, or that are used only where they are created. */
const UNRELATED: Readonly<Record<string, string>> = {
  acr_values: 'may be empty in the query of an authorization request, but not in its consent',
  after: 'the last ID or network of the previous page of a list',
  bio: 'the profile of a user and that of a bot; no request names it',
  client_id: 'the client of Gatehouse at the identity provider, and the ID of an application',
  code: 'codes of different flows, which the service or the identity provider creates',
  connection_id: 'null in one class stands for single sign-on',
  credential_id: 'created by authenticators (MADE)',
  display_name: 'the button of a connection must have a text, the one of single sign-on need not',
  discriminator: 'four digits; a bot may leave out leading zeros',
  email: 'EditMeInput.email is always rejected (STORED has the others)',
  email_verified: 'text in a query, and a boolean in a body',
  global_name: 'nullable in one class; no request names it',
  id: 'numbers of the service, and names of connections',
  id_token_hint: 'like acr_values; the sign-out page ignores invalid hints',
  identities: 'a number for a deletion, and a list for the import',
  kind: 'the kind of a connection, and kinds of other things',
  limit: 'the size of a page',
  login_hint: 'like acr_values',
  name: 'names of keys, passkeys, applications and webhooks; no request names them',
  nonce: 'values of OpenID Connect, single sign-on and the passkey bridge; each flow checks only its own',
  nonce_hash: 'nullable in one class',
  prompt: 'like acr_values; single sign-on knows only one value',
  redirect_uri: 'the return path of single sign-on, and STORED',
  registration: 'a rejected parameter of OpenID Connect, and settings of the instance',
  scopes: 'of personal access tokens without those of sign-in, and STORED',
  scope: 'the scopes that Gatehouse requests from the identity provider, and STORED',
  state: 'created by Gatehouse for single sign-on, and STORED',
  to: 'the end of a period, and STORED',
  token: 'tokens of captchas, webhooks and the setup, and MADE',
  ui_locales: 'like acr_values',
  url: 'the URL of an event endpoint, and those of other objects; no request names one that another request created',
  user_id: 'one ID or a list of IDs',
  username: 'a filter has no pattern (STORED)',
  value: 'STORED',
};

interface Schema {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly items?: Schema;
}

const shapes = [
  ...(getMetadataStorage() as unknown as { validationMetadatas: Map<Shape, unknown> }).validationMetadatas.keys(),
];

/** The input classes with a name that have a member, and the schema of the member. */
function membersNamed(place: string): { schema: Schema; bound: number | undefined }[] {
  const [name, member = ''] = place.split('.');
  return shapes
    .filter((shape) => shape.name === name)
    .flatMap((shape) => {
      const schema = schemaOf(shape).properties[member] as Schema | undefined;
      if (!schema) return [];
      return [schema.items ? { schema: schema.items, bound: undefined } : { schema, bound: boundOf(shape, member) }];
    });
}

/** Returns the places that accept less than `min` to `max` characters. */
const narrowerThan = (min: number, max: number, places: readonly string[]): string[] =>
  places.filter((place) =>
    membersNamed(place).some(
      ({ schema, bound }) =>
        (schema.minLength ?? 0) > min || (schema.maxLength ?? Number.POSITIVE_INFINITY) < max || (bound ?? max) < max,
    ),
  );

describe('conventions.md 1: bounds at use are never narrower than bounds at creation', () => {
  test('every place is the member of an input class', () => {
    const places = [
      ...Object.values(STORED).flatMap(({ created, used }) => [...created, ...used]),
      ...MADE.flatMap(([, , used]) => used),
    ];
    expect(places.filter((place) => membersNamed(place).length === 0)).toEqual([]);
  });

  test.each(Object.entries(STORED))('%s', (_what, { created, used }) => {
    const bounds = created.flatMap(membersNamed).map(({ schema }) => schema);
    // An empty text names nothing.
    const least = Math.max(1, Math.min(...bounds.map(({ minLength = 0 }) => minLength)));
    const most = Math.max(...bounds.map(({ maxLength = 0 }) => maxLength));
    expect(most).toBeGreaterThan(0);
    expect(narrowerThan(least, most, used)).toEqual([]);
  });

  test.each(MADE)('%s: %i characters', (_what, length, used) => {
    expect(narrowerThan(length, length, used)).toEqual([]);
  });

  test('a feature cannot declare an audit action that the filter of the audit log rejects', () => {
    const feature = 'n'.repeat(32);
    const declare = (action: string) =>
      featureRegistry({ features: [defineFeature(feature, { auditActions: { [action]: 'note' } })] });
    const longest = `${feature}:${'a'.repeat(31)}`;
    expect(declare(longest).auditActions.has(longest)).toBe(true);
    expect(() => declare(`${longest}a`)).toThrow(`${longest}a`);
  });

  test('members with the same name have the same bounds, or the difference is listed', () => {
    const byName = new Map<string, Set<string>>();
    for (const shape of shapes) {
      for (const [name, schema] of Object.entries(schemaOf(shape).properties)) {
        const { description: _words, examples: _examples, ...bounds } = schema as Record<string, unknown>;
        byName.set(name, (byName.get(name) ?? new Set()).add(JSON.stringify(bounds)));
      }
    }
    const differing = [...byName].filter(([, bounds]) => bounds.size > 1).map(([name]) => name);
    expect(differing.sort()).toEqual(Object.keys(UNRELATED).sort());
  });

  test('a narrower bound at use is found', () => {
    expect(narrowerThan(1, 255, ['LoginInput.email', 'UsersQuery.email'])).toEqual([
      'LoginInput.email',
      'UsersQuery.email',
    ]);
    expect(narrowerThan(7, 256, ['LoginInput.password'])).toEqual(['LoginInput.password']);
  });
});
