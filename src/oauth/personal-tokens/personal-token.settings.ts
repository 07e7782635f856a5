import { settings } from '../../core/config/declared.js';

/** Settings of personal access tokens (contract/tokens.md section 1). */
export class PersonalTokenSettings extends settings('Personal access tokens', (read) => ({
  personalTokens: {
    isEnabled: read.onOff(
      'PERSONAL_TOKENS',
      'Personal access tokens. off: their routes are 404 and the tokens 401',
      true,
    ),
    maxDays: read.int(
      'PERSONAL_TOKEN_MAX_DAYS',
      'Maximum lifetime of a personal access token in days, 1-365',
      365,
      [1, 365],
    ),
  },
})) {}
