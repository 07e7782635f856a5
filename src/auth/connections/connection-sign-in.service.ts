import { Injectable } from '@nestjs/common';
import type { Origin } from '../../accounts/events/origin.js';
import { ApiError } from '../../core/errors.js';
import { Instance } from '../../platform/instance/instance.js';
import type { MfaChallenge } from '../factors/mfa-tickets.service.js';
import type { TokenResponse } from '../sessions/issuance.service.js';
import { SsoService } from '../sso/sso.service.js';
import { ConnectionAccounts, toConnectionUser } from './connection-accounts.service.js';
import { ConnectionStates } from './connection-states.service.js';
import type { CompleteConnectionInput, StartConnectionInput } from './connections.dto.js';
import { SSO_CONNECTION } from './connections.service.js';

/** A session, or a challenge if a second factor is required. */
export type ConnectionSignInResult = (TokenResponse | MfaChallenge) & { readonly redirect_to: string };

/** Signing in with a connection (connections.md section 2). For `sso`, sso.md decides. */
@Injectable()
export class ConnectionSignIn {
  constructor(
    private readonly states: ConnectionStates,
    private readonly accounts: ConnectionAccounts,
    private readonly sso: SsoService,
    private readonly instance: Instance,
  ) {}

  start(id: string, input: StartConnectionInput) {
    return this.isSso(id) ? this.sso.start(input) : this.states.start(id, input);
  }

  async complete(id: string, input: CompleteConnectionInput, origin: Origin): Promise<ConnectionSignInResult> {
    if (this.isSso(id)) return this.sso.complete(input, origin);
    const { connection, profile, redirectTo } = await this.states.complete(id, input);
    const response = await this.accounts.signIn(toConnectionUser(connection, profile), origin);
    return { ...response, redirect_to: redirectTo };
  }

  private isSso(id: string): boolean {
    if (id !== SSO_CONNECTION) return false;
    if (!this.instance.isSsoEnabled) throw new ApiError('UNKNOWN_CONNECTION');
    return true;
  }
}
