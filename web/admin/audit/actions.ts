/** Built-in audit actions. Extensions add their own. */
export const ACTIONS = [
  ...(['set_acls', 'update_flags', 'update_suspicious_activity_flags', 'set_traits'] as const),
  ...(['disable_suspicious_activity', 'enable_suspicious_activity', 'temp_ban', 'unban', 'end_lockdown'] as const),
  ...(['schedule_deletion', 'cancel_deletion', 'delete_account', 'export_account'] as const),
  ...(['terminate_sessions', 'revoke_sessions', 'end_leaked_credential'] as const),
  ...(['disable_mfa', 'delete_webauthn_credential', 'link_sso_identity', 'unlink_sso_identity'] as const),
  ...(['change_email', 'verify_email', 'set_email_bounce', 'resend_verification_email'] as const),
  ...(['send_password_reset', 'update_has_verified_phone'] as const),
  ...(['list_user_sessions', 'list_user_networks', 'list_webauthn_credentials', 'show_user', 'list_users'] as const),
  ...(['approve_registration', 'reject_registration', 'begin_user_import', 'import_users'] as const),
  ...(['setup', 'transfer_ownership', 'create_api_key', 'update_api_key', 'revoke_api_key'] as const),
  ...(['ban_ip', 'ban_ip_declined', 'unban_ip', 'list_ip_bans'] as const),
  ...(['update_instance_config', 'test_sso', 'test_mail', 'test_captcha', 'rotate_keys', 'tail_audit_log'] as const),
  ...(['list_jobs', 'retry_job'] as const),
] as const;

export const TARGETS = ['user', 'application', 'admin_api_key', 'ip_ban', 'instance'] as const;
