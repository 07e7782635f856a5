import { settings } from '../../core/config/declared.js';
import { InstanceSettings } from '../../platform/settings/instance.settings.js';

/** Example data for those who try the service. */
export class DemoSettings extends settings('The service', (read) => {
  const { production } = read.of(InstanceSettings);
  const isDemo = read.onOff('DEMO', 'Fill an empty database with example data at the start. Development only', false);
  if (production && isDemo) read.fault('DEMO', 'must be off in production');
  return { isDemo };
}) {}
