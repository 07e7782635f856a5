/** Poll interval of the live reload during development. */
const RELOAD_POLL_INTERVAL_MS = 2000;

async function fingerprint(): Promise<string | null> {
  const response = await fetch(location.pathname, { method: 'HEAD', cache: 'no-store' }).catch(() => null);
  return response?.ok ? response.headers.get('etag') : null;
}

/** Reloads the page whenever a build has changed it. */
export async function watchBuild(): Promise<void> {
  const first = await fingerprint();
  setInterval(async () => {
    const now = await fingerprint();
    if (now !== null && now !== first) location.reload();
  }, RELOAD_POLL_INTERVAL_MS);
}
