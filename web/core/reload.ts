/** While the pages are developed: a page is loaded anew when a build has changed it. */
const LOOK_MS = 2000;

async function fingerprint(): Promise<string | null> {
  const answer = await fetch(location.pathname, { method: 'HEAD', cache: 'no-store' }).catch(() => null);
  return answer?.ok ? answer.headers.get('etag') : null;
}

/** Looks from now on. */
export async function watch(): Promise<void> {
  const first = await fingerprint();
  setInterval(async () => {
    const now = await fingerprint();
    if (now !== null && now !== first) location.reload();
  }, LOOK_MS);
}
