import type { Answer, components, paths } from 'gatehouse/client';

export type Explained = Answer<paths, '/v1/admin/explain', 'post'>;

export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export const CREDENTIALS = ['none', 'session', 'bot', 'bearer', 'admin-bearer', 'admin-key'] as const;
export const ENFORCEMENTS = ['as-is', 'on', 'off'] as const;
type Credential = (typeof CREDENTIALS)[number];
type Part = 'scopes' | 'acls' | 'keyAcls' | 'flags';

/** What rows ask of whoever presents a credential; of the others nothing depends on it. */
export const PARTS: Readonly<Record<Credential, readonly Part[]>> = {
  none: [],
  session: ['acls', 'flags'],
  bot: ['flags'],
  bearer: ['scopes', 'flags'],
  'admin-bearer': ['scopes', 'acls', 'flags'],
  'admin-key': ['acls', 'keyAcls'],
};

/** A request that is only imagined. */
export interface Question {
  readonly method: (typeof METHODS)[number];
  /** Empty while nothing is asked. */
  readonly path: string;
  readonly credential: Credential;
  /** As they are typed, with spaces between them. */
  readonly scopes: string;
  readonly acls: readonly string[];
  /** Null: those of the account. */
  readonly keyAcls: readonly string[] | null;
  readonly flags: number;
  readonly sso: (typeof ENFORCEMENTS)[number];
}

export const NOTHING_ASKED: Question = {
  ...{ method: 'GET', path: '', credential: 'none', scopes: '', acls: [], keyAcls: null, flags: 0, sso: 'as-is' },
};

const HIGHEST_FLAGS = 255;
/** Stands in an address for an empty list: no ACL has that name. */
const NONE = 'none';

/** The value if it is one of these, else the first of them. */
export const oneOf = <T extends string>(values: readonly [T, ...T[]], value: string | null): T =>
  values.find((one) => one === value) ?? values[0];

const listOf = (said: string | null): readonly string[] => (said && said !== NONE ? said.split(',') : []);

/** What the address of the view asks. */
export function questionFrom(search: string): Question {
  const said = new URLSearchParams(search);
  const flags = Number(said.get('flags') ?? 0);
  const keyAcls = said.get('key_acls');
  return {
    method: oneOf(METHODS, said.get('method')),
    path: said.get('path') ?? '',
    credential: oneOf(CREDENTIALS, said.get('credential')),
    scopes: said.get('scopes') ?? '',
    acls: listOf(said.get('acls')),
    keyAcls: keyAcls === null ? null : listOf(keyAcls),
    flags: Number.isInteger(flags) && flags >= 0 && flags <= HIGHEST_FLAGS ? flags : 0,
    sso: oneOf(ENFORCEMENTS, said.get('sso')),
  };
}

/** The address that asks it: what its credential has no part in, and what is not said, is left out. */
export function addressOf({ credential, ...question }: Question): string {
  const said = new URLSearchParams({ method: question.method, path: question.path, credential });
  const values: Readonly<Record<Part, string>> = {
    scopes: question.scopes,
    acls: question.acls.join(','),
    keyAcls: question.keyAcls ? question.keyAcls.join(',') || NONE : '',
    flags: question.flags ? String(question.flags) : '',
  };
  for (const part of PARTS[credential])
    if (values[part]) said.set(part === 'keyAcls' ? 'key_acls' : part, values[part]);
  if (question.sso !== 'as-is') said.set('sso', question.sso);
  return `/admin/explain?${said}`;
}

export function bodyOf(question: Question): components['schemas']['ExplainInput'] {
  const { method, path, credential, sso } = question;
  const scopes = question.scopes.split(/\s+/).filter(Boolean);
  const values = {
    scopes: { scopes },
    acls: { acls: [...question.acls] },
    keyAcls: question.keyAcls ? { key_acls: [...question.keyAcls] } : {},
    flags: { suspicious_activity_flags: question.flags },
  };
  return Object.assign(
    { method, path, credential, ...(sso === 'as-is' ? {} : { sso_enforced: sso === 'on' }) },
    ...PARTS[credential].map((part) => values[part]),
  );
}

/** The path of what was typed or pasted, without the service's address and what follows it. */
export function pathOf(typed: string): string {
  const said = typed.trim();
  const bare = URL.canParse(said) && /^https?:/i.test(said) ? new URL(said).pathname : said;
  return bare.replace(/[?#].*$/s, '');
}
