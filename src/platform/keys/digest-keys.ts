import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Log } from '../../core/log.js';
import { Keyring } from '../../core/secrets.js';
import { Database, type Tx } from '../database/database.js';
import { InstanceSetting } from '../instance/instance.entities.js';
import { KeyRotation, type RotationResult } from './key-rotation.js';

const DIGEST_KEYS_SETTING = 'digest_keys';
const LOCK = [0x6761, 0x646b];
const KEY_BYTES = 32;

/**
 * Keys of digests that must survive a rotation of `GATEHOUSE_SECRET`. Only the digests of backup codes and verified
 * phone numbers are stored, so they cannot be recomputed. The keys are random and stored encrypted, and a rotation only
 * re-encrypts them.
 */
@Injectable()
export class DigestKeys implements OnModuleInit {
  private masters: Buffer[] = [];

  constructor(
    private readonly database: Database,
    private readonly keyring: Keyring,
    private readonly log: Log,
    private readonly rotation: KeyRotation,
  ) {
    rotation.add('digest keys', () => this.reencrypt());
  }

  /** Keys for one purpose. The first creates new digests, all of them verify. */
  keysFor(label: string): Buffer[] {
    return this.masters.map((master) => Buffer.from(hkdfSync('sha256', master, 'gatehouse', label, KEY_BYTES)));
  }

  /** Keyed digests of a text under every available key. Store the first one. */
  digestWithAllKeys(label: string, text: string): Buffer[] {
    return this.keysFor(label).map((key) => createHmac('sha256', key).update(text).digest());
  }

  async onModuleInit(): Promise<void> {
    this.masters = await this.database.transaction(async (tx) => {
      const boxes = await this.lockAndRead(tx);
      const known = boxes.flatMap((box) => this.open(box));
      if (known.length > 0) return known;
      if (boxes.length > 0)
        this.log.warn('GATEHOUSE_SECRET cannot decrypt the digest keys: existing backup codes stopped working');
      const fresh = randomBytes(KEY_BYTES);
      const box = this.keyring.encrypt(DIGEST_KEYS_SETTING, fresh.toString('base64'), DIGEST_KEYS_SETTING);
      await this.store(tx, [box, ...boxes]);
      return [fresh];
    });
  }

  /** Locks and returns the encrypted keys, so that replicas that start at the same time agree on one key. */
  private async lockAndRead(tx: Tx): Promise<Buffer[]> {
    await tx.query('SELECT pg_advisory_xact_lock($1, $2)', LOCK);
    const stored = await tx.findOneBy(InstanceSetting, { name: DIGEST_KEYS_SETTING });
    const { boxes } = (stored?.value ?? { boxes: [] }) as { boxes: string[] };
    return boxes.map((box) => Buffer.from(box, 'base64'));
  }

  private async store(tx: Tx, boxes: readonly Buffer[]): Promise<void> {
    const value = { boxes: boxes.map((box) => box.toString('base64')) };
    await tx.upsert(InstanceSetting, { name: DIGEST_KEYS_SETTING, value }, ['name']);
  }

  private open(box: Buffer): Buffer[] {
    try {
      return [Buffer.from(this.keyring.decrypt(DIGEST_KEYS_SETTING, box, DIGEST_KEYS_SETTING), 'base64')];
    } catch {
      return [];
    }
  }

  private reencrypt(): Promise<RotationResult> {
    return this.database.transaction(async (tx) => {
      const boxes = await this.lockAndRead(tx);
      const fresh = boxes.map((box) => this.rotation.reencrypt(DIGEST_KEYS_SETTING, box, DIGEST_KEYS_SETTING));
      const kept = fresh.map((box, index) => (Buffer.isBuffer(box) ? box : (boxes[index] as Buffer)));
      await this.store(tx, kept);
      return {
        renewed: fresh.filter(Buffer.isBuffer).length,
        lost: fresh.filter((box) => box === 'lost').length,
      };
    });
  }
}
