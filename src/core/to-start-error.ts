import { StartError } from './config/start-error.js';

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'its file system is read-only',
  ENOTDIR: 'a part of it is no directory',
  EEXIST: 'it is no directory',
  EISDIR: 'it is a directory',
  ENOENT: 'it cannot be made there',
  ENOSPC: 'its disk is full',
};

/** Converts a file system error during startup to one line with the path, because an operator can fix it. */
export function toStartError(error: unknown): unknown {
  const { code, path } = (error ?? {}) as NodeJS.ErrnoException;
  const reason = code === undefined ? undefined : REASONS[code];
  if (reason === undefined || typeof path !== 'string') return error;
  return new StartError(`${path} cannot be written: ${reason} (${code}). Check DATA_DIR and MEDIA_LOCAL_ROOT`, {
    cause: error,
  });
}
