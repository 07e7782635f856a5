import type { Words } from './words.js';

export const de: Words = {
  minutes: { one: '{count} Minute', other: '{count} Minuten' },
  hours: { one: '{count} Stunde', other: '{count} Stunden' },
  days: { one: '{count} Tag', other: '{count} Tagen' },
  device: '{browser} unter {system}',
  unknownBrowser: 'Unbekannter Browser',
  unknownSystem: 'unbekanntem System',
  place: '{address} ({place})',
  unknownPlace: 'unbekannter Ort',
  fact: '{label}: {value}',
  labels: { when: 'Zeitpunkt', device: 'Gerät', address: 'IP-Adresse', until: 'Ende', publicReason: 'Grund' },
  noEnd: 'Dauerhafte Sperre',
  fallback: 'Die Schaltfläche funktioniert nicht? Kopieren Sie diesen Link in Ihren Browser:',
  reason: 'Sie erhalten diese E-Mail, weil sie die Sicherheit Ihres Kontos bei {product} betrifft.',
  links: { support: 'Hilfe', terms: 'Nutzungsbedingungen', privacy: 'Datenschutzerklärung' },
  codeClosing:
    'Geben Sie diesen Code an niemanden weiter. Wenn Sie ihn nicht angefordert haben, können Sie diese E-Mail ignorieren.',
  email_verification: {
    subject: 'Bestätigen Sie Ihre E-Mail-Adresse für {product}',
    intro:
      'Bestätigen Sie diese E-Mail-Adresse, um die Einrichtung Ihres Kontos abzuschließen. Der Link läuft in {validity} ab.',
    action: 'E-Mail bestätigen',
    closing: 'Wenn Sie kein Konto erstellt haben, können Sie diese E-Mail ignorieren.',
  },
  password_reset: {
    subject: 'Passwort für {product} zurücksetzen',
    intro:
      'Wir haben eine Anfrage zum Zurücksetzen Ihres Passworts erhalten. Der Link funktioniert nur einmal und läuft in {validity} ab.',
    action: 'Passwort zurücksetzen',
    closing:
      'Wenn Sie das nicht angefordert haben, können Sie diese E-Mail ignorieren. Ihr Passwort bleibt unverändert.',
  },
  ip_authorization: {
    subject: 'Neue Anmeldung bei {product}: Waren Sie das?',
    intro:
      'Jemand hat Ihr Passwort in einem Netzwerk eingegeben, das Sie bisher nicht verwendet haben. Die Anmeldung wartet auf Ihre Genehmigung.',
    confirm: 'Wenn Sie das waren, genehmigen Sie die Anmeldung innerhalb von {validity}.',
    action: 'Anmeldung genehmigen',
    closing:
      'Wenn Sie das nicht waren, genehmigen Sie die Anmeldung nicht. Setzen Sie sofort Ihr Passwort zurück, denn jemand anderes kennt es.',
  },
  email_change_original: {
    subject: 'Ihr Code zum Ändern Ihrer E-Mail-Adresse',
    intro: 'Geben Sie diesen Code ein, um Ihre E-Mail-Adresse zu ändern. Er läuft in {validity} ab.',
  },
  email_change_new: {
    subject: 'Bestätigen Sie Ihre neue E-Mail-Adresse',
    intro: 'Geben Sie diesen Code ein, um diese E-Mail-Adresse zu bestätigen. Er läuft in {validity} ab.',
  },
  password_change: {
    subject: 'Ihr Code zum Ändern Ihres Passworts',
    intro: 'Geben Sie diesen Code ein, um Ihr Passwort zu ändern. Er läuft in {validity} ab.',
  },
  backup_codes_challenge: {
    subject: 'Ihr Code zum Anzeigen Ihrer Backup-Codes',
    intro: 'Geben Sie diesen Code ein, um Ihre Backup-Codes anzuzeigen. Er läuft in {validity} ab.',
  },
  email_change_revert: {
    subject: 'Die E-Mail-Adresse Ihres Kontos bei {product} wurde geändert',
    intro: 'Die E-Mail-Adresse Ihres Kontos lautet jetzt {email}.',
    undo: 'Wenn Sie das nicht waren, machen Sie die Änderung innerhalb von {validity} rückgängig. Sie werden dann überall abgemeldet und die Bestätigung in zwei Schritten wird deaktiviert.',
    action: 'Änderung rückgängig machen',
  },
  security_notice: {
    subject: 'Sicherheitswarnung für Ihr Konto bei {product}',
    lock: 'Wenn Sie das nicht waren, sperren Sie Ihr Konto innerhalb von {validity}. Sie werden dann überall abgemeldet und müssen ein neues Passwort festlegen.',
    action: 'Das war ich nicht',
  },
  security_digest: {
    intro:
      'Innerhalb einer Stunde gab es viele Aktivitäten in Ihrem Konto. Diese E-Mail fasst die übrigen zusammen. Folgendes ist jeweils mindestens einmal passiert:',
  },
  events: {
    password_changed: 'Das Passwort Ihres Kontos wurde geändert.',
    password_reset:
      'Ihr Passwort wurde über einen Link zurückgesetzt, den wir an diese E-Mail-Adresse gesendet haben. Sie wurden überall abgemeldet.',
    email_reverted:
      'Die Änderung Ihrer E-Mail-Adresse wurde rückgängig gemacht. Sie wurden überall abgemeldet und die Bestätigung in zwei Schritten wurde deaktiviert.',
    email_changed: 'Die E-Mail-Adresse Ihres Kontos wurde geändert.',
    totp_enabled: 'Ihrem Konto wurde eine Authenticator-App hinzugefügt.',
    totp_disabled: 'Die Authenticator-App wurde von Ihrem Konto entfernt.',
    passkey_added: 'Ihrem Konto wurde ein Passkey hinzugefügt.',
    passkey_removed: 'Ein Passkey wurde von Ihrem Konto entfernt.',
    second_factor_enabled: 'Nach Ihrem Passwort wird jetzt auch ein Passkey abgefragt.',
    second_factor_disabled: 'Nach Ihrem Passwort wird kein Passkey mehr abgefragt.',
    backup_codes_regenerated:
      'Für Ihr Konto wurden neue Backup-Codes erstellt. Die bisherigen funktionieren nicht mehr.',
    mfa_disabled: 'Ein Administrator hat Ihre Authenticator-App und Ihre Backup-Codes entfernt.',
    account_suspended: 'Ein Administrator hat Ihr Konto gesperrt.',
    account_reinstated: 'Die Sperre Ihres Kontos wurde aufgehoben. Sie können sich wieder anmelden.',
    suspicious_activity:
      'Wir haben Ihr Konto wegen verdächtiger Aktivitäten gesperrt. Setzen Sie Ihr Passwort zurück, um es zu entsperren.',
    sso_linked: 'Ihr Konto wurde mit Single Sign-on verknüpft.',
    identity_linked: 'Sie können sich jetzt mit einem weiteren Anbieter bei Ihrem Konto anmelden.',
    identity_unlinked: 'Sie können sich mit einem Ihrer weiteren Anbieter nicht mehr bei Ihrem Konto anmelden.',
    sso_taken_over:
      'Der Inhaber dieser E-Mail-Adresse hat sich über Single Sign-on angemeldet. Da die Adresse nie bestätigt wurde, wurden alle bisherigen Anmeldemethoden entfernt.',
    session_handed_over:
      'Ein neues Gerät wurde bei Ihrem Konto angemeldet. Die Anmeldung wurde auf einem Gerät genehmigt, das Sie bereits verwendet haben.',
    locked_down: 'Ihr Konto wurde gesperrt. Alle Geräte wurden abgemeldet oder alle Zugriffe widerrufen.',
    credential_leaked: 'Zugangsdaten Ihres Kontos wurden als offengelegt gemeldet. Wir haben sie widerrufen.',
    data_exported: 'Eine Kopie Ihrer Kontodaten wurde heruntergeladen.',
    account_deletion_scheduled: 'Die Löschung Ihres Kontos wurde geplant.',
    deletion_canceled: 'Die Löschung Ihres Kontos wurde abgebrochen.',
    account_disabled: 'Ihr Konto wurde deaktiviert. Melden Sie sich an, um es zu reaktivieren.',
    account_reactivated: 'Jemand hat sich bei Ihrem deaktivierten Konto angemeldet. Dadurch wurde es reaktiviert.',
    suspicious_activity_ended: 'Ihr Konto ist nicht mehr wegen verdächtiger Aktivitäten gesperrt.',
    sso_identity_set: 'Ein Administrator hat Ihr Konto mit einer Single-Sign-on-Identität verknüpft.',
    sso_identity_removed: 'Ein Administrator hat Ihr Konto von Single Sign-on getrennt.',
    access_token_created: 'Für Ihr Konto wurde ein persönliches Zugriffstoken erstellt.',
    access_token_deleted: 'Ein persönliches Zugriffstoken Ihres Kontos wurde gelöscht.',
    permissions_changed: 'Ein Administrator hat Ihre Administratorberechtigungen geändert.',
  },
  account_deletion_scheduled: {
    subject: 'Ihr Konto bei {product} wird gelöscht',
    intro: 'Ihr Konto wird am {deadline} endgültig gelöscht.',
    closing:
      'Wenn Sie das veranlasst haben und es sich anders überlegen, melden Sie sich vorher an, um die Löschung abzubrechen.',
  },
  access_token_expiring: {
    subject: 'Ein Zugriffstoken Ihres Kontos bei {product} läuft bald ab',
    intro:
      'Ihr persönliches Zugriffstoken „{name}“ läuft am {expiry} ab. Skripte, die es verwenden, funktionieren dann nicht mehr.',
    closing: 'Erstellen Sie vorher in Ihren Kontoeinstellungen ein neues Token und verwenden Sie es in Ihren Skripten.',
  },
  registration_existing_account: {
    subject: 'Sie haben bereits ein Konto bei {product}',
    intro:
      'Jemand wollte sich mit dieser E-Mail-Adresse registrieren, aber Sie haben bereits ein Konto. Es wurde nichts geändert.',
    closing:
      'Wenn Sie das waren, melden Sie sich an oder setzen Sie Ihr Passwort zurück, falls Sie es vergessen haben.',
  },
  registration_approved: {
    subject: 'Ihr Konto bei {product} wurde freigegeben',
    intro: 'Ihr Konto wurde freigegeben. Sie können sich jetzt anmelden.',
    action: 'Anmelden',
  },
  registration_rejected: {
    subject: 'Ihr Konto bei {product} wurde nicht freigegeben',
    intro: 'Ihr Konto wurde nicht freigegeben. Sie können sich daher nicht anmelden.',
  },
  registration: {
    reason: 'Sie erhalten diese E-Mail, weil sich jemand mit dieser E-Mail-Adresse bei {product} registriert hat.',
  },
  mail_test: {
    subject: 'Testnachricht von {product}',
    intro: 'Der E-Mail-Versand von {product} funktioniert. Sie müssen nichts weiter tun.',
    reason: 'Sie erhalten diese E-Mail, weil Sie als Administrator von {product} eine Test-E-Mail angefordert haben.',
  },
  sms: { phone_verification: '{code} ist Ihr Code für {product}. Er läuft in {validity} ab.' },
};
