/** The part of PGlite that the service uses. PGlite's own types do not compile without those of Emscripten. */
export interface EmbeddedEngine {
  exec(statements: string): Promise<unknown>;
  execProtocolRawStream(message: Uint8Array, options: { onRawData(piece: Uint8Array): void }): Promise<void>;
  dumpDataDir(compression: 'none'): Promise<Blob>;
  close(): Promise<void>;
}
