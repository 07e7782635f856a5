import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  AccountImporter,
  IMPORT_TABLES,
  type ImportTables,
  type IncomingAccount,
} from '../../accounts/account-importer.service.js';
import { usernameFrom } from '../../accounts/names.js';
import { SSO_CONNECTION } from '../../auth/connections/connections.service.js';
import {
  IDENTITY_TABLES,
  IdentityImporter,
  type IdentityTables,
  type ProviderIdentity,
} from '../../auth/connections/identity-importer.service.js';
import { DecoyAccounts } from '../../auth/factors/decoy-accounts.service.js';
import { Factors, parseSecret } from '../../auth/factors/factors.service.js';
import { toStoredHash } from '../../auth/factors/imported-hashes.js';
import { CONNECTION_TRAIT } from '../../auth/identities/connection-identities.service.js';
import { SSO_TRAIT } from '../../auth/sso/sso-identities.service.js';
import { Clock } from '../../core/clock.js';
import { mintFrom } from '../../core/secrets.js';
import { Snowflakes } from '../../core/snowflake.js';
import { isWriteConflict } from '../../platform/database/constraints.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { connectionOf, type ImportedUser, type LineRejection, MIN_TOTP_BYTES, readUser } from './imported-user.js';
import type { Line } from './lines.js';
import { type ResolvedUser, UsedIdentifiers } from './used-identifiers.js';

/** Number of lines that are checked and written together. */
const BATCH_LINES = 1000;
/** Retries of a batch, because other requests may take an email address or a name while it is written. */
const MAX_ATTEMPTS = 5;
const MAX_DISCRIMINATOR = 9999;

/** Number of lines by result. */
export interface ImportCounts {
  lines: number;
  imported: number;
  /** Lines whose account exists already, from an earlier run or an earlier line. */
  present: number;
  refused: number;
}

export interface ImportOptions {
  /** Checks everything and stores nothing. */
  readonly dryRun: boolean;
  /** Called after each batch with its rejected lines, in the order of the file. */
  onRefused(refused: readonly LineRejection[]): Promise<void>;
  /** Called after each batch with the number of bytes that are done. */
  onProgress(tally: Readonly<ImportCounts>, end: number): void;
}

interface Candidate {
  readonly line: number;
  readonly user: ResolvedUser;
}

/** A line that is valid on its own. */
interface ReadLine {
  readonly line: number;
  readonly user: ImportedUser;
}

/** A line that will become an account. */
interface AcceptedLine extends Candidate {
  readonly id: string;
  readonly username: string;
  discriminator: number;
}

interface ParsedBatch {
  readonly candidates: readonly ReadLine[];
  readonly refused: readonly LineRejection[];
  readonly end: number;
}

interface Outcome {
  readonly imported: number;
  readonly present: number;
  readonly refused: readonly LineRejection[];
}

/** The tables and the transaction that a run uses. A dry run uses temporary tables. */
interface ImportTarget {
  readonly accounts: ImportTables;
  readonly identities: IdentityTables;
  run<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
}

const PERMANENT_TABLES = { accounts: IMPORT_TABLES, identities: IDENTITY_TABLES };

function traitsOf({ identities }: ResolvedUser): string[] {
  const isOfSso = ({ connectionId }: ProviderIdentity) => connectionId === SSO_CONNECTION;
  return [...(identities.some(isOfSso) ? [SSO_TRAIT] : []), ...(identities.every(isOfSso) ? [] : [CONNECTION_TRAIT])];
}

/** Imports users of another service from a file of any length. Each batch of lines is one transaction. */
@Injectable()
export class UserImport {
  constructor(
    private readonly database: Database,
    private readonly accountImporter: AccountImporter,
    private readonly identities: IdentityImporter,
    private readonly factors: Factors,
    private readonly decoyAccounts: DecoyAccounts,
    private readonly snowflakes: Snowflakes,
    private readonly clock: Clock,
  ) {}

  /** You can repeat an interrupted run. Accounts that exist already are skipped. */
  async run(lines: AsyncIterable<Line>, options: ImportOptions): Promise<ImportCounts> {
    if (options.dryRun) return this.dryRun(lines, options);
    const place = { ...PERMANENT_TABLES, run: <T>(work: (tx: Tx) => Promise<T>) => this.database.transaction(work) };
    const tally = await this.importAll(lines, options, place);
    // Also draw decoys if an earlier run was interrupted before it drew them.
    if (tally.imported > 0 || (tally.present > 0 && !this.decoyAccounts.hasDecoys)) await this.decoyAccounts.resample();
    return tally;
  }

  private dryRun(lines: AsyncIterable<Line>, options: ImportOptions): Promise<ImportCounts> {
    return this.database.session(async (session) => {
      try {
        const [accounts, identities] = [
          await this.accountImporter.beginDryRun(session),
          await this.identities.createDryRunTables(session),
        ];
        return await this.importAll(lines, options, { accounts, identities, run: (work) => work(session) });
      } finally {
        await this.identities.dropDryRunTables(session);
        await this.accountImporter.endDryRun(session);
      }
    });
  }

  /** Reads the next batch while the database writes the previous one. */
  private async importAll(
    lines: AsyncIterable<Line>,
    options: ImportOptions,
    place: ImportTarget,
  ): Promise<ImportCounts> {
    const tally: ImportCounts = { lines: 0, imported: 0, present: 0, refused: 0 };
    let written: Promise<void> = Promise.resolve();
    const write = async (read: ParsedBatch): Promise<void> => {
      const outcome = await this.importBatch(place, read.candidates);
      const refused = [...read.refused, ...outcome.refused].sort((a, b) => a.line - b.line);
      tally.imported += outcome.imported;
      tally.present += outcome.present;
      tally.refused += new Set(refused.map(({ line }) => line)).size;
      tally.lines = tally.imported + tally.present + tally.refused;
      await options.onRefused(refused);
      options.onProgress(tally, read.end);
    };
    try {
      for await (const read of this.batches(lines)) {
        await written;
        written = write(read);
        // The next `await` reports a failure. Until then, this avoids an unhandled rejection.
        written.catch(() => {});
      }
    } finally {
      await written;
    }
    return tally;
  }

  private async *batches(lines: AsyncIterable<Line>): AsyncGenerator<ParsedBatch> {
    let [candidates, refused, end]: [ReadLine[], LineRejection[], number] = [[], [], 0];
    let count = 0;
    for await (const line of lines) {
      const read = readUser(line, this.clock.now());
      if (Array.isArray(read)) refused.push(...read);
      else candidates.push({ line: line.number, user: read });
      end = line.end;
      if (++count % BATCH_LINES > 0) continue;
      yield { candidates, refused, end };
      [candidates, refused] = [[], []];
    }
    if (count % BATCH_LINES > 0) yield { candidates, refused, end };
  }

  private async importBatch(place: ImportTarget, candidates: readonly ReadLine[]): Promise<Outcome> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await place.run((tx) => this.importInTransaction(tx, place, candidates));
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || !isWriteConflict(error)) throw error;
      }
    }
  }

  private async importInTransaction(tx: Tx, place: ImportTarget, lines: readonly ReadLine[]): Promise<Outcome> {
    const [candidates, refused] = await this.resolveProviders(tx, lines);
    const taken = await this.findUsedIdentifiers(tx, place, candidates);
    const accepted: AcceptedLine[] = [];
    let present = 0;
    for (const candidate of candidates) {
      const { line, user } = candidate;
      if (taken.describes(user)) {
        present++;
        continue;
      }
      const faults = [...taken.faultsOf(user)];
      refused.push(...faults.map(([field, code]) => ({ line, field, code })));
      if (faults.length > 0) continue;
      accepted.push(this.accept(candidate, taken));
    }
    const [named, crowded] = await this.allocate(tx, place, accepted);
    refused.push(...crowded);
    await this.write(tx, place, named);
    return { imported: named.length, present, refused };
  }

  /** Finds the connections of identities, and rejects lines that name an unknown one or one without a provider. */
  private async resolveProviders(tx: Tx, lines: readonly ReadLine[]): Promise<[Candidate[], LineRejection[]]> {
    const named = lines.flatMap(({ user }) => user.identities?.map(connectionOf) ?? []);
    const issuers = await this.identities.issuersOf(
      tx,
      [...new Set(named)].filter((id) => id !== SSO_CONNECTION),
    );
    const refused: LineRejection[] = [];
    const candidates: Candidate[] = [];
    for (const { line, user } of lines) {
      const identities: ProviderIdentity[] = [];
      const faults: LineRejection[] = [];
      for (const [index, identity] of (user.identities ?? []).entries()) {
        const connectionId = connectionOf(identity);
        const issuer = identity.issuer ?? issuers.get(connectionId);
        const field = `identities.${index}`;
        if (connectionId !== SSO_CONNECTION && !issuers.has(connectionId))
          faults.push({ line, field: `${field}.connection_id`, code: 'UNKNOWN_CONNECTION' });
        else if (!issuer) faults.push({ line, field: `${field}.issuer`, code: 'INVALID_URL_FORMAT' });
        else identities.push({ connectionId, issuer, subject: identity.subject });
      }
      refused.push(...faults);
      if (faults.length === 0) candidates.push({ line, user: { ...user, identities } });
    }
    return [candidates, refused];
  }

  private async findUsedIdentifiers(
    tx: Tx,
    { accounts, identities }: ImportTarget,
    candidates: readonly Candidate[],
  ): Promise<UsedIdentifiers> {
    const users = candidates.map(({ user }) => user);
    const found = await this.identities.findAll(
      tx,
      identities,
      users.flatMap((user) => user.identities),
    );
    const named = users.flatMap(({ id }) => (id === undefined ? [] : [id]));
    const holders = await this.accountImporter.findHolders(tx, accounts, {
      ids: [...named, ...found.map(({ accountId }) => accountId)],
      emails: users.flatMap(({ email }) => (email === undefined ? [] : [email.toLowerCase()])),
      tags: users.flatMap(({ username, discriminator }) =>
        username === undefined || discriminator === undefined
          ? []
          : [{ username: username.toLowerCase(), discriminator: Number(discriminator) }],
      ),
    });
    const taken = new UsedIdentifiers();
    for (const holder of holders) taken.add(holder);
    for (const identity of found) taken.addIdentity(identity, identity.accountId);
    return taken;
  }

  private accept(candidate: Candidate, taken: UsedIdentifiers): AcceptedLine {
    const { user } = candidate;
    const id = user.id ?? this.snowflakes.next();
    const username = user.username ?? usernameFrom(user.global_name ?? '') ?? `user_${mintFrom('0123456789', 8)}`;
    const discriminator = Number(user.discriminator ?? 0);
    taken.add({
      ...{ id, username, discriminator, email: user.email ?? null },
      createdAt: user.created_at === undefined ? this.clock.date() : new Date(user.created_at),
      wasTakenIn: true,
    });
    for (const identity of user.identities) taken.addIdentity(identity, id);
    return { ...candidate, id, username, discriminator };
  }

  /** Assigns a free discriminator to each user without one. Rejects a line if no discriminator is free. */
  private async allocate(
    tx: Tx,
    { accounts }: ImportTarget,
    accepted: readonly AcceptedLine[],
  ): Promise<[AcceptedLine[], LineRejection[]]> {
    const names = accepted
      .filter(({ discriminator }) => discriminator === 0)
      .map(({ username }) => username.toLowerCase());
    if (names.length === 0) return [[...accepted], []];
    const taken = await this.accountImporter.takenDiscriminators(tx, accounts, names);
    const of = (username: string): Set<number> => {
      const known = taken.get(username.toLowerCase()) ?? new Set<number>();
      taken.set(username.toLowerCase(), known);
      return known;
    };
    for (const { username, discriminator } of accepted) if (discriminator > 0) of(username).add(discriminator);
    const refused: LineRejection[] = [];
    for (const one of accepted) {
      if (one.discriminator > 0) continue;
      const others = of(one.username);
      if (others.size >= MAX_DISCRIMINATOR) {
        const code = 'TOO_MANY_USERS_WITH_THIS_USERNAME';
        refused.push({ line: one.line, field: 'username', code });
        continue;
      }
      do one.discriminator = randomInt(1, MAX_DISCRIMINATOR + 1);
      while (others.has(one.discriminator));
      others.add(one.discriminator);
    }
    return [accepted.filter(({ discriminator }) => discriminator > 0), refused];
  }

  private async write(
    tx: Tx,
    { accounts, identities }: ImportTarget,
    accepted: readonly AcceptedLine[],
  ): Promise<void> {
    if (accepted.length === 0) return;
    const now = this.clock.date();
    await this.accountImporter.insert(
      tx,
      accounts,
      accepted.map((one) => this.accountOf(one, now)),
    );
    await this.identities.insertAll(
      tx,
      identities,
      accepted.flatMap(({ id, user }) => user.identities.map((identity) => ({ ...identity, accountId: id }))),
    );
  }

  private accountOf({ id, username, discriminator, user }: AcceptedLine, now: Date): IncomingAccount {
    const secret = user.totp_secret === undefined ? null : parseSecret(user.totp_secret, MIN_TOTP_BYTES);
    return {
      ...{ id, username, discriminator },
      globalName: user.global_name ?? null,
      email: user.email ?? null,
      emailVerified: user.email_verified ?? false,
      passwordHash: user.password_hash === undefined ? null : toStoredHash(user.password_hash),
      totpSecret: secret && this.factors.encryptSecret(id, secret),
      locale: user.locale ?? 'en-US',
      theme: user.theme ?? 'system',
      traits: traitsOf(user),
      termsAgreedAt: user.terms_agreed_at === undefined ? null : new Date(user.terms_agreed_at),
      createdAt: user.created_at === undefined ? now : new Date(user.created_at),
    };
  }
}
