import type { Words } from './words.js';

export const ptBR: Words = {
  minutes: { one: '{count} minuto', other: '{count} minutos' },
  hours: { one: '{count} hora', other: '{count} horas' },
  days: { one: '{count} dia', other: '{count} dias' },
  device: '{browser} no {system}',
  unknownBrowser: 'Navegador desconhecido',
  unknownSystem: 'sistema desconhecido',
  place: '{address} ({place})',
  unknownPlace: 'local desconhecido',
  fact: '{label}: {value}',
  labels: { when: 'Quando', device: 'Dispositivo', address: 'Endereço IP', until: 'Término', publicReason: 'Motivo' },
  noEnd: 'Suspensão permanente',
  fallback: 'O botão não funciona? Copie e cole este link no navegador:',
  reason: 'Você recebeu este e-mail porque ele diz respeito à segurança da sua conta em {product}.',
  links: { support: 'Ajuda', terms: 'Termos de serviço', privacy: 'Política de privacidade' },
  codeClosing: 'Não compartilhe este código com ninguém. Se você não o solicitou, ignore este e-mail.',
  email_verification: {
    subject: 'Confirme seu endereço de e-mail para {product}',
    intro: 'Confirme este endereço de e-mail para concluir a configuração da sua conta. O link expira em {validity}.',
    action: 'Confirmar e-mail',
    closing: 'Se você não criou uma conta, ignore este e-mail.',
  },
  password_reset: {
    subject: 'Redefina sua senha de {product}',
    intro:
      'Recebemos uma solicitação para redefinir sua senha. O link só pode ser usado uma vez e expira em {validity}.',
    action: 'Redefinir senha',
    closing: 'Se não foi você, ignore este e-mail. Sua senha não será alterada.',
  },
  ip_authorization: {
    subject: 'Novo login em {product}: foi você?',
    intro:
      'Alguém digitou sua senha em uma rede que você ainda não tinha usado. O login está aguardando sua aprovação.',
    confirm: 'Se foi você, aprove o login em até {validity}.',
    action: 'Aprovar login',
    closing: 'Se não foi você, não aprove. Redefina sua senha imediatamente, porque outra pessoa sabe qual é.',
  },
  email_change_original: {
    subject: 'Seu código para alterar o e-mail',
    intro: 'Digite este código para alterar seu e-mail. Ele expira em {validity}.',
  },
  email_change_new: {
    subject: 'Confirme seu novo e-mail',
    intro: 'Digite este código para confirmar este endereço de e-mail. Ele expira em {validity}.',
  },
  password_change: {
    subject: 'Seu código para alterar a senha',
    intro: 'Digite este código para alterar sua senha. Ele expira em {validity}.',
  },
  backup_codes_challenge: {
    subject: 'Seu código para ver os códigos de backup',
    intro: 'Digite este código para ver seus códigos de backup. Ele expira em {validity}.',
  },
  email_change_revert: {
    subject: 'O e-mail da sua conta em {product} foi alterado',
    intro: 'O e-mail da sua conta agora é {email}.',
    undo: 'Se não foi você, desfaça a alteração em até {validity}. Você sairá de todos os dispositivos, e a verificação em duas etapas será desativada.',
    action: 'Desfazer alteração',
  },
  security_notice: {
    subject: 'Alerta de segurança da sua conta em {product}',
    lock: 'Se não foi você, bloqueie sua conta em até {validity}. Você sairá de todos os dispositivos e precisará definir uma nova senha.',
    action: 'Não fui eu',
  },
  security_digest: {
    intro:
      'Houve muita atividade na sua conta em uma hora, por isso este e-mail reúne o restante. Cada um destes eventos ocorreu pelo menos uma vez:',
  },
  events: {
    password_changed: 'A senha da sua conta foi alterada.',
    password_reset:
      'Sua senha foi redefinida com um link que enviamos para este endereço de e-mail. Você saiu de todos os dispositivos.',
    email_reverted:
      'A alteração do seu e-mail foi desfeita. Você saiu de todos os dispositivos, e a verificação em duas etapas foi desativada.',
    email_changed: 'O e-mail da sua conta foi alterado.',
    totp_enabled: 'Um aplicativo autenticador foi adicionado à sua conta.',
    totp_disabled: 'O aplicativo autenticador foi removido da sua conta.',
    passkey_added: 'Uma chave de acesso foi adicionada à sua conta.',
    passkey_removed: 'Uma chave de acesso foi removida da sua conta.',
    second_factor_enabled: 'Agora uma chave de acesso será solicitada depois da sua senha.',
    second_factor_disabled: 'Uma chave de acesso não será mais solicitada depois da sua senha.',
    backup_codes_regenerated: 'Novos códigos de backup foram gerados para sua conta. Os antigos não funcionam mais.',
    mfa_disabled: 'Um administrador removeu seu aplicativo autenticador e seus códigos de backup.',
    account_suspended: 'Um administrador suspendeu sua conta.',
    account_reinstated: 'A suspensão da sua conta foi removida. Você já pode entrar novamente.',
    suspicious_activity: 'Bloqueamos sua conta por atividade suspeita. Redefina sua senha para desbloqueá-la.',
    sso_linked: 'Sua conta foi vinculada ao login único.',
    identity_linked: 'Agora você pode entrar na sua conta com outro provedor.',
    identity_unlinked: 'Você não pode mais entrar na sua conta com um dos seus outros provedores.',
    sso_taken_over:
      'O titular deste e-mail entrou com o login único. Como o e-mail nunca foi confirmado, todas as formas de entrar anteriores foram removidas.',
    session_handed_over:
      'Um novo dispositivo foi conectado à sua conta, com aprovação de um dispositivo que você já usava.',
    locked_down: 'Sua conta foi bloqueada. Todos os dispositivos foram desconectados ou todo o acesso foi revogado.',
    credential_leaked: 'Uma credencial da sua conta foi denunciada como vazada. Nós a revogamos.',
    data_exported: 'Uma cópia dos dados da sua conta foi baixada.',
    account_deletion_scheduled: 'A exclusão da sua conta foi agendada.',
    deletion_canceled: 'A exclusão da sua conta foi cancelada.',
    account_disabled: 'Sua conta foi desativada. Entre para reativá-la.',
    account_reactivated: 'Alguém entrou na sua conta desativada, e ela foi reativada.',
    suspicious_activity_ended: 'Sua conta não está mais bloqueada por atividade suspeita.',
    sso_identity_set: 'Um administrador vinculou sua conta a uma identidade de login único.',
    sso_identity_removed: 'Um administrador desvinculou sua conta do login único.',
    access_token_created: 'Um token de acesso pessoal foi criado para sua conta.',
    access_token_deleted: 'Um token de acesso pessoal da sua conta foi excluído.',
    permissions_changed: 'Um administrador alterou suas permissões de administração.',
  },
  account_deletion_scheduled: {
    subject: 'Sua conta em {product} será excluída',
    intro: 'Sua conta será excluída permanentemente em {deadline}.',
    closing: 'Se você pediu isso e mudou de ideia, entre antes dessa data para cancelar.',
  },
  access_token_expiring: {
    subject: 'Um token de acesso da sua conta em {product} expira em breve',
    intro:
      'Seu token de acesso pessoal “{name}” expira em {expiry}. Depois disso, os scripts que o usam deixarão de funcionar.',
    closing: 'Antes disso, crie um novo token nas configurações da sua conta e use-o nos seus scripts.',
  },
  registration_existing_account: {
    subject: 'Você já tem uma conta em {product}',
    intro: 'Alguém tentou se cadastrar com este e-mail, mas você já tem uma conta. Nada mudou.',
    closing: 'Se foi você, entre na sua conta ou redefina a senha, caso a tenha esquecido.',
  },
  registration_approved: {
    subject: 'Sua conta em {product} foi aprovada',
    intro: 'Sua conta foi aprovada. Você já pode entrar.',
    action: 'Entrar',
  },
  registration_rejected: {
    subject: 'Sua conta em {product} não foi aprovada',
    intro: 'Sua conta não foi aprovada, por isso você não pode entrar.',
  },
  registration: {
    reason: 'Você recebeu este e-mail porque alguém se cadastrou em {product} com este endereço de e-mail.',
  },
  mail_test: {
    subject: 'E-mail de teste de {product}',
    intro: 'O envio de e-mails de {product} está funcionando. Você não precisa fazer nada.',
    reason: 'Você recebeu este e-mail porque solicitou um e-mail de teste como administrador de {product}.',
  },
  sms: { phone_verification: '{code} é o seu código de {product}. Ele expira em {validity}.' },
};
