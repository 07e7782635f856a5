import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { BridgeController, SudoBridgeController } from './bridge/bridge.controller.js';
import { PasskeyBridge } from './bridge/bridge.service.js';
import { DecoyAccounts } from './factors/decoy-accounts.service.js';
import { Factors } from './factors/factors.service.js';
import { MfaTickets } from './factors/mfa-tickets.service.js';
import { Passwords } from './factors/passwords.service.js';
import { HandoffController } from './handoff/handoff.controller.js';
import { Handoffs } from './handoff/handoff.service.js';
import { ConnectionIdentities } from './identities/connection-identities.service.js';
import { SecurityNotices } from './notices/security-notices.service.js';
import { PasskeysController } from './passkeys/passkeys.controller.js';
import { Passkeys } from './passkeys/passkeys.service.js';
import { EmailRevert } from './recovery/email-revert.service.js';
import { EmailVerification } from './recovery/email-verification.service.js';
import { RecoveryController } from './recovery/recovery.controller.js';
import { Recovery } from './recovery/recovery.service.js';
import { RegistrationController } from './registration/registration.controller.js';
import { Registration } from './registration/registration.service.js';
import { Captchas } from './secrets/captchas.service.js';
import { MailedTokens } from './secrets/mailed-tokens.service.js';
import { OneTimeSecretsModule } from './secrets/one-time-secrets.module.js';
import { CallerGuard } from './sessions/caller-guard.service.js';
import { Issuance } from './sessions/issuance.service.js';
import { LastUsed } from './sessions/last-used.service.js';
import { SessionSweep } from './sessions/session-sweep.service.js';
import { SessionService } from './sessions/sessions.service.js';
import { SignInCounter } from './sessions/sign-in-counter.service.js';
import { IpAuthorizationController } from './sign-in/ip-authorization.controller.js';
import { IpAuthorization } from './sign-in/ip-authorization.service.js';
import { SessionsController } from './sign-in/sessions.controller.js';
import { SignInController } from './sign-in/sign-in.controller.js';
import { SignInService } from './sign-in/sign-in.service.js';
import { WebAuthnSignInController } from './sign-in/webauthn-sign-in.controller.js';
import { WebAuthnSignIn } from './sign-in/webauthn-sign-in.service.js';
import { SignInRemoval } from './sign-in-removal.service.js';
import { SsoController } from './sso/sso.controller.js';
import { SsoService } from './sso/sso.service.js';
import { SsoAccounts } from './sso/sso-accounts.service.js';
import { SsoConfiguration } from './sso/sso-configuration.service.js';
import { SsoConfigurationTest } from './sso/sso-configuration-test.service.js';
import { SsoDocuments } from './sso/sso-documents.service.js';
import { SsoExchange } from './sso/sso-exchange.service.js';
import { SsoIdentities } from './sso/sso-identities.service.js';
import { SsoProvider } from './sso/sso-provider.service.js';
import { SsoSecretRotation } from './sso/sso-secret-rotation.service.js';
import { SudoController } from './sudo/sudo.controller.js';
import { SudoService } from './sudo/sudo.service.js';
import { SudoAttempts } from './sudo/sudo-attempts.service.js';
import { WebAuthn } from './webauthn/webauthn.service.js';

/** Registration, sign-in, recovery, second factors, single sign-on and sessions. */
@Module({
  imports: [AccountsModule, OneTimeSecretsModule],
  controllers: [
    ...[SignInController, SessionsController, WebAuthnSignInController, PasskeysController],
    ...[BridgeController, SudoBridgeController, SudoController],
    ...[RegistrationController, RecoveryController, IpAuthorizationController, HandoffController],
    SsoController,
  ],
  providers: [
    ...[Captchas, DecoyAccounts, Factors, Issuance, MfaTickets, Passkeys, PasskeyBridge, Passwords, SessionService],
    ...[SignInService, CallerGuard, SudoAttempts, SudoService, WebAuthn, WebAuthnSignIn, SecurityNotices],
    ...[EmailRevert, EmailVerification, Handoffs, IpAuthorization, LastUsed, MailedTokens, Recovery, Registration],
    ...[SessionSweep, SignInCounter, SignInRemoval],
    ...[
      SsoAccounts,
      SsoConfiguration,
      SsoDocuments,
      SsoExchange,
      SsoIdentities,
      SsoProvider,
      SsoService,
      SsoConfigurationTest,
    ],
    ...[SsoSecretRotation, ConnectionIdentities],
  ],
  exports: [
    ...[
      Captchas,
      DecoyAccounts,
      Factors,
      Issuance,
      MfaTickets,
      OneTimeSecretsModule,
      Passkeys,
      Passwords,
      SessionService,
      CallerGuard,
      SudoAttempts,
    ],
    SudoService,
    ...[EmailRevert, EmailVerification, LastUsed, MailedTokens, Recovery, SecurityNotices],
    ...[SsoConfiguration, SsoIdentities, SsoConfigurationTest, SsoExchange, SsoProvider, SsoService],
    ConnectionIdentities,
  ],
})
export class AuthModule {}
