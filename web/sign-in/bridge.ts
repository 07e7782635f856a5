/**
 * What the page that began a bridge ceremony leaves in this tab for the page that ends it. Whoever begins one from a page of
 * their own on this origin writes the same (docs/operating.md).
 */
export interface BridgeStart {
  readonly ceremony_id: string;
  readonly nonce: string;
  readonly return_to?: string;
  readonly is_kept?: boolean;
}

const KEY = 'gatehouse.bridge';

export const keptBridge = (): BridgeStart | null => JSON.parse(sessionStorage.getItem(KEY) ?? 'null');

export const forgetBridge = (): void => sessionStorage.removeItem(KEY);
