import type { Words } from './words.js';

export const fr: Words = {
  minutes: { one: '{count} minute', other: '{count} minutes' },
  hours: { one: '{count} heure', other: '{count} heures' },
  days: { one: '{count} jour', other: '{count} jours' },
  device: '{browser} sur {system}',
  unknownBrowser: 'navigateur inconnu',
  unknownSystem: 'système inconnu',
  place: '{address} ({place})',
  unknownPlace: 'lieu inconnu',
  fact: '{label}\u00a0: {value}',
  labels: { when: 'Date', device: 'Appareil', address: 'Adresse IP', until: 'Fin', publicReason: 'Motif' },
  noEnd: 'sans date de fin',
  fallback: 'Si le bouton ne fonctionne pas, ouvrez cette adresse dans votre navigateur\u00a0:',
  reason: 'Vous recevez ce message parce qu’il concerne la sécurité de votre compte {product}.',
  links: { support: 'Aide', terms: 'Conditions d’utilisation', privacy: 'Politique de confidentialité' },
  codeClosing:
    'Personne d’autre n’a besoin de ce code, ne le communiquez donc à personne. Si vous ne l’avez pas demandé, vous pouvez ignorer ce message.',
  email_verification: {
    subject: 'Confirmez votre adresse e-mail pour {product}',
    intro: 'Veuillez confirmer que cette adresse est bien la vôtre. Le lien est valable {validity}.',
    action: 'Confirmer l’adresse',
    closing: 'Si vous n’êtes pas à l’origine de cette demande, vous pouvez ignorer ce message.',
  },
  password_reset: {
    subject: 'Réinitialisez votre mot de passe {product}',
    intro:
      'Quelqu’un a demandé la réinitialisation du mot de passe de votre compte. Le lien ne fonctionne qu’une fois et est valable {validity}.',
    action: 'Choisir un nouveau mot de passe',
    closing: 'Si ce n’était pas vous, vous pouvez ignorer ce message\u00a0: votre mot de passe reste inchangé.',
  },
  ip_authorization: {
    subject: 'Confirmez une nouvelle connexion à {product}',
    intro:
      'Quelqu’un a saisi votre mot de passe depuis une adresse que votre compte n’avait encore jamais utilisée. La connexion attend votre confirmation.',
    confirm: 'Si c’était vous, confirmez-la dans un délai de {validity}.',
    action: 'Confirmer la connexion',
    closing:
      'Si ce n’était pas vous, ne confirmez pas et réinitialisez immédiatement votre mot de passe\u00a0: quelqu’un d’autre le connaît.',
  },
  email_change_original: {
    subject: 'Confirmez le changement de votre adresse e-mail',
    intro: 'Saisissez ce code pour confirmer le changement de votre adresse e-mail. Il est valable {validity}.',
  },
  email_change_new: {
    subject: 'Confirmez votre nouvelle adresse e-mail',
    intro: 'Saisissez ce code pour confirmer que cette adresse est bien la vôtre. Il est valable {validity}.',
  },
  password_change: {
    subject: 'Confirmez le changement de votre mot de passe',
    intro: 'Saisissez ce code pour changer votre mot de passe. Il est valable {validity}.',
  },
  backup_codes_challenge: {
    subject: 'Confirmez l’accès à vos codes de secours',
    intro: 'Saisissez ce code pour accéder à vos codes de secours. Il est valable {validity}.',
  },
  email_change_revert: {
    subject: 'L’adresse e-mail de votre compte {product} a été modifiée',
    intro: 'Votre compte utilise désormais {email}.',
    undo: 'Si ce n’était pas vous, annulez le changement dans un délai de {validity}. Toutes les sessions seront alors fermées et tous les seconds facteurs supprimés.',
    action: 'Annuler le changement',
  },
  security_notice: {
    subject: 'Avis de sécurité de {product}',
    lock: 'Si ce n’était pas vous, verrouillez votre compte dans un délai de {validity}\u00a0: toutes les sessions et tout ce qui agit en votre nom seront fermés, et un nouveau mot de passe sera demandé.',
    action: 'Ce n’était pas moi',
  },
  security_digest: {
    intro:
      'Il s’est passé tant de choses sur votre compte en une heure que nous signalons le reste dans un seul message. Chacun de ces événements s’est produit au moins une fois :',
  },
  events: {
    password_changed: 'Le mot de passe de votre compte a été changé.',
    password_reset:
      'Le mot de passe de votre compte a été réinitialisé au moyen d’un lien envoyé à cette adresse. Toutes les sessions ont été fermées.',
    email_reverted:
      'Un changement de votre adresse e-mail a été annulé. Toutes les sessions ont été fermées et tous les seconds facteurs supprimés.',
    email_changed: 'L’adresse e-mail de votre compte a été modifiée.',
    totp_enabled: 'Une application d’authentification a été configurée pour votre compte.',
    totp_disabled: 'L’application d’authentification a été retirée de votre compte.',
    passkey_added: 'Une clé d’accès a été ajoutée à votre compte.',
    passkey_removed: 'Une clé d’accès a été retirée de votre compte.',
    second_factor_enabled:
      'Une clé d’accès est désormais demandée lorsque vous vous connectez avec votre mot de passe.',
    second_factor_disabled: 'Une clé d’accès n’est plus demandée lorsque vous vous connectez avec votre mot de passe.',
    backup_codes_regenerated:
      'De nouveaux codes de secours ont été créés pour votre compte. Les anciens ne fonctionnent plus.',
    mfa_disabled:
      'Un administrateur a retiré l’application d’authentification et les codes de secours de votre compte.',
    account_suspended: 'Un administrateur a suspendu votre compte.',
    account_reinstated: 'La suspension de votre compte a été levée.',
    suspicious_activity:
      'Votre compte a été verrouillé en raison d’une activité suspecte. Réinitialisez votre mot de passe pour l’utiliser de nouveau.',
    sso_linked:
      'Votre compte a été associé à l’authentification unique\u00a0: le titulaire de cette adresse s’est connecté par ce moyen.',
    sso_taken_over:
      'Le titulaire de cette adresse s’est connecté par l’authentification unique. L’adresse n’avait jamais été vérifiée\u00a0: tout ce qui permettait auparavant de se connecter au compte a donc été supprimé.',
    session_handed_over: 'Un nouvel appareil a été connecté à votre compte. Un appareil déjà connecté l’y a autorisé.',
    locked_down:
      'Votre compte a été verrouillé\u00a0: les sessions, ou tout ce qui agit en votre nom, ont été fermées.',
    credential_leaked:
      'Quelqu’un a trouvé un secret de votre compte, comme une session ou un jeton, et l’a signalé. Il ne fonctionne plus.',
    data_exported: 'Tout ce qui est conservé de votre compte a été téléchargé.',
    account_deletion_scheduled: 'La suppression de votre compte a été programmée.',
    deletion_canceled: 'La suppression de votre compte a été annulée. Le compte est conservé.',
    account_disabled: 'Votre compte a été désactivé. Une connexion le réactive.',
    account_reactivated: 'Votre compte était désactivé et il est de nouveau actif, car quelqu’un s’est connecté.',
    suspicious_activity_ended: 'Le verrouillage de votre compte pour activité suspecte a été levé.',
    sso_identity_set: 'Un administrateur a lié votre compte à une identité de l’authentification unique.',
    sso_identity_removed: 'Un administrateur a supprimé le lien de votre compte avec l’authentification unique.',
    permissions_changed: 'Un administrateur a modifié vos droits d’administration.',
  },
  account_deletion_scheduled: {
    subject: 'Votre compte {product} va être supprimé',
    intro: 'Votre compte sera supprimé le {deadline}.',
    closing: 'Si vous l’avez demandé vous-même, il suffit de vous connecter avant cette date pour annuler.',
  },
  registration_existing_account: {
    subject: 'Vous avez déjà un compte {product}',
    intro:
      'Quelqu’un a tenté de s’inscrire avec cette adresse, qui appartient déjà à votre compte. Rien n’a été modifié.',
    closing:
      'Si c’était vous, connectez-vous comme d’habitude ou réinitialisez votre mot de passe si vous l’avez oublié.',
  },
  registration_approved: {
    subject: 'Votre inscription à {product} a été acceptée',
    intro: 'Votre inscription a été acceptée. Vous pouvez maintenant vous connecter.',
    action: 'Se connecter',
  },
  registration_rejected: {
    subject: 'Votre inscription à {product} a été refusée',
    intro: 'Votre inscription a été refusée ; vous ne pouvez donc pas vous connecter.',
  },
  registration: {
    reason: 'Vous recevez ce message parce que quelqu’un s’est inscrit à {product} avec cette adresse e-mail.',
  },
  mail_test: {
    subject: 'Message de test de {product}',
    intro: 'Les e-mails de {product} arrivent bien ici. Vous n’avez rien à faire.',
    reason: 'Vous recevez ce message parce que vous l’avez demandé en tant qu’administrateur de {product}.',
  },
  sms: { phone_verification: '{code} est votre code {product}. Il est valable {validity}.' },
};
