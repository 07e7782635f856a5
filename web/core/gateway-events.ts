import type { GatewayEvents } from '@gatehouse-auth/client';

type GatewayEventListener = (name: keyof GatewayEvents, data: unknown) => void;

const listeners = new Set<GatewayEventListener>();

/** Registers a listener for all gateway events. @returns a function that removes it */
export function onGatewayEvent(hear: GatewayEventListener): () => void {
  listeners.add(hear);
  return () => void listeners.delete(hear);
}

export const emitGatewayEvent: GatewayEventListener = (name, data) => {
  for (const hear of listeners) hear(name, data);
};
