import { StartError } from './config/start-error.js';

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'a part of the path is not a directory',
  EEXIST: 'it is not a directory',
  EISDIR: 'it is a directory',
  ENOENT: 'the parent directory does not exist',
  ENOSPC: 'the disk is full',
};

/** Converts a file system error during startup to one line with the path, because an operator can fix it. */
export function toStartError(error: unknown): unknown {
  const { code, path } = (error ?? {}) as NodeJS.ErrnoException;
  const reason = code === undefined ? undefined : REASONS[code];
  if (reason === undefined || typeof path !== 'string') return error;
  return new StartError(`Cannot write ${path}: ${reason} (${code}). Check DATA_DIR and MEDIA_LOCAL_ROOT`, {
    cause: error,
  });
}
