import type { GatewayEvents } from '@gatehouse-auth/client';

type GatewayEventListener = (name: keyof GatewayEvents, data: unknown) => void;

const listeners = new Set<GatewayEventListener>();

/** Registers a listener for all gateway events. @returns a function that removes it */
export function onGatewayEvent(listener: GatewayEventListener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export const emitGatewayEvent: GatewayEventListener = (name, data) => {
  for (const listener of listeners) listener(name, data);
};
