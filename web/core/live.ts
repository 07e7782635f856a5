import { Gateway, type GatewayEvents } from '@gatehouse-auth/client';
import { effect } from '@preact/signals';
import { brand } from './brand.js';
import { onTokenRevoked, session } from './session.js';

const REVOKED = 4004;
type GatewayListener = (name: keyof GatewayEvents, data: unknown) => void;

/**
 * Keeps a gateway connection while a user is signed in, for live events and the end of the session.
 * @returns a function that stops it
 */
export function connectGateway(listener: GatewayListener): () => void {
  let gateway: Gateway | undefined;
  let token: string | undefined;
  const stop = effect(() => {
    const held = session.value?.token;
    if (held === token) return;
    gateway?.close();
    gateway = undefined;
    token = held;
    if (held === undefined) return;
    gateway = new Gateway({
      url: brand.gateway,
      token: () => held,
      onState: (state) => {
        if (state.state === 'ended' && state.code === REVOKED) void onTokenRevoked(held);
      },
    });
    gateway.on('*', ({ name, data }) => listener(name as keyof GatewayEvents, data));
  });
  return () => {
    stop();
    gateway?.close();
  };
}
