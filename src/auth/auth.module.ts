import { Global, Module } from '@nestjs/common';
import { BridgeController, SudoBridgeController } from './bridge.controller.js';
import { PasskeyBridge } from './bridge.service.js';
import { Captchas } from './captchas.service.js';
import { EmailRevert } from './email-revert.service.js';
import { EmailVerification } from './email-verification.service.js';
import { Factors } from './factors.service.js';
import { HandoffController } from './handoff.controller.js';
import { Handoffs } from './handoff.service.js';
import { IpAuthorizationController } from './ip-authorization.controller.js';
import { IpAuthorization } from './ip-authorization.service.js';
import { Issuance } from './issuance.service.js';
import { LastUsed } from './last-used.service.js';
import { MailedTokens } from './mailed-tokens.service.js';
import { MfaTickets } from './mfa-tickets.service.js';
import { OneTimeSecrets } from './one-time-secrets.service.js';
import { PasskeysController } from './passkeys.controller.js';
import { Passkeys } from './passkeys.service.js';
import { Passwords } from './passwords.service.js';
import { RecoveryController } from './recovery.controller.js';
import { Recovery } from './recovery.service.js';
import { RegistrationController } from './registration.controller.js';
import { Registration } from './registration.service.js';
import { SecurityNotices } from './security-notices.service.js';
import { SessionSweep } from './session-sweep.service.js';
import { SessionsController } from './sessions.controller.js';
import { SessionService } from './sessions.service.js';
import { SignInController } from './sign-in.controller.js';
import { SignInService } from './sign-in.service.js';
import { SsoController } from './sso.controller.js';
import { SsoService } from './sso.service.js';
import { SsoAccounts } from './sso-accounts.service.js';
import { SsoConfiguration } from './sso-configuration.service.js';
import { SsoDocuments } from './sso-documents.service.js';
import { SsoExchange } from './sso-exchange.service.js';
import { SsoIdentities } from './sso-identities.service.js';
import { SsoProvider } from './sso-provider.service.js';
import { SsoSecretRotation } from './sso-secret-rotation.service.js';
import { SsoTrial } from './sso-trial.service.js';
import { Standing } from './standing.service.js';
import { SudoController } from './sudo.controller.js';
import { SudoService } from './sudo.service.js';
import { SudoAttempts } from './sudo-attempts.service.js';
import { WebAuthn } from './webauthn.service.js';
import { WebAuthnSignInController } from './webauthn-sign-in.controller.js';
import { WebAuthnSignIn } from './webauthn-sign-in.service.js';

/** Sign-in, sessions, second factors and sudo mode. */
@Global()
@Module({
  controllers: [
    ...[SignInController, SessionsController, WebAuthnSignInController, PasskeysController],
    ...[BridgeController, SudoBridgeController, SudoController],
    ...[RegistrationController, RecoveryController, IpAuthorizationController, HandoffController],
    SsoController,
  ],
  providers: [
    ...[Captchas, Factors, Issuance, MfaTickets, OneTimeSecrets, Passkeys, PasskeyBridge, Passwords, SessionService],
    ...[SignInService, Standing, SudoAttempts, SudoService, WebAuthn, WebAuthnSignIn, SecurityNotices],
    ...[EmailRevert, EmailVerification, Handoffs, IpAuthorization, LastUsed, MailedTokens, Recovery, Registration],
    SessionSweep,
    ...[SsoAccounts, SsoConfiguration, SsoDocuments, SsoExchange, SsoIdentities, SsoProvider, SsoService, SsoTrial],
    SsoSecretRotation,
  ],
  exports: [
    ...[
      Captchas,
      Factors,
      Issuance,
      MfaTickets,
      OneTimeSecrets,
      Passkeys,
      Passwords,
      SessionService,
      Standing,
      SudoAttempts,
    ],
    SudoService,
    ...[EmailRevert, EmailVerification, LastUsed, MailedTokens, Recovery, SecurityNotices],
    ...[SsoConfiguration, SsoIdentities, SsoTrial],
  ],
})
export class AuthModule {}
