import type { Words } from './words.js';

export const esES: Words = {
  minutes: { one: '{count} minuto', other: '{count} minutos' },
  hours: { one: '{count} hora', other: '{count} horas' },
  days: { one: '{count} día', other: '{count} días' },
  device: '{browser} en {system}',
  unknownBrowser: 'Navegador desconocido',
  unknownSystem: 'sistema desconocido',
  place: '{address} ({place})',
  unknownPlace: 'ubicación desconocida',
  fact: '{label}: {value}',
  labels: { when: 'Fecha', device: 'Dispositivo', address: 'Dirección IP', until: 'Fin', publicReason: 'Motivo' },
  noEnd: 'Suspensión permanente',
  fallback: '¿No funciona el botón? Copie este enlace en su navegador:',
  reason: 'Recibe este correo porque afecta a la seguridad de su cuenta de {product}.',
  links: { support: 'Ayuda', terms: 'Términos del servicio', privacy: 'Política de privacidad' },
  codeClosing: 'No comparta este código con nadie. Si no lo ha solicitado, puede ignorar este correo.',
  email_verification: {
    subject: 'Verifique su correo para {product}',
    intro: 'Verifique esta dirección de correo para terminar de configurar su cuenta. El enlace caduca en {validity}.',
    action: 'Verificar correo',
    closing: 'Si no ha creado una cuenta, puede ignorar este correo.',
  },
  password_reset: {
    subject: 'Restablezca su contraseña de {product}',
    intro:
      'Hemos recibido una solicitud para restablecer su contraseña. El enlace funciona una sola vez y caduca en {validity}.',
    action: 'Restablecer contraseña',
    closing: 'Si no lo ha solicitado, puede ignorar este correo. Su contraseña no cambiará.',
  },
  ip_authorization: {
    subject: 'Nuevo inicio de sesión en {product}: ¿ha sido usted?',
    intro:
      'Alguien ha introducido su contraseña desde una red que no había usado antes. El inicio de sesión está a la espera de su aprobación.',
    confirm: 'Si ha sido usted, apruébelo en un plazo de {validity}.',
    action: 'Aprobar inicio de sesión',
    closing:
      'Si no ha sido usted, no lo apruebe. Restablezca la contraseña de inmediato, porque otra persona la conoce.',
  },
  email_change_original: {
    subject: 'Su código para cambiar de correo',
    intro: 'Introduzca este código para cambiar de correo. Caduca en {validity}.',
  },
  email_change_new: {
    subject: 'Verifique su nuevo correo',
    intro: 'Introduzca este código para verificar esta dirección de correo. Caduca en {validity}.',
  },
  password_change: {
    subject: 'Su código para cambiar la contraseña',
    intro: 'Introduzca este código para cambiar su contraseña. Caduca en {validity}.',
  },
  backup_codes_challenge: {
    subject: 'Su código para ver sus códigos de respaldo',
    intro: 'Introduzca este código para ver sus códigos de respaldo. Caduca en {validity}.',
  },
  email_change_revert: {
    subject: 'Se ha cambiado el correo de su cuenta de {product}',
    intro: 'El correo de su cuenta es ahora {email}.',
    undo: 'Si no ha sido usted, deshaga el cambio en un plazo de {validity}. Se cerrará su sesión en todas partes y se desactivará la verificación en dos pasos.',
    action: 'Deshacer el cambio',
  },
  security_notice: {
    subject: 'Alerta de seguridad de su cuenta de {product}',
    lock: 'Si no ha sido usted, bloquee su cuenta en un plazo de {validity}. Se cerrará su sesión en todas partes y tendrá que elegir una contraseña nueva.',
    action: 'No he sido yo',
  },
  security_digest: {
    intro:
      'Ha habido mucha actividad en su cuenta en una hora, así que este correo reúne el resto. Cada uno de estos eventos ha ocurrido al menos una vez:',
  },
  events: {
    password_changed: 'Se ha cambiado la contraseña de su cuenta.',
    password_reset:
      'Se ha restablecido su contraseña con un enlace enviado a esta dirección de correo. Se ha cerrado su sesión en todas partes.',
    email_reverted:
      'Se ha deshecho el cambio de correo. Se ha cerrado su sesión en todas partes y se ha desactivado la verificación en dos pasos.',
    email_changed: 'Se ha cambiado el correo de su cuenta.',
    totp_enabled: 'Se ha añadido una aplicación de autenticación a su cuenta.',
    totp_disabled: 'Se ha quitado la aplicación de autenticación de su cuenta.',
    passkey_added: 'Se ha añadido una llave de acceso a su cuenta.',
    passkey_removed: 'Se ha quitado una llave de acceso de su cuenta.',
    second_factor_enabled: 'Ahora se le pedirá una llave de acceso después de la contraseña.',
    second_factor_disabled: 'Ya no se le pedirá una llave de acceso después de la contraseña.',
    backup_codes_regenerated:
      'Se han generado códigos de respaldo nuevos para su cuenta. Los anteriores ya no funcionan.',
    mfa_disabled: 'Un administrador ha quitado su aplicación de autenticación y sus códigos de respaldo.',
    account_suspended: 'Un administrador ha suspendido su cuenta.',
    account_reinstated: 'Se ha levantado la suspensión de su cuenta. Puede volver a iniciar sesión.',
    suspicious_activity:
      'Hemos bloqueado su cuenta por actividad sospechosa. Restablezca su contraseña para desbloquearla.',
    sso_linked: 'Su cuenta se ha vinculado al inicio de sesión único.',
    identity_linked: 'Ahora puede iniciar sesión en su cuenta con otro proveedor.',
    identity_unlinked: 'Ya no puede iniciar sesión en su cuenta con uno de sus otros proveedores.',
    sso_taken_over:
      'El titular de este correo ha entrado con inicio de sesión único. Como el correo nunca se verificó, se han quitado todos los métodos de inicio de sesión anteriores.',
    session_handed_over:
      'Se ha iniciado sesión en su cuenta en un dispositivo nuevo, con aprobación desde uno que ya usaba.',
    locked_down: 'Su cuenta se ha bloqueado. Se han cerrado todas las sesiones o se ha revocado todo el acceso.',
    credential_leaked: 'Se ha comunicado la filtración de una credencial de su cuenta. La hemos revocado.',
    data_exported: 'Se ha descargado una copia de los datos de su cuenta.',
    account_deletion_scheduled: 'Se ha programado la eliminación de su cuenta.',
    deletion_canceled: 'Se ha cancelado la eliminación de su cuenta.',
    account_disabled: 'Su cuenta se ha desactivado. Inicie sesión para reactivarla.',
    account_reactivated: 'Alguien ha iniciado sesión en su cuenta desactivada, por lo que se ha reactivado.',
    suspicious_activity_ended: 'Su cuenta ya no está bloqueada por actividad sospechosa.',
    sso_identity_set: 'Un administrador ha vinculado su cuenta a una identidad de inicio de sesión único.',
    sso_identity_removed: 'Un administrador ha desvinculado su cuenta del inicio de sesión único.',
    access_token_created: 'Se ha creado un token de acceso personal para su cuenta.',
    access_token_deleted: 'Se ha eliminado un token de acceso personal de su cuenta.',
    permissions_changed: 'Un administrador ha cambiado sus permisos de administración.',
  },
  account_deletion_scheduled: {
    subject: 'Su cuenta de {product} se va a eliminar',
    intro: 'Su cuenta se eliminará de forma permanente el {deadline}.',
    closing: 'Si lo solicitó y ha cambiado de opinión, inicie sesión antes de esa fecha para cancelar.',
  },
  access_token_expiring: {
    subject: 'Un token de acceso de su cuenta de {product} caduca pronto',
    intro:
      'Su token de acceso personal «{name}» caduca el {expiry}. A partir de entonces, los scripts que lo usan dejarán de funcionar.',
    closing: 'Antes de esa fecha, cree un token nuevo en la configuración de su cuenta y úselo en sus scripts.',
  },
  registration_existing_account: {
    subject: 'Ya tiene una cuenta de {product}',
    intro: 'Alguien ha intentado registrarse con este correo, pero usted ya tiene una cuenta. No ha cambiado nada.',
    closing: 'Si ha sido usted, inicie sesión o restablezca su contraseña si la ha olvidado.',
  },
  registration_approved: {
    subject: 'Se ha aprobado su cuenta de {product}',
    intro: 'Su cuenta se ha aprobado. Ya puede iniciar sesión.',
    action: 'Iniciar sesión',
  },
  registration_rejected: {
    subject: 'No se ha aprobado su cuenta de {product}',
    intro: 'Su cuenta no se ha aprobado, por lo que no puede iniciar sesión.',
  },
  registration: {
    reason: 'Recibe este correo porque alguien se ha registrado en {product} con esta dirección de correo.',
  },
  mail_test: {
    subject: 'Correo de prueba de {product}',
    intro: 'El envío de correos de {product} funciona. No tiene que hacer nada.',
    reason: 'Recibe este correo porque ha solicitado un correo de prueba como administrador de {product}.',
  },
  sms: { phone_verification: '{code} es su código de {product}. Caduca en {validity}.' },
};
