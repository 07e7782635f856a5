import type { ClaimHolder } from '../../accounts/account-importer.service.js';
import type { ProviderIdentity } from '../../auth/connections/identity-importer.service.js';
import type { ImportCode, ImportedUser } from './imported-user.js';

/** A user whose identities have their providers. */
export type ResolvedUser = Omit<ImportedUser, 'identities'> & { readonly identities: readonly ProviderIdentity[] };

const identityKey = ({ connectionId, issuer, subject }: ProviderIdentity): string =>
  `${connectionId}\n${issuer}\n${subject}`;
const tagKey = (username: string, discriminator: number): string => `${username.toLowerCase()}#${discriminator}`;

/** Identifiers that are in use by existing accounts or by earlier lines of the batch. */
export class UsedIdentifiers {
  private readonly byId = new Map<string, ClaimHolder>();
  private readonly byEmail = new Map<string, ClaimHolder>();
  private readonly byTag = new Map<string, ClaimHolder>();
  private readonly byIdentity = new Map<string, string>();

  add(holder: ClaimHolder): void {
    this.byId.set(holder.id, holder);
    if (holder.email !== null) this.byEmail.set(holder.email.toLowerCase(), holder);
    if (holder.username !== null) this.byTag.set(tagKey(holder.username, holder.discriminator), holder);
  }

  addIdentity(identity: ProviderIdentity, accountId: string): void {
    this.byIdentity.set(identityKey(identity), accountId);
  }

  /** Whether a line describes an imported account and all its values match. */
  describes({ id, email, username, discriminator, created_at: createdAt, identities }: ResolvedUser): boolean {
    const [first] = identities;
    const owner = first && this.byId.get(this.byIdentity.get(identityKey(first)) ?? '');
    const holder =
      id !== undefined ? this.byId.get(id) : email === undefined ? owner : this.byEmail.get(email.toLowerCase());
    if (!holder?.wasTakenIn) return false;
    return (
      (email === undefined || holder.email?.toLowerCase() === email.toLowerCase()) &&
      (username === undefined || holder.username?.toLowerCase() === username.toLowerCase()) &&
      (discriminator === undefined || holder.discriminator === Number(discriminator)) &&
      (createdAt === undefined || holder.createdAt.getTime() === Date.parse(createdAt)) &&
      identities.every((identity) => this.byIdentity.get(identityKey(identity)) === holder.id)
    );
  }

  *faultsOf({ id, email, username, discriminator, identities }: ResolvedUser): Generator<[string, ImportCode]> {
    if (id !== undefined && this.byId.has(id)) yield ['id', 'ID_ALREADY_IN_USE'];
    if (email !== undefined && this.byEmail.has(email.toLowerCase())) yield ['email', 'EMAIL_ALREADY_IN_USE'];
    if (username !== undefined && discriminator !== undefined) {
      if (this.byTag.has(tagKey(username, Number(discriminator)))) yield ['discriminator', 'TAG_ALREADY_TAKEN'];
    }
    for (const [index, identity] of identities.entries()) {
      if (this.byIdentity.has(identityKey(identity))) yield [`identities.${index}`, 'IDENTITY_ALREADY_IN_USE'];
    }
  }
}
