import type { Words } from './words.js';

export const ja: Words = {
  minutes: { other: '{count}分間' },
  hours: { other: '{count}時間' },
  days: { other: '{count}日間' },
  device: '{system}上の{browser}',
  unknownBrowser: '不明なブラウザ',
  unknownSystem: '不明なシステム',
  place: '{address}（{place}）',
  unknownPlace: '場所不明',
  fact: '{label}：{value}',
  labels: { when: '日時', device: 'デバイス', address: 'IPアドレス', until: '終了', publicReason: '理由' },
  noEnd: '期限なし',
  fallback: 'ボタンが機能しない場合は、次のアドレスをブラウザで開いてください。',
  reason: 'このメールは、お使いの{product}アカウントのセキュリティに関わるためお送りしています。',
  links: { support: 'ヘルプ', terms: '利用規約', privacy: 'プライバシーポリシー' },
  codeClosing:
    'このコードはご本人以外には必要ありません。他人に教えないでください。お心当たりがない場合は、このメールを無視してください。',
  email_verification: {
    subject: '{product}のメールアドレスの確認',
    intro: 'このメールアドレスがご自身のものであることを確認してください。リンクの有効期間は{validity}です。',
    action: 'アドレスを確認する',
    closing: 'お心当たりがない場合は、このメールを無視してください。',
  },
  password_reset: {
    subject: '{product}のパスワードの再設定',
    intro: 'アカウントのパスワードの再設定がリクエストされました。リンクは1回だけ使用でき、有効期間は{validity}です。',
    action: '新しいパスワードを設定する',
    closing: 'お心当たりがない場合は、このメールを無視してください。パスワードは変更されません。',
  },
  ip_authorization: {
    subject: '{product}への新しいサインインの確認',
    intro:
      'このアカウントでこれまで使われたことのないアドレスから、パスワードが入力されました。サインインはご本人の確認を待っています。',
    confirm: 'ご本人による操作の場合は、確認してください。有効期間は{validity}です。',
    action: 'サインインを確認する',
    closing:
      'お心当たりがない場合は、確認せずに、ただちにパスワードを再設定してください。第三者にパスワードを知られています。',
  },
  email_change_original: {
    subject: 'メールアドレスの変更の確認',
    intro: 'メールアドレスの変更を確認するには、このコードを入力してください。有効期間は{validity}です。',
  },
  email_change_new: {
    subject: '新しいメールアドレスの確認',
    intro:
      'このメールアドレスがご自身のものであることを確認するには、このコードを入力してください。有効期間は{validity}です。',
  },
  password_change: {
    subject: 'パスワードの変更の確認',
    intro: 'パスワードを変更するには、このコードを入力してください。有効期間は{validity}です。',
  },
  backup_codes_challenge: {
    subject: 'バックアップコードへのアクセスの確認',
    intro: 'バックアップコードにアクセスするには、このコードを入力してください。有効期間は{validity}です。',
  },
  email_change_revert: {
    subject: '{product}アカウントのメールアドレスが変更されました',
    intro: 'アカウントのメールアドレスは{email}になりました。',
    undo: 'お心当たりがない場合は、変更を取り消してください。取り消せる期間は{validity}です。取り消すと、すべてのセッションが終了し、すべての第2要素が削除されます。',
    action: '変更を取り消す',
  },
  security_notice: {
    subject: '{product}からのセキュリティに関するお知らせ',
    lock: 'お心当たりがない場合は、アカウントをロックしてください。ロックできる期間は{validity}です。ロックすると、すべてのセッションと、お客様の代わりに動作するものがすべて終了し、新しいパスワードが必要になります。',
    action: '自分ではありません',
  },
  security_digest: {
    intro:
      '1 時間のうちにアカウントに多くの変更があったため、残りをこの 1 通でまとめてお知らせします。次のことがそれぞれ 1 回以上ありました。',
  },
  events: {
    password_changed: 'アカウントのパスワードが変更されました。',
    password_reset:
      'このアドレスに送信されたリンクにより、アカウントのパスワードが再設定されました。すべてのセッションは終了しました。',
    email_reverted:
      'メールアドレスの変更が取り消されました。すべてのセッションは終了し、すべての第2要素は削除されました。',
    email_changed: 'アカウントのメールアドレスが変更されました。',
    totp_enabled: 'アカウントに認証アプリが設定されました。',
    totp_disabled: 'アカウントから認証アプリが削除されました。',
    passkey_added: 'アカウントにパスキーが追加されました。',
    passkey_removed: 'アカウントからパスキーが削除されました。',
    second_factor_enabled: 'パスワードでサインインする際に、パスキーも求められるようになりました。',
    second_factor_disabled: 'パスワードでサインインする際に、パスキーは求められなくなりました。',
    backup_codes_regenerated: 'アカウントの新しいバックアップコードが作成されました。以前のコードは使用できません。',
    mfa_disabled: '管理者が、アカウントの認証アプリとバックアップコードを削除しました。',
    account_suspended: '管理者がアカウントを停止しました。',
    account_reinstated: 'アカウントの停止が解除されました。',
    suspicious_activity:
      '不審な操作があったため、アカウントがロックされました。再び使用するには、パスワードを再設定してください。',
    sso_linked:
      'アカウントがシングルサインオンに関連付けられました。このアドレスの所有者がシングルサインオンでサインインしました。',
    sso_taken_over:
      'このアドレスの所有者がシングルサインオンでサインインしました。このアドレスは一度も確認されていなかったため、これまでアカウントへのサインインに使用できたものはすべて削除されました。',
    session_handed_over:
      '新しいデバイスがアカウントにサインインしました。すでにサインインしているデバイスが許可したものです。',
    locked_down: 'アカウントがロックされました。セッション、またはお客様の代わりに動作するものすべてが終了しました。',
    credential_leaked:
      'セッションやトークンなど、アカウントの秘密情報が見つかり、報告されました。その情報はもう使えません。',
    data_exported: 'アカウントについて保存されている情報がすべてダウンロードされました。',
    account_deletion_scheduled: 'アカウントの削除が予定されました。',
    deletion_canceled: 'アカウントの削除が取り消されました。アカウントはそのまま残ります。',
    account_disabled: 'アカウントが無効にされました。サインインすると再び有効になります。',
    account_reactivated: '無効だったアカウントは、サインインがあったため再び有効になりました。',
    suspicious_activity_ended: '不審なアクティビティによるアカウントのロックが解除されました。',
    sso_identity_set: '管理者がアカウントをシングルサインオンの ID と連携しました。',
    sso_identity_removed: '管理者がアカウントとシングルサインオンの連携を解除しました。',
    permissions_changed: '管理者があなたの管理者権限を変更しました。',
  },
  account_deletion_scheduled: {
    subject: '{product}アカウントは削除されます',
    intro: 'アカウントは{deadline}に削除されます。',
    closing: 'ご自身で削除を依頼された場合は、それまでにサインインすると取り消されます。',
  },
  registration_existing_account: {
    subject: '{product}アカウントはすでに存在します',
    intro:
      'このアドレスでの登録が試みられましたが、このアドレスはすでにお使いのアカウントのものです。変更は行われていません。',
    closing:
      'ご本人による操作の場合は、通常どおりサインインしてください。パスワードをお忘れの場合は、再設定してください。',
  },
  registration_approved: {
    subject: '{product} への登録が承認されました',
    intro: '登録が承認されました。サインインできます。',
    action: 'サインイン',
  },
  registration_rejected: {
    subject: '{product} への登録は承認されませんでした',
    intro: '登録は承認されなかったため、サインインできません。',
  },
  registration: { reason: 'このメールは、このメールアドレスで {product} に登録があったためお送りしています。' },
  mail_test: {
    subject: '{product}からのテストメール',
    intro: '{product}からのメールはこのアドレスに届いています。必要な操作はありません。',
    reason: 'このメールは、{product}の管理者としてご本人が依頼されたため送信されています。',
  },
  sms: { phone_verification: '{code} は{product}のコードです。有効期間は{validity}です。' },
};
