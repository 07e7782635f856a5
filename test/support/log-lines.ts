/** The logs of the running services. */
const logs = new Set<readonly string[]>();

export const recordLog = (lines: readonly string[]): void => void logs.add(lines);

export const stopRecordingLog = (lines: readonly string[]): void => void logs.delete(lines);

interface Line {
  readonly request_id?: string;
  readonly msg?: string;
  readonly error?: { readonly message?: string; readonly stack?: string };
}

/**
 * The log lines of a request, for the message of a failed test. The cause of a 500 response appears only in the log.
 */
export function logOf({ headers }: { readonly headers: Headers }): string {
  const id = headers.get('x-request-id');
  if (id === null) return '';
  const lines = [...logs].flatMap((log) => log.filter((line) => line.includes(id)));
  const shown = lines.flatMap((line) => {
    const { request_id, msg, error } = JSON.parse(line) as Line;
    if (request_id !== id) return [];
    return [error ? `${msg}: ${error.stack ?? error.message}` : line.trimEnd()];
  });
  const text = shown.join('\n');
  return text === '' ? '' : `\nThe log of this request:\n${text}`;
}
