import { AuditSearch1797200100000 } from '../migrations/1797200100000-audit-search.js';
import { Console1797300000000 } from '../migrations/1797300000000-console.js';
import { defineFeature } from '../policy/feature.js';
import { adminMails } from './admin.mails.js';
import { AdminModule } from './admin.module.js';
import { AdminSettings, SetupSettings } from './admin.settings.js';
import { AuditEntry, ChainVerification } from './audit/audit.entities.js';
import { AdminKey } from './keys/admin-key.entities.js';

/** The Admin API. */
export const admin = defineFeature('admin', {
  modules: [AdminModule],
  entities: [AdminKey, AuditEntry, ChainVerification],
  migrations: [AuditSearch1797200100000, Console1797300000000],
  settings: [SetupSettings, AdminSettings],
  errors: {
    MAX_ADMIN_API_KEYS: [400, 'The account has the maximum number of Admin API keys.'],
    REGISTRATION_NOT_PENDING: [400, 'The registration is not pending.'],
    JOB_NOT_RETRYABLE: [400, 'Only failed jobs of installed features can be retried.'],
    UNKNOWN_USER: [404, 'Unknown account.'],
    ADMIN_API_KEY_NOT_FOUND: [404, 'Unknown Admin API key.'],
    UNKNOWN_JOB: [404, 'Unknown job.'],
  },
  buckets: {
    'admin:lookup': [200, 60],
    'admin:user:modify': [100, 60],
    'admin:application:modify': [100, 60],
    'admin:audit_log': [100, 60],
    'admin:ban:operation': [60, 60],
    'admin:code:generation': [30, 60],
    setup: [5, 60],
  },
  exports: {
    admin_keys: {
      select: `SELECT id, name, acls, created_at, last_used_at, expires_at
        FROM admin_key WHERE owner_id = $1 ORDER BY id`,
    },
    audit_of_account: {
      select: {
        operator: `SELECT action, reason, metadata, created_at
          FROM audit_log WHERE target_type = 'user' AND target_id = $1::text ORDER BY sequence`,
        // What the owner sees (web.md section 5). Audited reads are named `list_...`, `show_...` or `export_...`.
        owner: `SELECT action, metadata - 'reason' AS metadata, created_at
          FROM audit_log WHERE target_type = 'user' AND target_id = $1::text AND action !~ '^(list|show|export)_'
          ORDER BY sequence`,
      },
    },
    audit_by_account: {
      select: {
        operator: `SELECT action, target_type, target_id, created_at
          FROM audit_log WHERE admin_user_id = $1 ORDER BY sequence`,
      },
    },
  },
  erasure: {
    admin_key: { column: 'owner_id' },
    audit_log: { kept: 'append only' },
    audit_verification: { kept: 'how much of the audit log was verified' },
  },
  // The type of the target of each action (contract/admin.md section 7).
  auditActions: {
    set_acls: 'user',
    demote_administrator: 'user',
    update_flags: 'user',
    update_suspicious_activity_flags: 'user',
    set_traits: 'user',
    disable_suspicious_activity: 'user',
    enable_suspicious_activity: 'user',
    temp_ban: 'user',
    unban: 'user',
    schedule_deletion: 'user',
    cancel_deletion: 'user',
    delete_account: 'user',
    export_account: 'user',
    terminate_sessions: 'user',
    disable_mfa: 'user',
    delete_webauthn_credential: 'user',
    link_sso_identity: 'user',
    unlink_sso_identity: 'user',
    unlink_identity: 'user',
    change_email: 'user',
    verify_email: 'user',
    set_email_bounce: 'user',
    resend_verification_email: 'user',
    send_password_reset: 'user',
    update_has_verified_phone: 'user',
    list_user_sessions: 'user',
    list_user_networks: 'user',
    list_webauthn_credentials: 'user',
    list_access_tokens: 'user',
    delete_access_token: 'user',
    show_user: 'user',
    approve_registration: 'user',
    reject_registration: 'user',
    setup: 'user',
    transfer_ownership: 'application',
    set_application_trust: 'application',
    set_resource_scopes: 'application',
    set_resource_policies: 'application',
    end_application_trust: 'application',
    revoke_bot_tokens: 'application',
    create_api_key: 'admin_api_key',
    update_api_key: 'admin_api_key',
    revoke_api_key: 'admin_api_key',
    ban_ip: 'ip_ban',
    ban_ip_declined: 'ip_ban',
    unban_ip: 'ip_ban',
    list_users: 'instance',
    begin_user_import: 'instance',
    import_users: 'instance',
    revoke_sessions: 'instance',
    update_instance_config: 'instance',
    test_sso: 'instance',
    test_mail: 'instance',
    test_captcha: 'instance',
    rotate_keys: 'instance',
    drain_replicas: 'instance',
    list_jobs: 'instance',
    retry_job: 'instance',
    delete_jobs: 'instance',
    tail_audit_log: 'instance',
    list_ip_bans: 'instance',
  },
  // In the order of contract/admin.md 2.1.
  acls: {
    '*': null,
    'acl:set:user': null,
    'admin_api_key:manage': null,
    'application:lookup': null,
    'application:list:by_owner': null,
    'application:transfer_ownership': null,
    'audit_log:view': null,
    'admin:authenticate': null,
    'ban:ip:add': null,
    'ban:ip:check': null,
    'ban:ip:remove': null,
    'instance:config:update': null,
    'instance:config:view': null,
    'user:delete': null,
    'user:disable:suspicious': null,
    'user:list:sessions': null,
    'user:lookup': null,
    'user:view:email': null,
    'user:view:ip': null,
    'user:temp_ban': null,
    'user:update:email': null,
    'user:update:flags': null,
    'user:update:mfa': null,
    'user:update:phone': null,
    'user:update:sso': null,
    'user:update:suspicious_activity': null,
    'user:update:traits': null,
    'instance:jobs:view': null,
    'instance:jobs:retry': null,
    'application:trust': null,
    'application:resource': null,
  },
  mails: adminMails,
});

declare module '../core/merged.js' {
  interface Features {
    admin: typeof admin;
  }
}

declare module '../core/config/config.js' {
  interface Config extends SetupSettings, AdminSettings {}
}
