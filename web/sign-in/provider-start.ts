/** State of a started visit to an identity provider, stored in this tab for the callback. */
export interface ProviderStart {
  readonly state: string;
  readonly nonce: string;
  readonly isKept: boolean;
  readonly returnTo: string;
  /** The ID of the connection. None: single sign-on. */
  readonly connection?: string;
  /** True if the visit links an identity to the account of this session. */
  readonly isLink?: boolean;
}

interface Started {
  readonly authorization_url: string;
  readonly state: string;
}

const KEY = 'gatehouse.sso';
const NONCE_BYTES = 32;

const hex = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** The last visit started in this tab, if it is not completed. */
export const readProviderStart = (): ProviderStart | null => JSON.parse(sessionStorage.getItem(KEY) ?? 'null');

export const clearProviderStart = (): void => sessionStorage.removeItem(KEY);

/** Redirects to an identity provider. Only the callback in this tab can complete the visit. */
export async function visitProvider(
  start: (nonceHash: string) => Promise<Started>,
  facts: Omit<ProviderStart, 'state' | 'nonce'>,
): Promise<void> {
  const nonce = hex(crypto.getRandomValues(new Uint8Array(NONCE_BYTES)));
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(nonce));
  const { authorization_url: url, state } = await start(hex(new Uint8Array(digest)));
  sessionStorage.setItem(KEY, JSON.stringify({ ...facts, state, nonce } satisfies ProviderStart));
  location.assign(url);
}
