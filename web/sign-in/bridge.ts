/**
 * State of a bridge ceremony, from the page that starts it to the page that completes it in the same tab.
 * A custom page on this origin that starts a ceremony must write the same (docs/pages.md).
 */
export interface BridgeStart {
  readonly ceremony_id: string;
  readonly nonce: string;
  readonly return_to?: string;
  readonly is_kept?: boolean;
}

const KEY = 'gatehouse.bridge';

export const readBridge = (): BridgeStart | null => JSON.parse(sessionStorage.getItem(KEY) ?? 'null');

export const clearBridge = (): void => sessionStorage.removeItem(KEY);
