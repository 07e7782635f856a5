import { createHash, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../core/clock.js';
import { Config } from '../../core/config/config.js';
import { ApiError, unavailable } from '../../core/errors.js';
import { digest } from '../../core/secrets.js';
import { streamBody } from '../../http/body.js';
import { closeAfterResponse } from '../../http/framing.js';
import { Database } from '../../platform/database/database.js';
import { Storage, StorageFault } from '../../platform/storage/storage.js';
import { type Call, RESPONSE_HANDLED } from '../../policy/call.js';
import { type Claims, readCapability } from '../addresses/capability.js';
import { rawPath, requireKey } from '../addresses/keys.js';
import { OCTET_STREAM } from '../addresses/types.js';
import { MediaUrlService } from '../addresses/urls.service.js';
import { StagedObject, UsedCapability } from './media.entities.js';

export const RELAY_PREFIX = '/media/relay/';

const MAX_SPOOLED_BYTES = 8 * 1024 ** 3;
const DEADLINE_SECONDS = 60;
const BYTES_PER_SECOND = 16 * 1024;
/** Added to the deadline of a capability in use, so that two requests never store at the same time. */
const MARGIN_SECONDS = 5;
/** How long a used capability is kept after its expiration. */
const SPENT_CAPABILITY_SECONDS = 60;
const MAX_TYPE_LENGTH = 255;

interface Received {
  size: number;
  sha256: Buffer;
}

/** A single-use capability held by one request. */
interface CapabilityUse {
  readonly digest: Buffer;
  readonly holder: string;
  readonly state: 'busy';
}

/**
 * Uploads that are authorized by a capability in the URL (media.md section 4). The checks of 4.2 run in their order.
 */
@Injectable()
export class RelayService {
  private spooled = 0;

  constructor(
    private readonly urls: MediaUrlService,
    private readonly storage: Storage,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /**
   * Stores an upload.
   * @throws ApiError with the errors of 4.2
   */
  async receive(call: Call): Promise<typeof RESPONSE_HANDLED> {
    const key = requireKey(rawPath(call.req.url ?? '', RELAY_PREFIX));
    const { token, claims } = this.requireCapability(call.req.url ?? '', key);
    const limit = Math.min(claims.mb, this.config.media.maxUploadBytes);
    const declared = declaredLength(call);
    if (declared !== null && declared > limit) throw closeUnlessComplete(call, new ApiError('PAYLOAD_TOO_LARGE'));
    const room = declared ?? limit;
    const { sha256 } = claims.r
      ? await this.store(call, claims, room)
      : await this.storeOnce(call, claims, room, digest(token));
    call.res.setHeader('ETag', `"${sha256.toString('hex').slice(0, 32)}"`);
    call.res.writeHead(200, { 'Content-Length': 0 }).end();
    return RESPONSE_HANDLED;
  }

  private requireCapability(url: string, key: string): { token: string; claims: Claims } {
    const query = new URLSearchParams(url.split('?').slice(1).join('?'));
    const given = query.getAll('t');
    const [token = ''] = given;
    const claims = given.length === 1 ? readCapability(this.urls.relaySecrets, token) : null;
    if (!claims) throw new ApiError('UNAUTHORIZED');
    if (claims.m !== 'put' || this.clock.seconds() >= claims.e) throw new ApiError('UNAUTHORIZED');
    const isPart = query.has('partNumber') || query.getAll('uploadId').some(Boolean);
    if (claims.b !== 'uploads' || claims.k !== key || isPart) throw new ApiError('FORBIDDEN');
    return { token, claims };
  }

  private async storeOnce(call: Call, claims: Claims, room: number, key: Buffer): Promise<Received> {
    const use = { digest: key, holder: randomUUID(), state: 'busy' as const };
    await this.acquire(use, claims.e, room);
    try {
      return await this.store(call, claims, room, use);
    } catch (error) {
      // If this also fails, the row expires at the write deadline.
      await this.database.manager.delete(UsedCapability, use).catch(() => {});
      throw error;
    }
  }

  /**
   * Acquires the capability for exactly one of the concurrent requests. A row left by a crashed process is taken over
   * after its deadline.
   */
  private async acquire({ digest: key, holder }: CapabilityUse, expires: number, room: number): Promise<void> {
    const won = await this.database.manager.query<unknown[]>(
      `INSERT INTO media_capability AS c (digest, state, holder, busy_until, expires_at)
       VALUES ($1, 'busy', $2, now() + make_interval(secs => $3), to_timestamp($4))
       ON CONFLICT (digest) DO UPDATE SET holder = excluded.holder, busy_until = excluded.busy_until
         WHERE c.state = 'busy' AND c.busy_until <= now()
       RETURNING c.holder`,
      [key, holder, deadlineSeconds(room) + MARGIN_SECONDS, expires + SPENT_CAPABILITY_SECONDS],
    );
    if (won.length > 0) return;
    const held = await this.database.manager.findOneBy(UsedCapability, { digest: key });
    throw new ApiError(held?.state === 'used' ? 'UNAUTHORIZED' : 'CONFLICT');
  }

  private async store(call: Call, claims: Claims, room: number, use?: CapabilityUse): Promise<Received> {
    if (this.spooled + room > MAX_SPOOLED_BYTES) throw closeUnlessComplete(call, unavailable(5));
    this.spooled += room;
    clearTimeout(call.bodyDeadline);
    const received: Received = { size: 0, sha256: Buffer.alloc(0) };
    try {
      const late = AbortSignal.timeout(deadlineSeconds(room) * 1000);
      await this.storage.write('uploads', claims.k, countAndHash(call, room, received), late);
      await this.record(call, claims, received, use);
      return received;
    } catch (error) {
      throw closeUnlessComplete(call, toApiError(error));
    } finally {
      this.spooled -= room;
    }
  }

  /** Records the stored object and marks the capability as used in one transaction. */
  private record(call: Call, claims: Claims, { size, sha256 }: Received, use?: CapabilityUse): Promise<void> {
    const type = claims.ct ?? call.req.headers['content-type'] ?? OCTET_STREAM;
    return this.database.transaction(async (tx) => {
      if (use) {
        const { affected } = await tx.update(UsedCapability, use, { state: 'used' });
        if (affected !== 1) throw new ApiError('BAD_GATEWAY');
      }
      const staged = { size: String(size), sha256, contentType: type.slice(0, MAX_TYPE_LENGTH) };
      await tx
        .createQueryBuilder()
        .insert()
        .into(StagedObject)
        .values({ key: claims.k, ...staged, storedAt: () => 'now()' })
        .orUpdate(['size', 'sha256', 'content_type', 'stored_at'], ['key'])
        .execute();
    });
  }
}

const deadlineSeconds = (bytes: number): number => DEADLINE_SECONDS + Math.ceil(bytes / BYTES_PER_SECOND);

const declaredLength = ({ req }: Call): number | null =>
  req.headers['content-length'] === undefined ? null : Number(req.headers['content-length']);

/** Closes the connection after the response if the body was not read completely. */
function closeUnlessComplete<E>(call: Call, apiError: E): E {
  if (!call.req.complete) closeAfterResponse(call);
  return apiError;
}

function toApiError(error: unknown): unknown {
  if (!(error instanceof StorageFault)) return error;
  return (error.full ? unavailable(5) : new ApiError('BAD_GATEWAY')).withCause(error);
}

/** Yields the body while counting and hashing it. */
async function* countAndHash(call: Call, limit: number, received: Received): AsyncGenerator<Uint8Array> {
  const sha256 = createHash('sha256');
  for await (const chunk of streamBody(
    call,
    deadlineSeconds(limit) * 1000,
    new ApiError('BAD_GATEWAY'),
  ) as AsyncIterable<Buffer>) {
    received.size += chunk.length;
    if (received.size > limit) throw new ApiError('PAYLOAD_TOO_LARGE');
    sha256.update(chunk);
    yield chunk;
  }
  received.sha256 = sha256.digest();
}
