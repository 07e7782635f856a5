import { settings } from '../core/config/declared.js';
import { readServicePolicyFile } from '../policy/service-policy-file.js';

/** The policies that Gatehouse enforces for other services (contract/forward-auth.md section 1). */
export class ServicePolicySettings extends settings('Other services', (read) => {
  const file = read.text(
    'SERVICE_POLICIES_FILE',
    'JSON file with the policies of other services, for forward authentication and decisions',
  );
  const policies = file && readServicePolicyFile(file, (fault) => read.fault('SERVICE_POLICIES_FILE', fault));
  return { servicePolicies: file && policies ? { file, policies } : {} };
}) {}
