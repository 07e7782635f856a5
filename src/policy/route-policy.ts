const COMMON = ['RateLimit', 'Cors', 'Accepts'];
const OF_ACCOUNTS = ['OAuthScope', 'BlockedBySso', 'AllowSuspicious', 'RequiresSudo', 'Captcha', ...COMMON];

/** The eight ways to say who may enter (credentials.md section 3), each with the modifiers that may refine it. */
export const MODIFIERS = {
  Public: ['BlockedBySso', 'Captcha', ...COMMON],
  CredentialFree: ['CaseInsensitiveScheme', ...COMMON],
  Authenticated: OF_ACCOUNTS,
  UserOnly: OF_ACCOUNTS,
  BotOnly: ['AllowSuspicious', 'CaseInsensitiveScheme', ...COMMON],
  BearerOnly: ['OAuthScope', 'AllowSuspicious', ...COMMON],
  AdminAcl: ['RateLimit', 'Accepts', 'ChangesNothing'],
  ClientAuth: COMMON,
} satisfies Record<string, string[]>;

export type PolicyKind = keyof typeof MODIFIERS;

export interface AclRequirement {
  readonly mode: 'all' | 'any';
  readonly acls: readonly string[];
}

/** Sees the validated body and the caller, because the input guard runs before the sudo guard. */
export type BodyPredicate = (body: never, me: never) => boolean;

export interface SudoOptions {
  /** `false`: neither a fresh proof nor a valid one that was sent appears on the response. */
  readonly issuesProof?: boolean;
  /** The operation raises the account's security epoch, so a success must not return a dead proof. */
  readonly voidsProofs?: boolean | BodyPredicate;
  /** Sudo is needed only for bodies that this predicate accepts. */
  readonly when?: BodyPredicate;
  /** Without a factor or a valid proof the operation does less: `Call.hasSudo` tells which. A wrong factor is refused. */
  readonly isOptional?: boolean;
  /** Throws what must be refused before a factor is spent, and only stored state can tell. */
  readonly first?: (body: never, me: never) => void;
}

/** What a route declares: one policy, then modifiers. */
export interface RoutePolicy {
  readonly kind: PolicyKind;
  readonly acl?: AclRequirement;
  readonly scope?: string;
  readonly blockedBySso: boolean;
  readonly allowSuspicious: boolean;
  readonly sudo?: SudoOptions;
  readonly bucket?: { readonly name: string; readonly per?: string; readonly misses?: string };
  readonly captcha: boolean;
  readonly caseInsensitiveScheme: boolean;
  readonly confidentialClient: boolean;
  readonly cors: 'default' | 'any' | 'upload' | 'none';
  /** An Admin operation that leaves no entry in the audit log, whatever its method. */
  readonly changesNothing?: boolean;
  readonly accepts?: { readonly kind: 'json' | 'form' | 'raw'; readonly limit?: number };
}
