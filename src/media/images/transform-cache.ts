import { type FileHandle, mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../core/clock.js';
import { Config } from '../../core/config/config.js';
import { cacheDirectory, Spooled } from './spools.js';

const NAME = /^[0-9a-f]{64}$/;

/**
 * An LRU cache of transform results on local disk. It is optional: if it cannot be written, results are computed again.
 */
@Injectable()
export class TransformCache {
  private readonly directory: string;
  private readonly limit: number;
  /** Sizes by name, least recently used first. */
  private index: Promise<Map<string, number>> | undefined;
  private total = 0;

  constructor(
    config: Config,
    private readonly clock: Clock,
  ) {
    this.directory = cacheDirectory(config);
    this.limit = Math.floor(config.media.cacheBytes / config.workers);
  }

  private path(name: string): string {
    return join(this.directory, name);
  }

  /** Returns a cached result. The caller releases it. */
  async get(name: string): Promise<Spooled | null> {
    const index = await this.load();
    const size = index.get(name);
    if (size === undefined) return null;
    const file = await open(this.path(name), 'r').catch(() => null);
    if ((await file?.stat())?.size !== size) {
      await file?.close();
      this.forget(index, name);
      return null;
    }
    index.delete(name);
    index.set(name, size);
    // Preserves the LRU order across a restart.
    const now = this.clock.date();
    await utimes(this.path(name), now, now).catch(() => {});
    return new Spooled(size, file as FileHandle, () => void file?.close().catch(() => {}));
  }

  /** Moves a file into the cache, unless it is larger than the whole cache. */
  async adopt(name: string, path: string, size: number): Promise<void> {
    if (size > this.limit) return;
    const index = await this.load();
    await rename(path, this.path(name));
    this.forget(index, name);
    index.set(name, size);
    this.total += size;
    await this.shrink(index);
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
