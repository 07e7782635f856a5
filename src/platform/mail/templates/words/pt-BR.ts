import type { Words } from './words.js';

export const ptBR: Words = {
  minutes: { one: '{count} minuto', other: '{count} minutos' },
  hours: { one: '{count} hora', other: '{count} horas' },
  days: { one: '{count} dia', other: '{count} dias' },
  device: '{browser} em {system}',
  unknownBrowser: 'navegador desconhecido',
  unknownSystem: 'sistema desconhecido',
  place: '{address} ({place})',
  unknownPlace: 'local desconhecido',
  fact: '{label}: {value}',
  labels: { when: 'Quando', device: 'Dispositivo', address: 'Endereço IP', until: 'Término', publicReason: 'Motivo' },
  noEnd: 'sem data de término',
  fallback: 'Se o botão não funcionar, abra este endereço no seu navegador:',
  reason: 'Você está recebendo esta mensagem porque ela diz respeito à segurança da sua conta em {product}.',
  links: { support: 'Ajuda', terms: 'Termos de serviço', privacy: 'Política de privacidade' },
  codeClosing:
    'Ninguém mais precisa deste código, portanto não o compartilhe. Se você não o solicitou, pode ignorar esta mensagem.',
  email_verification: {
    subject: 'Confirme seu endereço de e-mail para {product}',
    intro: 'Confirme que este endereço é seu. O link é válido por {validity}.',
    action: 'Confirmar endereço',
    closing: 'Se você não fez esta solicitação, pode ignorar esta mensagem.',
  },
  password_reset: {
    subject: 'Redefina sua senha de {product}',
    intro:
      'Alguém solicitou a redefinição da senha da sua conta. O link funciona uma única vez e é válido por {validity}.',
    action: 'Escolher uma nova senha',
    closing: 'Se não foi você, pode ignorar esta mensagem: sua senha continua a mesma.',
  },
  ip_authorization: {
    subject: 'Confirme um novo acesso a {product}',
    intro:
      'Alguém digitou sua senha a partir de um endereço que sua conta ainda não havia usado. O acesso aguarda sua confirmação.',
    confirm: 'Se foi você, confirme em até {validity}.',
    action: 'Confirmar acesso',
    closing: 'Se não foi você, não confirme e redefina sua senha imediatamente: outra pessoa a conhece.',
  },
  email_change_original: {
    subject: 'Confirme a alteração do seu endereço de e-mail',
    intro: 'Digite este código para confirmar a alteração do seu endereço de e-mail. Ele é válido por {validity}.',
  },
  email_change_new: {
    subject: 'Confirme seu novo endereço de e-mail',
    intro: 'Digite este código para confirmar que este endereço é seu. Ele é válido por {validity}.',
  },
  password_change: {
    subject: 'Confirme a alteração da sua senha',
    intro: 'Digite este código para alterar sua senha. Ele é válido por {validity}.',
  },
  backup_codes_challenge: {
    subject: 'Confirme o acesso aos seus códigos de backup',
    intro: 'Digite este código para acessar seus códigos de backup. Ele é válido por {validity}.',
  },
  email_change_revert: {
    subject: 'O endereço de e-mail da sua conta em {product} foi alterado',
    intro: 'Sua conta agora usa {email}.',
    undo: 'Se não foi você, desfaça a alteração em até {validity}. Isso encerra todas as sessões e remove todos os segundos fatores.',
    action: 'Desfazer a alteração',
  },
  security_notice: {
    subject: 'Aviso de segurança de {product}',
    lock: 'Se não foi você, bloqueie sua conta em até {validity}: isso encerra todas as sessões e tudo o que age em seu nome, e exige uma nova senha.',
    action: 'Não fui eu',
  },
  security_digest: {
    intro:
      'Aconteceu tanta coisa com a sua conta em uma hora que informamos o restante em uma única mensagem. Cada um destes eventos ocorreu pelo menos uma vez:',
  },
  events: {
    password_changed: 'A senha da sua conta foi alterada.',
    password_reset:
      'A senha da sua conta foi redefinida por meio de um link enviado a este endereço. Todas as sessões foram encerradas.',
    email_reverted:
      'Uma alteração do seu endereço de e-mail foi desfeita. Todas as sessões foram encerradas e todos os segundos fatores removidos.',
    email_changed: 'O endereço de e-mail da sua conta foi alterado.',
    totp_enabled: 'Um aplicativo autenticador foi configurado para sua conta.',
    totp_disabled: 'O aplicativo autenticador foi removido da sua conta.',
    passkey_added: 'Uma chave de acesso foi adicionada à sua conta.',
    passkey_removed: 'Uma chave de acesso foi removida da sua conta.',
    second_factor_enabled: 'Agora uma chave de acesso é solicitada quando você entra com sua senha.',
    second_factor_disabled: 'Uma chave de acesso não é mais solicitada quando você entra com sua senha.',
    backup_codes_regenerated: 'Novos códigos de backup foram criados para sua conta. Os anteriores não funcionam mais.',
    mfa_disabled: 'Um administrador removeu o aplicativo autenticador e os códigos de backup da sua conta.',
    account_suspended: 'Um administrador suspendeu sua conta.',
    account_reinstated: 'A suspensão da sua conta foi retirada.',
    suspicious_activity:
      'Sua conta foi bloqueada por causa de atividade suspeita. Redefina sua senha para voltar a usá-la.',
    sso_linked: 'Sua conta foi vinculada ao login único: a pessoa titular deste endereço entrou por ele.',
    sso_taken_over:
      'A pessoa titular deste endereço entrou com o login único. O endereço nunca havia sido verificado, por isso tudo o que antes permitia entrar na conta foi removido.',
    session_handed_over:
      'Um novo dispositivo entrou na sua conta. O acesso foi autorizado por um dispositivo que já estava conectado.',
    locked_down: 'Sua conta foi bloqueada: as sessões, ou tudo o que age em seu nome, foram encerradas.',
    credential_leaked:
      'Alguém encontrou um segredo da sua conta, como uma sessão ou um token, e o denunciou. Ele não funciona mais.',
    data_exported: 'Tudo o que é mantido sobre a sua conta foi baixado.',
    account_deletion_scheduled: 'A exclusão da sua conta foi agendada.',
    deletion_canceled: 'A exclusão da sua conta foi cancelada. A conta permanece.',
    account_disabled: 'Sua conta foi desativada. Um novo acesso a ativa de novo.',
    account_reactivated: 'Sua conta estava desativada e está ativa de novo, porque alguém entrou nela.',
    suspicious_activity_ended: 'O bloqueio da sua conta por atividade suspeita foi retirado.',
    sso_identity_set: 'Um administrador vinculou sua conta a uma identidade de logon único.',
    sso_identity_removed: 'Um administrador removeu o vínculo da sua conta com o logon único.',
    permissions_changed: 'Um administrador alterou suas permissões de administração.',
  },
  account_deletion_scheduled: {
    subject: 'Sua conta em {product} será excluída',
    intro: 'Sua conta será excluída em {deadline}.',
    closing: 'Se foi você quem pediu isso, basta entrar antes dessa data para cancelar.',
  },
  registration_existing_account: {
    subject: 'Você já tem uma conta em {product}',
    intro: 'Alguém tentou se cadastrar com este endereço, que já pertence à sua conta. Nada foi alterado.',
    closing: 'Se foi você, entre normalmente ou redefina sua senha caso a tenha esquecido.',
  },
  registration_approved: {
    subject: 'Seu cadastro em {product} foi aprovado',
    intro: 'Seu cadastro foi aprovado. Você já pode entrar.',
    action: 'Entrar',
  },
  registration_rejected: {
    subject: 'Seu cadastro em {product} foi recusado',
    intro: 'Seu cadastro foi recusado, por isso você não pode entrar.',
  },
  registration: {
    reason: 'Você recebe esta mensagem porque alguém se cadastrou em {product} com este endereço de e-mail.',
  },
  mail_test: {
    subject: 'Mensagem de teste de {product}',
    intro: 'Os e-mails de {product} chegam aqui. Você não precisa fazer nada.',
    reason: 'Você recebe esta mensagem porque a pediu como administrador de {product}.',
  },
  sms: { phone_verification: '{code} é o seu código de {product}. Ele é válido por {validity}.' },
};
