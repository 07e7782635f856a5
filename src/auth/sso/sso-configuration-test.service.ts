import { Injectable } from '@nestjs/common';
import { Config } from '../../core/config/config.js';
import {
  effectiveEndpoints,
  hasRequiredEndpoints,
  Instance,
  type SsoEndpoints,
  type SsoSettings,
} from '../../platform/instance/instance.js';
import { Outbound } from '../../platform/outbound/outbound.js';
import { IssuerMismatch, type ProviderMetadata, SsoProvider } from './sso-provider.service.js';
import { TOKEN_ALGORITHMS } from './sso-token.js';

export interface SsoCheck {
  readonly name: 'discovery' | 'endpoints' | 'jwks' | 'algorithms';
  readonly ok: boolean;
  /** A text for users. It contains no secrets and no content from the provider. */
  readonly detail: string;
}

export interface SsoTrialResult {
  readonly ok: boolean;
  readonly issuer: string | null;
  readonly checks: readonly SsoCheck[];
}

type TestedProvider = SsoEndpoints & Pick<SsoSettings, 'issuer' | 'clientId'>;

type Finding = Omit<SsoCheck, 'name'>;
const passed = (detail: string): Finding => ({ ok: true, detail });
const failed = (detail: string): Finding => ({ ok: false, detail });

const NO_METADATA: ProviderMetadata = {
  authorizationUrl: null,
  tokenUrl: null,
  userinfoUrl: null,
  jwksUrl: null,
  tokenAuthMethods: null,
  algorithms: null,
};
const KEY_TYPES: readonly string[] = ['RSA', 'EC', 'OKP'];

/** Tests the stored configuration before users depend on it (sso.md section 6). */
@Injectable()
export class SsoConfigurationTest {
  constructor(
    private readonly instance: Instance,
    private readonly provider: SsoProvider,
    private readonly outbound: Outbound,
    private readonly config: Config,
  ) {}

  /** Tests an OpenID provider. Default: the one of single sign-on. */
  async run(sso: TestedProvider = this.instance.current.sso): Promise<SsoTrialResult> {
    const [discovery, found] = await this.discovery(sso);
    const facts = { ...found, ...effectiveEndpoints(sso, found) };
    const checks: SsoCheck[] = [
      { name: 'discovery', ...discovery },
      { name: 'endpoints', ...(await this.endpoints(sso, facts)) },
      { name: 'jwks', ...(await this.keys(facts)) },
      { name: 'algorithms', ...algorithms(facts) },
    ];
    return { ok: checks.every(({ ok }) => ok), issuer: sso.issuer, checks };
  }

  /** Tests an OAuth 2 provider, which has no metadata and signs no tokens. Takes its endpoints by name. */
  async runOAuth2(urls: Readonly<Record<string, string | null>>): Promise<SsoTrialResult> {
    const unneeded = passed('not needed: the provider uses OAuth 2');
    const checks: SsoCheck[] = [
      { name: 'discovery', ...unneeded },
      { name: 'endpoints', ...(await this.reach(urls)) },
      { name: 'jwks', ...unneeded },
      { name: 'algorithms', ...unneeded },
    ];
    return { ok: checks.every(({ ok }) => ok), issuer: null, checks };
  }

  private async discovery(sso: TestedProvider): Promise<[Finding, ProviderMetadata]> {
    if (sso.issuer === null) return [failed('no issuer is configured'), NO_METADATA];
    if (hasRequiredEndpoints(sso)) return [passed('not needed: the endpoints are configured'), NO_METADATA];
    try {
      return [passed('the provider described itself'), await this.provider.discover(sso.issuer)];
    } catch (error) {
      const isOther = error instanceof IssuerMismatch;
      const detail = isOther
        ? 'the description names another issuer'
        : 'the provider did not answer with a description';
      return [failed(detail), NO_METADATA];
    }
  }

  private async endpoints({ clientId }: TestedProvider, facts: ProviderMetadata): Promise<Finding> {
    if (clientId === null) return failed('no client id is configured');
    const needed = { authorization: facts.authorizationUrl, token: facts.tokenUrl, keys: facts.jwksUrl };
    const missing = Object.entries(needed).filter(([, url]) => url === null);
    if (missing.length > 0)
      return failed(`no usable address is known for: ${missing.map(([name]) => name).join(', ')}`);
    return this.reach({ ...needed, userinfo: facts.userinfoUrl });
  }

  private async reach(urls: Readonly<Record<string, string | null>>): Promise<Finding> {
    const policy = this.config.sso.allowPrivateAddresses ? 'anywhere' : 'public';
    for (const [name, url] of Object.entries(urls)) {
      if (url !== null && !(await this.outbound.mayReach(url, policy))) {
        return failed(`the ${name} endpoint has no address that may be asked`);
      }
    }
    return passed('every endpoint is known');
  }

  private async keys({ jwksUrl }: ProviderMetadata): Promise<Finding> {
    if (jwksUrl === null) return failed('the address of the keys is not known');
    try {
      const { keys } = await this.provider.fetchKeys(jwksUrl);
      const usable = keys.filter(({ kty = '', use = 'sig' }) => KEY_TYPES.includes(kty) && use === 'sig');
      return usable.length > 0 ? passed(`${usable.length} usable`) : failed('no key can verify a signature');
    } catch {
      return failed('the keys could not be read');
    }
  }
}

/** If the provider publishes no algorithms, only its tokens can show which it uses. */
function algorithms({ algorithms: named }: ProviderMetadata): Finding {
  if (named === null) return passed('the provider names none');
  const shared = named.filter((name) => TOKEN_ALGORITHMS.includes(name));
  return shared.length > 0 ? passed(shared.join(', ')) : failed('the provider signs with none that is accepted');
}
