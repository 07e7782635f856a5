import { Injectable } from '@nestjs/common';
import type { Origin } from '../../accounts/events/origin.js';
import { SessionService } from '../../auth/sessions/sessions.service.js';
import type { Config } from '../../core/config/config.js';
import { Database } from '../../platform/database/database.js';
import type { SessionIdentity } from '../../policy/identity.js';
import { Applications } from '../applications/applications.service.js';
import { withParameters } from '../applications/redirect-uris.js';
import { type IdTokenHint, IdTokenHints } from './id-token-hints.service.js';
import type { LogoutInput } from './logout.dto.js';

const HAS_ID_TOKEN_OF_SESSION =
  'SELECT 1 FROM openid_session WHERE session_id = $1 AND application_id = $2 AND sid = $3';

/** The page that applications send users to, which is served together with the consent page. */
export const logoutPage = ({ web, publicOrigin, webAppUrl }: Config): string =>
  `${web.consent ? publicOrigin : webAppUrl}/oauth2/logout`;

/** The outcome of a logout request. */
export interface LogoutResult {
  /** The application that requests the logout, if it is known. */
  readonly application?: { readonly id: string; readonly name: string };
  /** Whether the calling session has ended. */
  readonly ended: boolean;
  /** Whether the user must confirm. */
  readonly confirm: boolean;
  /** Where to continue. */
  readonly redirect_to?: string;
}

/** Logout at the request of applications (OpenID Connect RP-Initiated Logout 1.0). */
@Injectable()
export class Logouts {
  constructor(
    private readonly database: Database,
    private readonly applications: Applications,
    private readonly hints: IdTokenHints,
    private readonly sessions: SessionService,
  ) {}

  /** Ends the session if the hint names it or the user has confirmed. Nothing else leads to another site. */
  async logOut(me: SessionIdentity | null, input: LogoutInput, origin: Origin): Promise<LogoutResult> {
    const { id_token_hint, client_id, post_logout_redirect_uri: uri, state, confirm = false } = input;
    const hint = id_token_hint === undefined ? null : await this.hints.verify(id_token_hint, { audience: client_id });
    const id = hint?.aud ?? client_id;
    const found = id === undefined ? null : await this.applications.find(id);
    const application = found && found.ownerId !== null ? found : null;
    const shown = application && { application: { id: application.id, name: application.name } };
    const isAllowed = confirm || (hint !== null && (me === null || (await this.isOwn(me, hint))));
    if (!isAllowed) return { ...shown, ended: false, confirm: true };
    if (me) await this.sessions.end(me, origin);
    const isRegistered = uri !== undefined && application?.postLogoutRedirectUris.includes(uri);
    return {
      ...shown,
      ...{ ended: me !== null, confirm: false },
      ...(isRegistered && { redirect_to: withParameters(uri, { state }) }),
    };
  }

  private async isOwn({ sessionId }: SessionIdentity, { aud, sid }: IdTokenHint): Promise<boolean> {
    const known = await this.database.statement('openid-hinted-session', HAS_ID_TOKEN_OF_SESSION, [
      sessionId,
      aud,
      sid,
    ]);
    return known.length > 0;
  }
}
