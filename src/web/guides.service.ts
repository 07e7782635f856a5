import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Injectable } from '@nestjs/common';
import { type BuiltFile, listBuiltFiles, readFile } from '../http/files/built-files.js';

/** Next to the compiled code, or the output folder of the build when running from the sources. */
const FOLDER_CANDIDATES = ['../../guides/', '../../dist/guides/'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);

/** The built guides. Files are read on the first request. */
@Injectable()
export class Guides {
  private readonly folder = FOLDER_CANDIDATES.find((place) => existsSync(`${place}start.html`));
  private readonly names: ReadonlySet<string> = new Set(this.folder ? listBuiltFiles(this.folder) : []);
  private readonly cachedFiles = new Map<string, BuiltFile>();

  /** @param path below `/guides/`: a page without its extension, or a file */
  file(path: string): BuiltFile | undefined {
    const name = this.names.has(path) ? path : `${path}.html`;
    if (!this.folder || !this.names.has(name)) return undefined;
    const file = this.cachedFiles.get(name) ?? readFile(this.folder, name);
    this.cachedFiles.set(name, file);
    return file;
  }
}
