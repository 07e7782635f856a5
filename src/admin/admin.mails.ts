import { builtInMail } from '../platform/mail/templates/contents.js';

/** Emails of administrators. */
export const adminMails = {
  /** Administrators send it to themselves to check email delivery. */
  mail_test: builtInMail<Readonly<Record<string, never>>>({
    sample: {},
    validSeconds: 0,
    render: ({ product }, speech) => {
      const { subject, intro, reason } = speech.words.mail_test;
      return {
        subject: speech.format(subject, { product }),
        paragraphs: [speech.format(intro, { product })],
        reason: speech.format(reason, { product }),
      };
    },
  }),
};
