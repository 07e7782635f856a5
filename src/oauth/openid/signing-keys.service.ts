import { Injectable } from '@nestjs/common';
import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import { SIGNING_ALGORITHMS, type SigningAlgorithm } from '../../accounts/grants/oauth.entities.js';
import { Config } from '../../core/config/config.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { Cleanup } from '../../platform/jobs/cleanup.js';
import { ColumnEncryption } from '../../platform/keys/column-encryption.service.js';
import { FeatureRegistry } from '../../policy/feature-registry.js';

/** Replicas that rotate or create keys at the same time take turns. */
const LOCK = [0x6761, 0x6f6b];
/** Clients must be able to fetch a key before the first token that it signs. */
const PUBLICATION_HOURS = 24;
/** A replica may sign shortly after another one has rotated the key. */
const SIGNING_LAG_SECONDS = 60;
/** Public keys are kept this long to verify `id_token_hint`. */
const RETENTION_DAYS = 400;

const CURRENT = 'activated_at IS NOT NULL AND retired_at IS NULL';
const NEXT = 'activated_at IS NULL';
const IS_FORGOTTEN = `retired_at < now() - interval '${RETENTION_DAYS} days'`;
const IS_OLD_ENOUGH = `published_at <= now() - interval '${PUBLICATION_HOURS} hours'`;
const PUBLISHED = `SELECT alg, public_jwk FROM openid_key WHERE ${NEXT} OR ${CURRENT} OR published_until > now()
  ORDER BY alg, activated_at NULLS LAST, kid`;

/** The key that signs only assertions for other services (contract/forward-auth.md section 2). */
const ASSERTION = 'assertion';

/** A key of ID tokens by its algorithm, or the key of assertions. The column `alg` contains it. */
type KeyKind = SigningAlgorithm | typeof ASSERTION;

const algorithmOf = (kind: KeyKind): SigningAlgorithm => (kind === ASSERTION ? 'ES256' : kind);

/** The private key of the database, encrypted. */
export interface StoredSigningKey {
  readonly kid: string;
  readonly alg: KeyKind;
  readonly private_key: Buffer;
}

/** A key that is not stored yet. */
interface NewKey {
  readonly kid: string;
  readonly kind: KeyKind;
  readonly public_jwk: PublicKey;
  /** The encrypted private key as Base64. */
  readonly private_key: string;
  readonly is_active: boolean;
}

/** A public key as the key set contains it (RFC 7517). */
export type PublicKey = JWK & { readonly kid: string; readonly alg: string; readonly use: 'sig' };

/**
 * The keys that sign ID tokens (contract/openid.md section 2) and assertions. They are created when they are first needed.
 */
@Injectable()
export class SigningKeys {
  private readonly imported = new Map<string, Promise<CryptoKey>>();
  private readonly kinds: readonly KeyKind[];

  constructor(
    private readonly database: Database,
    private readonly encryption: ColumnEncryption,
    private readonly config: Config,
    cleanup: Cleanup,
    { servicePolicies }: FeatureRegistry,
  ) {
    this.kinds = servicePolicies.size > 0 ? [...SIGNING_ALGORITHMS, ASSERTION] : SIGNING_ALGORITHMS;
    cleanup.addExpiry('openid_key', 'kid', IS_FORGOTTEN);
    cleanup.add('openid-key-rotation', async (tx) => {
      await this.rotateExpired(tx);
      // Key generation takes too long for a transaction.
      this.database.onCommit(tx, () => this.createNext());
      return 0;
    });
  }

  /** Returns the public keys that can verify tokens, and those that will sign next. */
  async published(): Promise<PublicKey[]> {
    let rows = await this.readPublished();
    if (this.kinds.some((kind) => !rows.some(({ alg }) => alg === kind))) {
      await this.create();
      rows = await this.readPublished();
    }
    return rows.map((row) => row.public_jwk);
  }

  private readPublished() {
    return this.database.statement<{ alg: KeyKind; public_jwk: PublicKey }>('openid-jwks', PUBLISHED, []);
  }

  /** Returns the current key of an algorithm, or the key of assertions. */
  async current(alg: KeyKind): Promise<StoredSigningKey> {
    const found = await this.findCurrent(alg);
    if (found) return found;
    await this.create();
    const created = await this.findCurrent(alg);
    if (!created) throw new Error('The new signing key was not stored');
    return created;
  }

  private async findCurrent(alg: KeyKind): Promise<StoredSigningKey | undefined> {
    const [row] = await this.database.statement<StoredSigningKey>(
      'openid-current-key',
      `SELECT kid, alg, private_key FROM openid_key WHERE alg = $1 AND ${CURRENT}`,
      [alg],
    );
    return row;
  }

  /** Decrypts a private key, once per process. It cannot be exported. */
  privateKey({ kid, alg, private_key }: StoredSigningKey): Promise<CryptoKey> {
    const known = this.imported.get(kid);
    if (known) return known;
    const jwk = JSON.parse(this.encryption.decrypt('signing keys', private_key, kid)) as JWK;
    const key = importJWK(jwk, algorithmOf(alg), { extractable: false }) as Promise<CryptoKey>;
    this.imported.set(kid, key);
    key.catch(() => this.imported.delete(kid));
    return key;
  }

  /** Returns the public half of a key that may have signed an ID token, published or not. */
  async findPublic(kid: string): Promise<PublicKey | undefined> {
    const [row] = await this.database.statement<{ public_jwk: PublicKey }>(
      'openid-public-key',
      `SELECT public_jwk FROM openid_key
       WHERE kid = $1 AND alg <> '${ASSERTION}' AND activated_at IS NOT NULL AND (${IS_FORGOTTEN}) IS NOT TRUE`,
      [kid],
    );
    return row?.public_jwk;
  }

  /**
   * Activates the published keys, if all of them are old enough. If the current keys are `compromised`, activates the
   * published ones immediately, and the former ones can no longer verify anything.
   * @returns `unused` if the instance has no keys yet, `young` if a published key is too new
   */
  async rotate(compromised: boolean): Promise<'rotated' | 'young' | 'unused'> {
    const outcome = await this.database.transaction(async (tx) => {
      await this.lock(tx);
      const next = await tx.query<{ alg: KeyKind; is_ready: boolean }[]>(
        `SELECT alg, ${IS_OLD_ENOUGH} AS is_ready FROM openid_key WHERE ${NEXT} ORDER BY alg`,
      );
      if (next.length === 0) return 'unused';
      if (!compromised && next.some((key) => !key.is_ready)) return 'young';
      for (const { alg } of next) await this.activateNext(tx, alg, compromised);
      return 'rotated';
    });
    await this.createNext();
    return outcome;
  }

  /** Rotates keys that have signed for as long as the settings allow. */
  private async rotateExpired(tx: Tx): Promise<void> {
    await this.lock(tx);
    const expired = await tx.query<{ alg: KeyKind }[]>(
      `SELECT c.alg FROM openid_key c JOIN openid_key n ON n.alg = c.alg
       WHERE c.activated_at <= now() - $1::int * interval '1 day' AND c.retired_at IS NULL
         AND n.${NEXT} AND n.${IS_OLD_ENOUGH}
       ORDER BY c.alg`,
      [this.config.openid.keyDays],
    );
    for (const { alg } of expired) await this.activateNext(tx, alg, false);
  }

  private async activateNext(tx: Tx, alg: KeyKind, compromised: boolean): Promise<void> {
    if (compromised) await tx.query(`DELETE FROM openid_key WHERE alg = $1 AND ${CURRENT}`, [alg]);
    else {
      await tx.query(
        `UPDATE openid_key SET retired_at = now(), private_key = NULL,
           published_until = now() + $2::int * interval '1 second'
         WHERE alg = $1 AND ${CURRENT}`,
        [alg, this.config.openid.idTokenSeconds + SIGNING_LAG_SECONDS],
      );
    }
    await tx.query(`UPDATE openid_key SET activated_at = now() WHERE alg = $1 AND ${NEXT}`, [alg]);
  }

  /** Creates the first keys of the instance. The current ones sign immediately. */
  private async create(): Promise<void> {
    const keys: Promise<NewKey>[] = [];
    for (const kind of this.kinds) {
      if (!(await this.findCurrent(kind))) keys.push(this.generate(kind, true), this.generate(kind, false));
    }
    await this.insert(await Promise.all(keys));
  }

  /** Creates the next key of each algorithm that has none, if the instance uses keys. */
  private async createNext(): Promise<void> {
    const missing = await this.database.manager.query<{ alg: KeyKind }[]>(
      `SELECT alg FROM openid_key c WHERE ${CURRENT}
         AND NOT EXISTS (SELECT 1 FROM openid_key n WHERE n.alg = c.alg AND n.${NEXT})`,
    );
    await this.insert(await Promise.all(missing.map(({ alg }) => this.generate(alg, false))));
  }

  private async generate(kind: KeyKind, isActive: boolean): Promise<NewKey> {
    const alg = algorithmOf(kind);
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true, modulusLength: 2048 });
    const bare = await exportJWK(publicKey);
    const kid = await calculateJwkThumbprint(bare);
    const secret = this.encryption.encrypt('signing keys', JSON.stringify(await exportJWK(privateKey)), kid);
    return {
      kid,
      kind,
      public_jwk: { ...bare, kid, alg, use: 'sig' },
      private_key: secret.toString('base64'),
      is_active: isActive,
    };
  }

  /**
   * Inserts all keys in one statement, so that no replica publishes only some of them. Does nothing if another process
   * was faster. Processes insert in the same order, because each one waits for the rows of the others.
   */
  private async insert(keys: readonly NewKey[]): Promise<void> {
    if (keys.length === 0) return;
    await this.database.manager.query(
      `INSERT INTO openid_key (kid, alg, public_jwk, private_key, activated_at)
       SELECT kid, kind, public_jwk, decode(private_key, 'base64'), CASE WHEN is_active THEN now() END
       FROM jsonb_to_recordset($1::jsonb)
         AS k(kid text, kind text, public_jwk jsonb, private_key text, is_active boolean)
       ORDER BY kind, is_active DESC ON CONFLICT DO NOTHING`,
      [JSON.stringify(keys)],
    );
  }

  private async lock(tx: Tx): Promise<void> {
    await tx.query('SELECT pg_advisory_xact_lock($1, $2)', LOCK);
  }
}
