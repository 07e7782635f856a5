import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Injectable } from '@nestjs/common';
import { type BuiltFile, namesBelow, readFile } from './built-files.js';

/** Next to the compiled code, or the output folder of `npm run docs` when running from the sources. */
const PLACES = ['../../guides/', '../../dist/guides/'].map((path) => fileURLToPath(new URL(path, import.meta.url)));

/** The built guides. Files are read on the first request. */
@Injectable()
export class Guides {
  private readonly folder = PLACES.find((place) => existsSync(`${place}start.html`));
  private readonly names: ReadonlySet<string> = new Set(this.folder ? namesBelow(this.folder) : []);
  private readonly known = new Map<string, BuiltFile>();

  /** @param path below `/guides/`: a page without its extension, or a file */
  file(path: string): BuiltFile | undefined {
    const name = this.names.has(path) ? path : `${path}.html`;
    if (!this.folder || !this.names.has(name)) return undefined;
    const file = this.known.get(name) ?? readFile(this.folder, name);
    this.known.set(name, file);
    return file;
  }
}
