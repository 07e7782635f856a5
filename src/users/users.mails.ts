import { builtInMail, deviceFact } from '../platform/mail/templates/contents.js';

export interface CodeFacts {
  readonly code: string;
}

const codeMail = (type: 'email_change_original' | 'email_change_new' | 'password_change' | 'backup_codes_challenge') =>
  builtInMail<CodeFacts>({
    sample: { code: 'K7QF-2XMB' },
    validSeconds: 600,
    render: ({ metadata, client, validSeconds }, speech) => ({
      subject: speech.words[type].subject,
      paragraphs: [speech.format(speech.words[type].intro, { validity: speech.formatDuration(validSeconds) })],
      facts: deviceFact(client, speech),
      code: metadata.code,
      closing: speech.words.codeClosing,
    }),
  });

/** Emails with codes that confirm a change (account.md). */
export const userMails = {
  email_change_original: codeMail('email_change_original'),
  email_change_new: codeMail('email_change_new'),
  password_change: codeMail('password_change'),
  backup_codes_challenge: codeMail('backup_codes_challenge'),
};
