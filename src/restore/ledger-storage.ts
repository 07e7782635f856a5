import type { Config } from '../core/config/config.js';
import type { Log } from '../core/log.js';
import { LocalStorage, type Storage } from '../platform/storage/storage.js';

const LOCK = 'lock';
const BUCKET = 'media';

/** The objects of the ledger: one per line, and the lock of a restore. */
export class LedgerStorage {
  private constructor(private readonly storage: Storage) {}

  /** Returns undefined if no ledger is configured. */
  static async open({ ledger, media, extraCa }: Config, log: Log): Promise<LedgerStorage | undefined> {
    const { folder, bucket } = ledger;
    if (folder !== undefined) return new LedgerStorage(new LocalStorage(folder, log));
    if (bucket === undefined || media.s3 === undefined) return undefined;
    const { S3Storage } = await import('../platform/storage/storage-s3.js');
    // A spread does not copy the secret, because it is hidden.
    const { secretAccessKey } = media.s3;
    const settings = { ...media.s3, secretAccessKey, buckets: { uploads: bucket, media: bucket } };
    return new LedgerStorage(new S3Storage(settings, media.root, log, extraCa));
  }

  /** Sets the lock, which prevents the start of replicas until `unlock`. */
  lock = (): Promise<void> => this.put(LOCK, '{}\n');
  unlock = (): Promise<void> => this.storage.remove(BUCKET, LOCK);
  isLocked = (): Promise<boolean> => this.has(LOCK);

  /** Whether the ledger has this line. Lines count from 1. */
  hasLine = (number: number): Promise<boolean> => this.has(`line ${number}`);
  writeLine = (number: number, text: string): Promise<void> => this.put(`line ${number}`, text);

  /** Returns the text of a line, or `null` if the ledger ends before it. */
  async readLine(number: number): Promise<string | null> {
    const bytes = await this.storage.read(BUCKET, `line ${number}`);
    if (!bytes) return null;
    const chunks: Uint8Array[] = [];
    for await (const chunk of bytes) chunks.push(chunk as Uint8Array);
    return Buffer.concat(chunks).toString('utf8');
  }

  private async has(key: string): Promise<boolean> {
    return (await this.storage.size(BUCKET, key)) !== null;
  }

  private async put(key: string, text: string): Promise<void> {
    async function* bytes() {
      yield Buffer.from(text);
    }
    await this.storage.write(BUCKET, key, bytes());
  }
}
