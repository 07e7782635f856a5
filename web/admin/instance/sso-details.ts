import { type TranslationKey, t } from '../../core/language.js';

/** The details of the single sign-on test, as the service returns them. The first group is the value of the text. */
const DETAILS: readonly (readonly [RegExp, TranslationKey])[] = [
  [/^no issuer is configured$/, 'adminInstance.detailNoIssuer'],
  [/^not needed: the endpoints are configured$/, 'adminInstance.detailNotNeeded'],
  [/^not needed: the provider uses OAuth 2$/, 'adminInstance.detailNotNeededOAuth2'],
  [/^the provider described itself$/, 'adminInstance.detailDescribed'],
  [/^the description names another issuer$/, 'adminInstance.detailOtherIssuer'],
  [/^the provider did not answer with a description$/, 'adminInstance.detailNoDescription'],
  [/^no client id is configured$/, 'adminInstance.detailNoClient'],
  [/^no usable address is known for: (.+)$/, 'adminInstance.detailMissing'],
  [/^the (\w+) endpoint has no address that may be asked$/, 'adminInstance.detailUnreachable'],
  [/^every endpoint is known$/, 'adminInstance.detailEndpoints'],
  [/^the address of the keys is not known$/, 'adminInstance.detailNoKeysUrl'],
  [/^(\d+) usable$/, 'adminInstance.detailKeys'],
  [/^no key can verify a signature$/, 'adminInstance.detailNoKey'],
  [/^the keys could not be read$/, 'adminInstance.detailUnreadable'],
  [/^the provider names none$/, 'adminInstance.detailNoAlgorithms'],
  [/^the provider signs with none that is accepted$/, 'adminInstance.detailOtherAlgorithms'],
];

/** The detail of a check in the language of the page. A list of algorithms needs no words. */
export function detailText(detail: string): string {
  for (const [pattern, words] of DETAILS) {
    const found = pattern.exec(detail);
    if (found) return t(words, { value: found[1] ?? '' });
  }
  return detail;
}
