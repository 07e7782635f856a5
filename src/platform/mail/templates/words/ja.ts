import type { Words } from './words.js';

export const ja: Words = {
  minutes: { other: '{count}分' },
  hours: { other: '{count}時間' },
  days: { other: '{count}日' },
  device: '{browser}（{system}）',
  unknownBrowser: '不明なブラウザ',
  unknownSystem: '不明なシステム',
  place: '{address}（{place}）',
  unknownPlace: '場所不明',
  fact: '{label}：{value}',
  labels: { when: '日時', device: 'デバイス', address: 'IPアドレス', until: '終了', publicReason: '理由' },
  noEnd: '期限なし',
  fallback: 'ボタンが機能しない場合は、次のリンクをコピーしてブラウザに貼り付けてください。',
  reason: 'このメールは、{product}アカウントのセキュリティに関わるためお送りしています。',
  links: { support: 'ヘルプ', terms: '利用規約', privacy: 'プライバシーポリシー' },
  codeClosing: 'このコードはほかの人に教えないでください。お心当たりがない場合は、このメールを無視してください。',
  email_verification: {
    subject: '{product}のメールアドレスの確認',
    intro: 'アカウントの設定を完了するには、このメールアドレスを確認してください。リンクの有効期間は{validity}です。',
    action: 'メールアドレスを確認',
    closing: 'アカウントを作成していない場合は、このメールを無視してください。',
  },
  password_reset: {
    subject: '{product}のパスワードの再設定',
    intro: 'パスワードの再設定がリクエストされました。リンクは1回だけ使え、有効期間は{validity}です。',
    action: 'パスワードを再設定',
    closing: 'お心当たりがない場合は、このメールを無視してください。パスワードは変更されません。',
  },
  ip_authorization: {
    subject: '{product}への新しいサインイン：ご本人による操作ですか？',
    intro:
      'これまで使われたことのないネットワークから、パスワードが入力されました。承認されるまで、サインインは保留されます。',
    confirm: 'ご本人による操作の場合は、{validity}以内に承認してください。',
    action: 'サインインを承認',
    closing:
      'お心当たりがない場合は、承認せずに、すぐにパスワードを再設定してください。第三者にパスワードを知られています。',
  },
  email_change_original: {
    subject: 'メールアドレスを変更するためのコード',
    intro: 'メールアドレスを変更するには、このコードを入力してください。有効期間は{validity}です。',
  },
  email_change_new: {
    subject: '新しいメールアドレスの確認',
    intro: 'このメールアドレスを確認するには、このコードを入力してください。有効期間は{validity}です。',
  },
  password_change: {
    subject: 'パスワードを変更するためのコード',
    intro: 'パスワードを変更するには、このコードを入力してください。有効期間は{validity}です。',
  },
  backup_codes_challenge: {
    subject: 'バックアップコードを表示するためのコード',
    intro: 'バックアップコードを表示するには、このコードを入力してください。有効期間は{validity}です。',
  },
  email_change_revert: {
    subject: '{product}アカウントのメールアドレスが変更されました',
    intro: 'アカウントのメールアドレスは{email}になりました。',
    undo: 'お心当たりがない場合は、{validity}以内に変更を取り消してください。取り消すと、すべてのデバイスからサインアウトされ、2段階認証はオフになります。',
    action: '変更を取り消す',
  },
  security_notice: {
    subject: '{product}アカウントのセキュリティ通知',
    lock: 'お心当たりがない場合は、{validity}以内にアカウントをロックしてください。ロックすると、すべてのデバイスからサインアウトされ、新しいパスワードの設定が必要になります。',
    action: '自分ではありません',
  },
  security_digest: {
    intro:
      '1時間のうちにアカウントで多くの操作があったため、残りをこのメールにまとめてお知らせします。次のことがそれぞれ1回以上ありました。',
  },
  events: {
    password_changed: 'アカウントのパスワードが変更されました。',
    password_reset:
      'このメールアドレスにお送りしたリンクから、パスワードが再設定されました。すべてのデバイスからサインアウトされました。',
    email_reverted:
      'メールアドレスの変更が取り消されました。すべてのデバイスからサインアウトされ、2段階認証はオフになりました。',
    email_changed: 'アカウントのメールアドレスが変更されました。',
    totp_enabled: 'アカウントに認証アプリが追加されました。',
    totp_disabled: 'アカウントから認証アプリが削除されました。',
    passkey_added: 'アカウントにパスキーが追加されました。',
    passkey_removed: 'アカウントからパスキーが削除されました。',
    second_factor_enabled: 'パスワードでサインインする際に、パスキーも求められるようになりました。',
    second_factor_disabled: 'パスワードでサインインする際に、パスキーは求められなくなりました。',
    backup_codes_regenerated: 'アカウントの新しいバックアップコードが生成されました。以前のコードは使えません。',
    mfa_disabled: '管理者が、アカウントの認証アプリとバックアップコードを削除しました。',
    account_suspended: '管理者がアカウントを停止しました。',
    account_reinstated: 'アカウントの停止が解除されました。再びサインインできます。',
    suspicious_activity:
      '不審な操作があったため、アカウントをロックしました。解除するには、パスワードを再設定してください。',
    sso_linked: 'アカウントがシングルサインオンと連携されました。',
    identity_linked: '別のプロバイダーでアカウントにサインインできるようになりました。',
    identity_unlinked: '連携していたプロバイダーの1つでは、アカウントにサインインできなくなりました。',
    sso_taken_over:
      'このメールアドレスの所有者がシングルサインオンでサインインしました。メールアドレスが未確認だったため、以前のサインイン方法はすべて削除されました。',
    session_handed_over: '使用中のデバイスでの承認により、新しいデバイスがアカウントにサインインしました。',
    locked_down:
      'アカウントがロックされました。すべてのデバイスからサインアウトされたか、すべてのアクセスが取り消されました。',
    credential_leaked: 'アカウントの認証情報の漏えいが報告されたため、その認証情報を無効化しました。',
    data_exported: 'アカウントデータのコピーがダウンロードされました。',
    account_deletion_scheduled: 'アカウントの削除が予定されました。',
    deletion_canceled: 'アカウントの削除が取り消されました。',
    account_disabled: 'アカウントが無効化されました。サインインすると再び有効になります。',
    account_reactivated: '無効化されたアカウントにサインインがあったため、アカウントが再び有効になりました。',
    suspicious_activity_ended: '不審な操作によるアカウントのロックが解除されました。',
    sso_identity_set: '管理者がアカウントをシングルサインオンのIDと連携しました。',
    sso_identity_removed: '管理者がアカウントとシングルサインオンの連携を解除しました。',
    access_token_created: 'アカウントの個人用アクセストークンが作成されました。',
    access_token_deleted: 'アカウントの個人用アクセストークンが削除されました。',
    permissions_changed: '管理者が管理権限を変更しました。',
  },
  account_deletion_scheduled: {
    subject: '{product}アカウントの削除が予定されています',
    intro: 'アカウントは{deadline}に完全に削除されます。',
    closing: 'ご自身で削除を依頼し、気が変わった場合は、それまでにサインインすると取り消せます。',
  },
  access_token_expiring: {
    subject: '{product}アカウントのアクセストークンの有効期限がまもなく切れます',
    intro:
      '個人用アクセストークン「{name}」の有効期限は{expiry}です。期限を過ぎると、このトークンを使うスクリプトは動作しなくなります。',
    closing: 'それまでにアカウント設定で新しいトークンを作成し、スクリプトで使用してください。',
  },
  registration_existing_account: {
    subject: '{product}アカウントをすでにお持ちです',
    intro: 'このメールアドレスで登録が試みられましたが、すでにアカウントをお持ちです。変更は行われていません。',
    closing: 'ご本人による操作の場合は、サインインしてください。パスワードをお忘れの場合は、再設定してください。',
  },
  registration_approved: {
    subject: '{product}アカウントが承認されました',
    intro: 'アカウントが承認されました。サインインできるようになりました。',
    action: 'サインイン',
  },
  registration_rejected: {
    subject: '{product}アカウントは承認されませんでした',
    intro: 'アカウントが承認されなかったため、サインインできません。',
  },
  registration: { reason: 'このメールは、このメールアドレスで{product}に登録があったためお送りしています。' },
  mail_test: {
    subject: '{product}からのテストメール',
    intro: '{product}のメール設定は正常に機能しています。必要な操作はありません。',
    reason: 'このメールは、{product}の管理者としてテストメールをリクエストされたためお送りしています。',
  },
  sms: { phone_verification: '{code} は{product}のコードです。有効期間は{validity}です。' },
};
