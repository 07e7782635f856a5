import type { components, paths, ResponseBody } from '@gatehouse-auth/client';

export type Explained = ResponseBody<paths, '/v1/admin/explain', 'post'>;

export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export const CREDENTIALS = ['none', 'session', 'bot', 'bearer', 'admin-bearer', 'admin-key'] as const;
export const ENFORCEMENTS = ['as-is', 'on', 'off'] as const;
type Credential = (typeof CREDENTIALS)[number];
type Part = 'scopes' | 'acls' | 'keyAcls' | 'flags';

/** The properties that guards check, per credential. */
export const PARTS: Readonly<Record<Credential, readonly Part[]>> = {
  none: [],
  session: ['acls', 'flags'],
  bot: ['flags'],
  bearer: ['scopes', 'flags'],
  'admin-bearer': ['scopes', 'acls', 'flags'],
  'admin-key': ['acls', 'keyAcls'],
};

/** A hypothetical request. */
export interface Question {
  readonly method: (typeof METHODS)[number];
  /** Empty if nothing was asked. */
  readonly path: string;
  readonly credential: Credential;
  /** As entered, separated by spaces. */
  readonly scopes: string;
  readonly acls: readonly string[];
  /** Null: the ACLs of the account. */
  readonly keyAcls: readonly string[] | null;
  readonly flags: number;
  readonly sso: (typeof ENFORCEMENTS)[number];
}

export const EMPTY_QUESTION: Question = {
  ...{ method: 'GET', path: '', credential: 'none', scopes: '', acls: [], keyAcls: null, flags: 0, sso: 'as-is' },
};

const MAX_FLAGS = 255;
/** Represents an empty list in the URL. No ACL has this name. */
const EMPTY_LIST = 'none';

/** Returns the value if it is in the list, otherwise the first one. */
export const oneOf = <T extends string>(values: readonly [T, ...T[]], value: string | null): T =>
  values.find((one) => one === value) ?? values[0];

const listOf = (said: string | null): readonly string[] => (said && said !== EMPTY_LIST ? said.split(',') : []);

/** Reads the request from the URL of the view. */
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
    flags: Number.isInteger(flags) && flags >= 0 && flags <= MAX_FLAGS ? flags : 0,
    sso: oneOf(ENFORCEMENTS, said.get('sso')),
  };
}

/** The URL for a request, without default values and properties that the credential does not have. */
export function explainUrl({ credential, ...question }: Question): string {
  const said = new URLSearchParams({ method: question.method, path: question.path, credential });
  const values: Readonly<Record<Part, string>> = {
    scopes: question.scopes,
    acls: question.acls.join(','),
    keyAcls: question.keyAcls ? question.keyAcls.join(',') || EMPTY_LIST : '',
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

/** The path of an entered or pasted URL, without origin, query and fragment. */
export function pathOf(typed: string): string {
  const said = typed.trim();
  const bare = URL.canParse(said) && /^https?:/i.test(said) ? new URL(said).pathname : said;
  return bare.replace(/[?#].*$/s, '');
}
