import type { Words } from './words.js';

export const fr: Words = {
  minutes: { one: '{count} minute', other: '{count} minutes' },
  hours: { one: '{count} heure', other: '{count} heures' },
  days: { one: '{count} jour', other: '{count} jours' },
  device: '{browser} sur {system}',
  unknownBrowser: 'Navigateur inconnu',
  unknownSystem: 'système inconnu',
  place: '{address} ({place})',
  unknownPlace: 'lieu inconnu',
  fact: '{label}\u00a0: {value}',
  labels: { when: 'Date', device: 'Appareil', address: 'Adresse IP', until: 'Fin', publicReason: 'Motif' },
  noEnd: 'Suspension définitive',
  fallback: 'Le bouton ne fonctionne pas\u00a0? Copiez ce lien dans votre navigateur\u00a0:',
  reason: 'Vous recevez cet e-mail, car il concerne la sécurité de votre compte {product}.',
  links: { support: 'Aide', terms: 'Conditions d’utilisation', privacy: 'Politique de confidentialité' },
  codeClosing: 'Ne communiquez ce code à personne. Si vous ne l’avez pas demandé, vous pouvez ignorer cet e-mail.',
  email_verification: {
    subject: 'Confirmez votre adresse e-mail pour {product}',
    intro:
      'Confirmez cette adresse e-mail pour terminer la configuration de votre compte. Le lien expire dans {validity}.',
    action: 'Confirmer l’adresse e-mail',
    closing: 'Si vous n’avez pas créé de compte, vous pouvez ignorer cet e-mail.',
  },
  password_reset: {
    subject: 'Réinitialisez votre mot de passe {product}',
    intro:
      'Nous avons reçu une demande de réinitialisation de votre mot de passe. Le lien ne fonctionne qu’une fois et expire dans {validity}.',
    action: 'Réinitialiser le mot de passe',
    closing: 'Si vous n’avez rien demandé, vous pouvez ignorer cet e-mail. Votre mot de passe ne changera pas.',
  },
  ip_authorization: {
    subject: 'Nouvelle connexion à {product}\u00a0: était-ce vous\u00a0?',
    intro:
      'Quelqu’un a saisi votre mot de passe depuis un réseau que vous n’avez jamais utilisé. La connexion attend votre approbation.',
    confirm: 'Si c’était vous, approuvez-la dans un délai de {validity}.',
    action: 'Approuver la connexion',
    closing:
      'Si ce n’était pas vous, ne l’approuvez pas. Réinitialisez immédiatement votre mot de passe, car quelqu’un d’autre le connaît.',
  },
  email_change_original: {
    subject: 'Votre code pour changer d’adresse e-mail',
    intro: 'Saisissez ce code pour changer d’adresse e-mail. Il expire dans {validity}.',
  },
  email_change_new: {
    subject: 'Confirmez votre nouvelle adresse e-mail',
    intro: 'Saisissez ce code pour confirmer cette adresse e-mail. Il expire dans {validity}.',
  },
  password_change: {
    subject: 'Votre code pour changer de mot de passe',
    intro: 'Saisissez ce code pour changer de mot de passe. Il expire dans {validity}.',
  },
  backup_codes_challenge: {
    subject: 'Votre code pour afficher vos codes de secours',
    intro: 'Saisissez ce code pour afficher vos codes de secours. Il expire dans {validity}.',
  },
  email_change_revert: {
    subject: 'L’adresse e-mail de votre compte {product} a été modifiée',
    intro: 'L’adresse e-mail de votre compte est désormais {email}.',
    undo: 'Si ce n’était pas vous, annulez ce changement dans un délai de {validity}. Vous serez déconnecté partout et la validation en deux étapes sera désactivée.',
    action: 'Annuler le changement',
  },
  security_notice: {
    subject: 'Alerte de sécurité pour votre compte {product}',
    lock: 'Si ce n’était pas vous, verrouillez votre compte dans un délai de {validity}. Vous serez déconnecté partout et devrez choisir un nouveau mot de passe.',
    action: 'Ce n’était pas moi',
  },
  security_digest: {
    intro:
      'Votre compte a connu beaucoup d’activité en une heure\u00a0: cet e-mail regroupe le reste. Chacun de ces événements s’est produit au moins une fois\u00a0:',
  },
  events: {
    password_changed: 'Le mot de passe de votre compte a été changé.',
    password_reset:
      'Votre mot de passe a été réinitialisé avec un lien envoyé à cette adresse e-mail. Vous avez été déconnecté partout.',
    email_reverted:
      'Le changement de votre adresse e-mail a été annulé. Vous avez été déconnecté partout et la validation en deux étapes a été désactivée.',
    email_changed: 'L’adresse e-mail de votre compte a été modifiée.',
    totp_enabled: 'Une application d’authentification a été ajoutée à votre compte.',
    totp_disabled: 'L’application d’authentification a été supprimée de votre compte.',
    passkey_added: 'Une clé d’accès a été ajoutée à votre compte.',
    passkey_removed: 'Une clé d’accès a été supprimée de votre compte.',
    second_factor_enabled: 'Une clé d’accès vous sera désormais demandée après votre mot de passe.',
    second_factor_disabled: 'Une clé d’accès ne vous sera plus demandée après votre mot de passe.',
    backup_codes_regenerated:
      'De nouveaux codes de secours ont été générés pour votre compte. Les anciens ne fonctionnent plus.',
    mfa_disabled: 'Un administrateur a supprimé votre application d’authentification et vos codes de secours.',
    account_suspended: 'Un administrateur a suspendu votre compte.',
    account_reinstated: 'La suspension de votre compte a été levée. Vous pouvez de nouveau vous connecter.',
    suspicious_activity:
      'Nous avons verrouillé votre compte en raison d’une activité suspecte. Réinitialisez votre mot de passe pour le déverrouiller.',
    sso_linked: 'Votre compte a été associé à l’authentification unique.',
    identity_linked: 'Vous pouvez désormais vous connecter à votre compte avec un autre fournisseur.',
    identity_unlinked: 'Vous ne pouvez plus vous connecter à votre compte avec l’un de vos autres fournisseurs.',
    sso_taken_over:
      'Le titulaire de cette adresse e-mail s’est connecté avec l’authentification unique. Comme l’adresse n’avait jamais été confirmée, toutes les anciennes méthodes de connexion ont été supprimées.',
    session_handed_over:
      'Un nouvel appareil a été connecté à votre compte, approuvé depuis un appareil que vous utilisiez déjà.',
    locked_down:
      'Votre compte a été verrouillé. Tous les appareils ont été déconnectés ou tous les accès ont été révoqués.',
    credential_leaked: 'Un secret de votre compte a été signalé comme divulgué. Nous l’avons révoqué.',
    data_exported: 'Une copie des données de votre compte a été téléchargée.',
    account_deletion_scheduled: 'La suppression de votre compte a été programmée.',
    deletion_canceled: 'La suppression de votre compte a été annulée.',
    account_disabled: 'Votre compte a été désactivé. Connectez-vous pour le réactiver.',
    account_reactivated: 'Quelqu’un s’est connecté à votre compte désactivé, ce qui l’a réactivé.',
    suspicious_activity_ended: 'Votre compte n’est plus verrouillé pour activité suspecte.',
    sso_identity_set: 'Un administrateur a associé votre compte à une identité d’authentification unique.',
    sso_identity_removed: 'Un administrateur a dissocié votre compte de l’authentification unique.',
    access_token_created: 'Un jeton d’accès personnel a été créé pour votre compte.',
    access_token_deleted: 'Un jeton d’accès personnel de votre compte a été supprimé.',
    permissions_changed: 'Un administrateur a modifié vos autorisations d’administration.',
  },
  account_deletion_scheduled: {
    subject: 'Votre compte {product} va être supprimé',
    intro: 'Votre compte sera définitivement supprimé le {deadline}.',
    closing: 'Si vous l’avez demandé et que vous changez d’avis, connectez-vous avant cette date pour annuler.',
  },
  access_token_expiring: {
    subject: 'Un jeton d’accès de votre compte {product} expire bientôt',
    intro:
      'Votre jeton d’accès personnel « {name} » expire le {expiry}. Les scripts qui l’utilisent cesseront alors de fonctionner.',
    closing: 'D’ici là, créez un nouveau jeton dans les paramètres de votre compte et utilisez-le dans vos scripts.',
  },
  registration_existing_account: {
    subject: 'Vous avez déjà un compte {product}',
    intro: 'Quelqu’un a tenté de s’inscrire avec cette adresse e-mail, mais vous avez déjà un compte. Rien n’a changé.',
    closing: 'Si c’était vous, connectez-vous, ou réinitialisez votre mot de passe si vous l’avez oublié.',
  },
  registration_approved: {
    subject: 'Votre compte {product} a été approuvé',
    intro: 'Votre compte a été approuvé. Vous pouvez maintenant vous connecter.',
    action: 'Se connecter',
  },
  registration_rejected: {
    subject: 'Votre compte {product} n’a pas été approuvé',
    intro: 'Votre compte n’a pas été approuvé. Vous ne pouvez donc pas vous connecter.',
  },
  registration: {
    reason: 'Vous recevez cet e-mail, car quelqu’un s’est inscrit à {product} avec cette adresse e-mail.',
  },
  mail_test: {
    subject: 'E-mail de test de {product}',
    intro: 'L’envoi d’e-mails de {product} fonctionne. Vous n’avez rien à faire.',
    reason: 'Vous recevez cet e-mail, car vous avez demandé un e-mail de test en tant qu’administrateur de {product}.',
  },
  sms: { phone_verification: '{code} est votre code {product}. Il est valable {validity}.' },
};
