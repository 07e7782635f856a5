import { settings } from '../core/config/declared.js';
import { hideMembers } from '../core/config/reader.js';
import { InstanceSettings } from '../platform/settings/instance.settings.js';

/** The token of the setup page. */
export class SetupSettings extends settings('Secrets', (read) => {
  const setupToken = read.secret(
    'GATEHOUSE_SETUP_TOKEN',
    'Setup token, at least 32 characters. Unset: generated and printed at the first start',
  );
  if (setupToken !== undefined && setupToken.length < 32) {
    read.fault('GATEHOUSE_SETUP_TOKEN', 'must have at least 32 characters');
  }
  read.rejectShared('GATEHOUSE_SETUP_TOKEN');
  return hideMembers({ setupToken }, 'setupToken');
}) {}

/** The built-in Admin application. */
export class AdminSettings extends settings('Administration', (read) => {
  const { production, webAppUrl } = read.of(InstanceSettings);
  const applicationId = read.text(
    'ADMIN_APPLICATION_ID',
    'ID of the built-in Admin application. Unset: generated at the first start',
  );
  if (applicationId !== undefined && !/^[1-9]\d{0,18}$/.test(applicationId)) {
    read.fault('ADMIN_APPLICATION_ID', 'must be a numeric ID (snowflake)');
  }
  const clientSecret = read.secret(
    'ADMIN_OAUTH_CLIENT_SECRET',
    'Client secret of the Admin application. Unset: it cannot authenticate',
  );
  if (production && clientSecret !== undefined && clientSecret.length < 32) {
    read.fault('ADMIN_OAUTH_CLIENT_SECRET', 'must have at least 32 characters in production');
  }
  const endpoint = read.url(
    'ADMIN_ENDPOINT',
    'Origin of the Admin application, whose redirect URI is <this>/oauth2_callback. Unset: WEB_APP_URL',
    webAppUrl,
    ['http:', 'https:'],
    { shown: '' },
  );
  const networks = read.cidrs(
    'ADMIN_ALLOW_NETWORKS',
    'IP addresses and CIDR ranges that can reach /admin and /v1/admin. Unset: all',
  );
  read.rejectShared('ADMIN_OAUTH_CLIENT_SECRET');
  return { admin: hideMembers({ applicationId, clientSecret, endpoint, networks }, 'clientSecret') };
}) {}
