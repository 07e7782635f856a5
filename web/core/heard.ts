import type { GatewayEvents } from '@gatehouse-auth/client';

type Hear = (name: keyof GatewayEvents, data: unknown) => void;

const listeners = new Set<Hear>();

/** Registers a listener for all gateway events. @returns a function that removes it */
export function heard(hear: Hear): () => void {
  listeners.add(hear);
  return () => void listeners.delete(hear);
}

export const tellOf: Hear = (name, data) => {
  for (const hear of listeners) hear(name, data);
};
