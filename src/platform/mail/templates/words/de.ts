import type { Words } from './words.js';

export const de: Words = {
  minutes: { one: '{count} Minute', other: '{count} Minuten' },
  hours: { one: '{count} Stunde', other: '{count} Stunden' },
  days: { one: '{count} Tag', other: '{count} Tagen' },
  device: '{browser} unter {system}',
  unknownBrowser: 'unbekannter Browser',
  unknownSystem: 'unbekanntem System',
  place: '{address} ({place})',
  unknownPlace: 'unbekannter Ort',
  fact: '{label}: {value}',
  labels: { when: 'Zeitpunkt', device: 'Gerät', address: 'IP-Adresse', until: 'Ende', publicReason: 'Grund' },
  noEnd: 'kein Enddatum',
  fallback: 'Falls die Schaltfläche nicht funktioniert, öffnen Sie diese Adresse in Ihrem Browser:',
  reason: 'Sie erhalten diese Nachricht, weil sie die Sicherheit Ihres Kontos bei {product} betrifft.',
  links: { support: 'Hilfe', terms: 'Nutzungsbedingungen', privacy: 'Datenschutzerklärung' },
  codeClosing:
    'Niemand sonst braucht diesen Code, geben Sie ihn also nicht weiter. Falls Sie ihn nicht angefordert haben, können Sie diese Nachricht ignorieren.',
  email_verification: {
    subject: 'Bestätigen Sie Ihre E-Mail-Adresse für {product}',
    intro: 'Bitte bestätigen Sie, dass diese Adresse Ihnen gehört. Der Link ist {validity} gültig.',
    action: 'Adresse bestätigen',
    closing: 'Falls Sie das nicht angefordert haben, können Sie diese Nachricht ignorieren.',
  },
  password_reset: {
    subject: 'Setzen Sie Ihr Passwort für {product} zurück',
    intro:
      'Jemand möchte das Passwort Ihres Kontos zurücksetzen. Der Link funktioniert einmal und ist {validity} gültig.',
    action: 'Neues Passwort wählen',
    closing: 'Falls Sie das nicht waren, können Sie diese Nachricht ignorieren: Ihr Passwort bleibt, wie es ist.',
  },
  ip_authorization: {
    subject: 'Bestätigen Sie eine neue Anmeldung bei {product}',
    intro:
      'Jemand hat Ihr Passwort von einer Adresse aus eingegeben, die Ihr Konto bisher nicht benutzt hat. Die Anmeldung wartet auf Sie.',
    confirm: 'Falls Sie das waren, bestätigen Sie die Anmeldung innerhalb von {validity}.',
    action: 'Anmeldung bestätigen',
    closing:
      'Falls Sie das nicht waren, bestätigen Sie nicht und setzen Sie sofort Ihr Passwort zurück: Jemand anderes kennt es.',
  },
  email_change_original: {
    subject: 'Bestätigen Sie die Änderung Ihrer E-Mail-Adresse',
    intro: 'Geben Sie diesen Code ein, um die Änderung Ihrer E-Mail-Adresse zu bestätigen. Er ist {validity} gültig.',
  },
  email_change_new: {
    subject: 'Bestätigen Sie Ihre neue E-Mail-Adresse',
    intro: 'Geben Sie diesen Code ein, um zu bestätigen, dass diese Adresse Ihnen gehört. Er ist {validity} gültig.',
  },
  password_change: {
    subject: 'Bestätigen Sie die Änderung Ihres Passworts',
    intro: 'Geben Sie diesen Code ein, um Ihr Passwort zu ändern. Er ist {validity} gültig.',
  },
  backup_codes_challenge: {
    subject: 'Bestätigen Sie den Zugriff auf Ihre Ersatzcodes',
    intro: 'Geben Sie diesen Code ein, um zu Ihren Ersatzcodes zu gelangen. Er ist {validity} gültig.',
  },
  email_change_revert: {
    subject: 'Die E-Mail-Adresse Ihres Kontos bei {product} wurde geändert',
    intro: 'Ihr Konto verwendet jetzt {email}.',
    undo: 'Falls Sie das nicht waren, machen Sie die Änderung innerhalb von {validity} rückgängig. Dabei werden alle Sitzungen beendet und alle zweiten Faktoren entfernt.',
    action: 'Änderung rückgängig machen',
  },
  security_notice: {
    subject: 'Sicherheitshinweis von {product}',
    lock: 'Falls Sie das nicht waren, sperren Sie Ihr Konto innerhalb von {validity}: Das beendet jede Sitzung und alles, was für Sie handelt, und verlangt ein neues Passwort.',
    action: 'Das war ich nicht',
  },
  security_digest: {
    intro:
      'Mit Ihrem Konto ist innerhalb einer Stunde so viel geschehen, dass wir den Rest in einer Nachricht melden. Dies ist jeweils mindestens einmal geschehen:',
  },
  events: {
    password_changed: 'Das Passwort Ihres Kontos wurde geändert.',
    password_reset:
      'Das Passwort Ihres Kontos wurde über einen Link zurückgesetzt, der an diese Adresse gesendet wurde. Alle Sitzungen wurden beendet.',
    email_reverted:
      'Eine Änderung Ihrer E-Mail-Adresse wurde rückgängig gemacht. Alle Sitzungen wurden beendet, alle zweiten Faktoren entfernt.',
    email_changed: 'Die E-Mail-Adresse Ihres Kontos wurde geändert.',
    totp_enabled: 'Für Ihr Konto wurde eine Authenticator-App eingerichtet.',
    totp_disabled: 'Die Authenticator-App wurde von Ihrem Konto entfernt.',
    passkey_added: 'Ihrem Konto wurde ein Passkey hinzugefügt.',
    passkey_removed: 'Ein Passkey wurde von Ihrem Konto entfernt.',
    second_factor_enabled: 'Bei der Anmeldung mit Passwort wird jetzt zusätzlich ein Passkey verlangt.',
    second_factor_disabled: 'Bei der Anmeldung mit Passwort wird kein Passkey mehr verlangt.',
    backup_codes_regenerated:
      'Für Ihr Konto wurden neue Ersatzcodes erstellt. Die bisherigen funktionieren nicht mehr.',
    mfa_disabled: 'Ein Administrator hat die Authenticator-App und die Ersatzcodes von Ihrem Konto entfernt.',
    account_suspended: 'Ein Administrator hat Ihr Konto gesperrt.',
    account_reinstated: 'Die Sperre Ihres Kontos wurde aufgehoben.',
    suspicious_activity:
      'Ihr Konto wurde wegen verdächtiger Aktivitäten gesperrt. Setzen Sie Ihr Passwort zurück, um es wieder zu benutzen.',
    sso_linked:
      'Ihr Konto wurde mit Single Sign-on verknüpft: Die Person, der diese Adresse gehört, hat sich damit angemeldet.',
    sso_taken_over:
      'Die Person, der diese Adresse gehört, hat sich mit Single Sign-on angemeldet. Die Adresse war nie bestätigt worden, daher wurde alles entfernt, womit man sich bisher bei dem Konto anmelden konnte.',
    session_handed_over:
      'Ein neues Gerät wurde bei Ihrem Konto angemeldet. Ein bereits angemeldetes Gerät hat es zugelassen.',
    locked_down: 'Ihr Konto wurde abgeriegelt: Sitzungen oder alles, was für Sie handelt, wurden beendet.',
    credential_leaked:
      'Jemand hat ein Geheimnis Ihres Kontos gefunden, etwa eine Sitzung oder ein Token, und gemeldet. Es funktioniert nicht mehr.',
    data_exported: 'Alles, was über Ihr Konto gespeichert ist, wurde heruntergeladen.',
    account_deletion_scheduled: 'Die Löschung Ihres Kontos wurde geplant.',
    deletion_canceled: 'Die Löschung Ihres Kontos wurde abgebrochen. Das Konto bleibt bestehen.',
    account_disabled: 'Ihr Konto wurde deaktiviert. Eine Anmeldung aktiviert es wieder.',
    account_reactivated: 'Ihr Konto war deaktiviert und ist wieder aktiv, weil sich jemand angemeldet hat.',
    suspicious_activity_ended: 'Die Sperre Ihres Kontos wegen verdächtiger Aktivitäten wurde aufgehoben.',
    sso_identity_set: 'Ein Administrator hat Ihr Konto mit einer Identität des Single Sign-on verknüpft.',
    sso_identity_removed: 'Ein Administrator hat die Verknüpfung Ihres Kontos mit dem Single Sign-on entfernt.',
    permissions_changed: 'Ein Administrator hat Ihre Administratorrechte geändert.',
  },
  account_deletion_scheduled: {
    subject: 'Ihr Konto bei {product} wird gelöscht',
    intro: 'Ihr Konto wird am {deadline} gelöscht.',
    closing: 'Falls Sie das selbst veranlasst haben, widerrufen Sie es, indem Sie sich vorher anmelden.',
  },
  registration_existing_account: {
    subject: 'Sie haben bereits ein Konto bei {product}',
    intro:
      'Jemand wollte sich mit dieser Adresse registrieren, die bereits zu Ihrem Konto gehört. Es wurde nichts geändert.',
    closing:
      'Falls Sie das waren, melden Sie sich wie gewohnt an oder setzen Sie Ihr Passwort zurück, wenn Sie es vergessen haben.',
  },
  registration_approved: {
    subject: 'Ihre Registrierung bei {product} wurde angenommen',
    intro: 'Ihre Registrierung wurde angenommen. Sie können sich jetzt anmelden.',
    action: 'Anmelden',
  },
  registration_rejected: {
    subject: 'Ihre Registrierung bei {product} wurde abgelehnt',
    intro: 'Ihre Registrierung wurde abgelehnt. Sie können sich daher nicht anmelden.',
  },
  registration: {
    reason: 'Sie erhalten diese Nachricht, weil sich jemand mit dieser E-Mail-Adresse bei {product} registriert hat.',
  },
  mail_test: {
    subject: 'Testnachricht von {product}',
    intro: 'E-Mails von {product} kommen hier an. Sie müssen nichts weiter tun.',
    reason: 'Sie erhalten diese Nachricht, weil Sie sie als Administrator von {product} angefordert haben.',
  },
  sms: { phone_verification: '{code} ist Ihr Code für {product}. Er ist {validity} gültig.' },
};
