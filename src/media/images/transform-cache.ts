import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../core/clock.js';
import { Config } from '../../core/config/config.js';
import { Log } from '../../core/log.js';
import { ownWorker } from '../../core/workers/own-worker.js';

const NAME = /^[0-9a-f]{64}$/;

/**
 * What transforms made, as files of this machine: bounded, least recently used go first. Nothing depends on it; a
 * cache that cannot be written only costs time.
 */
@Injectable()
export class TransformCache {
  private readonly directory: string;
  private readonly limit: number;
  /** Name to size, least recently used first. */
  private index: Promise<Map<string, number>> | undefined;
  private total = 0;

  constructor(
    config: Config,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    const own = ownWorker ? `worker-${ownWorker.number}` : '';
    this.directory = join(config.dataDir, 'media-cache', own);
    this.limit = Math.floor(config.media.cacheBytes / config.workers);
  }

  private path(name: string): string {
    return join(this.directory, name);
  }

  async get(name: string): Promise<Buffer | null> {
    const index = await this.load();
    const size = index.get(name);
    if (size === undefined) return null;
    const bytes = await readFile(this.path(name)).catch(() => null);
    if (bytes?.length !== size) {
      this.forget(index, name);
      return null;
    }
    index.delete(name);
    index.set(name, size);
    // Only so that a restart knows the order.
    const now = this.clock.date();
    await utimes(this.path(name), now, now).catch(() => {});
    return bytes;
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    if (bytes.length > this.limit) return;
    const spool = this.path(`${randomUUID()}.tmp`);
    try {
      const index = await this.load();
      await writeFile(spool, bytes, { mode: 0o600, flag: 'wx' });
      await rename(spool, this.path(name));
      this.forget(index, name);
      index.set(name, bytes.length);
      this.total += bytes.length;
      await this.shrink(index);
    } catch (error) {
      await rm(spool, { force: true }).catch(() => {});
      this.log.warn('a transformed image could not be kept', { error });
    }
  }

  private forget(index: Map<string, number>, name: string): void {
    this.total -= index.get(name) ?? 0;
    index.delete(name);
  }

  private async shrink(index: Map<string, number>): Promise<void> {
    for (const name of index.keys()) {
      if (this.total <= this.limit) return;
      this.forget(index, name);
      await rm(this.path(name), { force: true });
    }
  }

  private load(): Promise<Map<string, number>> {
    this.index ??= this.read();
    return this.index;
  }

  private async read(): Promise<Map<string, number>> {
    const found: { name: string; size: number; used: number }[] = [];
    await mkdir(this.directory, { recursive: true }).catch(() => {});
    for (const name of await readdir(this.directory).catch(() => [])) {
      const path = this.path(name);
      const facts = NAME.test(name) ? await stat(path).catch(() => null) : null;
      if (facts) found.push({ name, size: facts.size, used: facts.mtimeMs });
      else await rm(path, { force: true }).catch(() => {});
    }
    found.sort((a, b) => a.used - b.used);
    this.total = found.reduce((sum, { size }) => sum + size, 0);
    return new Map(found.map(({ name, size }) => [name, size]));
  }
}
