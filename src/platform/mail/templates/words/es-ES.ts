import type { Words } from './words.js';

export const esES: Words = {
  minutes: { one: '{count} minuto', other: '{count} minutos' },
  hours: { one: '{count} hora', other: '{count} horas' },
  days: { one: '{count} día', other: '{count} días' },
  device: '{browser} en {system}',
  unknownBrowser: 'navegador desconocido',
  unknownSystem: 'sistema desconocido',
  place: '{address} ({place})',
  unknownPlace: 'ubicación desconocida',
  fact: '{label}: {value}',
  labels: { when: 'Fecha', device: 'Dispositivo', address: 'Dirección IP', until: 'Fin', publicReason: 'Motivo' },
  noEnd: 'sin fecha de fin',
  fallback: 'Si el botón no funciona, abra esta dirección en su navegador:',
  reason: 'Recibe este mensaje porque afecta a la seguridad de su cuenta de {product}.',
  links: { support: 'Ayuda', terms: 'Condiciones del servicio', privacy: 'Política de privacidad' },
  codeClosing:
    'Nadie más necesita este código, así que no lo comparta. Si no lo ha solicitado, puede ignorar este mensaje.',
  email_verification: {
    subject: 'Confirme su dirección de correo para {product}',
    intro: 'Confirme que esta dirección es suya. El enlace es válido durante {validity}.',
    action: 'Confirmar la dirección',
    closing: 'Si no lo ha solicitado, puede ignorar este mensaje.',
  },
  password_reset: {
    subject: 'Restablezca su contraseña de {product}',
    intro:
      'Alguien ha solicitado restablecer la contraseña de su cuenta. El enlace funciona una sola vez y es válido durante {validity}.',
    action: 'Elegir una contraseña nueva',
    closing: 'Si no ha sido usted, puede ignorar este mensaje: su contraseña no cambia.',
  },
  ip_authorization: {
    subject: 'Confirme un nuevo inicio de sesión en {product}',
    intro:
      'Alguien ha introducido su contraseña desde una dirección que su cuenta no había usado antes. El inicio de sesión espera su confirmación.',
    confirm: 'Si ha sido usted, confírmelo en un plazo de {validity}.',
    action: 'Confirmar el inicio de sesión',
    closing: 'Si no ha sido usted, no lo confirme y restablezca su contraseña de inmediato: otra persona la conoce.',
  },
  email_change_original: {
    subject: 'Confirme el cambio de su dirección de correo',
    intro: 'Introduzca este código para confirmar el cambio de su dirección de correo. Es válido durante {validity}.',
  },
  email_change_new: {
    subject: 'Confirme su nueva dirección de correo',
    intro: 'Introduzca este código para confirmar que esta dirección es suya. Es válido durante {validity}.',
  },
  password_change: {
    subject: 'Confirme el cambio de su contraseña',
    intro: 'Introduzca este código para cambiar su contraseña. Es válido durante {validity}.',
  },
  backup_codes_challenge: {
    subject: 'Confirme el acceso a sus códigos de respaldo',
    intro: 'Introduzca este código para acceder a sus códigos de respaldo. Es válido durante {validity}.',
  },
  email_change_revert: {
    subject: 'Se ha cambiado la dirección de correo de su cuenta de {product}',
    intro: 'Su cuenta usa ahora {email}.',
    undo: 'Si no ha sido usted, deshaga el cambio en un plazo de {validity}. Con ello se cierran todas las sesiones y se eliminan todos los segundos factores.',
    action: 'Deshacer el cambio',
  },
  security_notice: {
    subject: 'Aviso de seguridad de {product}',
    lock: 'Si no ha sido usted, bloquee su cuenta en un plazo de {validity}: se cierran todas las sesiones y todo lo que actúa en su nombre, y se pide una contraseña nueva.',
    action: 'No he sido yo',
  },
  security_digest: {
    intro:
      'Han ocurrido tantas cosas en su cuenta en una hora que comunicamos el resto en un solo mensaje. Cada una de estas ha ocurrido al menos una vez:',
  },
  events: {
    password_changed: 'Se ha cambiado la contraseña de su cuenta.',
    password_reset:
      'La contraseña de su cuenta se ha restablecido mediante un enlace enviado a esta dirección. Se han cerrado todas las sesiones.',
    email_reverted:
      'Se ha deshecho un cambio de su dirección de correo. Se han cerrado todas las sesiones y eliminado todos los segundos factores.',
    email_changed: 'Se ha cambiado la dirección de correo de su cuenta.',
    totp_enabled: 'Se ha configurado una aplicación de autenticación para su cuenta.',
    totp_disabled: 'Se ha quitado la aplicación de autenticación de su cuenta.',
    passkey_added: 'Se ha añadido una llave de acceso a su cuenta.',
    passkey_removed: 'Se ha quitado una llave de acceso de su cuenta.',
    second_factor_enabled: 'Ahora se pide una llave de acceso al iniciar sesión con su contraseña.',
    second_factor_disabled: 'Ya no se pide una llave de acceso al iniciar sesión con su contraseña.',
    backup_codes_regenerated:
      'Se han creado códigos de respaldo nuevos para su cuenta. Los anteriores ya no funcionan.',
    mfa_disabled: 'Un administrador ha quitado la aplicación de autenticación y los códigos de respaldo de su cuenta.',
    account_suspended: 'Un administrador ha suspendido su cuenta.',
    account_reinstated: 'Se ha levantado la suspensión de su cuenta.',
    suspicious_activity:
      'Su cuenta se ha bloqueado por actividad sospechosa. Restablezca su contraseña para volver a usarla.',
    sso_linked:
      'Su cuenta se ha vinculado al inicio de sesión único: la persona titular de esta dirección ha entrado con él.',
    sso_taken_over:
      'La persona titular de esta dirección ha entrado con el inicio de sesión único. La dirección nunca se había verificado, así que se ha eliminado todo lo que antes permitía entrar en la cuenta.',
    session_handed_over:
      'Se ha iniciado sesión en su cuenta desde un dispositivo nuevo. Lo ha permitido un dispositivo que ya tenía la sesión iniciada.',
    locked_down: 'Su cuenta se ha bloqueado: se han cerrado las sesiones, o todo lo que actúa en su nombre.',
    credential_leaked:
      'Alguien ha encontrado un secreto de su cuenta, como una sesión o un token, y lo ha comunicado. Ya no funciona.',
    data_exported: 'Se ha descargado todo lo que se conserva de su cuenta.',
    account_deletion_scheduled: 'Se ha programado la eliminación de su cuenta.',
    deletion_canceled: 'Se ha cancelado la eliminación de su cuenta. La cuenta se conserva.',
    account_disabled: 'Su cuenta se ha desactivado. Al iniciar sesión se vuelve a activar.',
    account_reactivated: 'Su cuenta estaba desactivada y vuelve a estar activa porque alguien ha iniciado sesión.',
    suspicious_activity_ended: 'Se ha levantado el bloqueo de su cuenta por actividad sospechosa.',
    sso_identity_set: 'Un administrador ha vinculado su cuenta a una identidad de inicio de sesión único.',
    sso_identity_removed: 'Un administrador ha eliminado el vínculo de su cuenta con el inicio de sesión único.',
    permissions_changed: 'Un administrador ha cambiado sus permisos de administración.',
  },
  account_deletion_scheduled: {
    subject: 'Su cuenta de {product} se va a eliminar',
    intro: 'Su cuenta se eliminará el {deadline}.',
    closing: 'Si lo ha solicitado usted, basta con iniciar sesión antes de esa fecha para cancelarlo.',
  },
  registration_existing_account: {
    subject: 'Ya tiene una cuenta de {product}',
    intro: 'Alguien ha intentado registrarse con esta dirección, que ya pertenece a su cuenta. No se ha cambiado nada.',
    closing: 'Si ha sido usted, inicie sesión como de costumbre o restablezca su contraseña si la ha olvidado.',
  },
  registration_approved: {
    subject: 'Su registro en {product} ha sido aprobado',
    intro: 'Su registro ha sido aprobado. Ya puede iniciar sesión.',
    action: 'Iniciar sesión',
  },
  registration_rejected: {
    subject: 'Su registro en {product} ha sido rechazado',
    intro: 'Su registro ha sido rechazado, por lo que no puede iniciar sesión.',
  },
  registration: {
    reason: 'Recibe este mensaje porque alguien se ha registrado en {product} con esta dirección de correo.',
  },
  mail_test: {
    subject: 'Mensaje de prueba de {product}',
    intro: 'Los correos de {product} llegan aquí. No tiene que hacer nada.',
    reason: 'Recibe este mensaje porque lo ha solicitado como administrador de {product}.',
  },
  sms: { phone_verification: '{code} es su código de {product}. Es válido durante {validity}.' },
};
