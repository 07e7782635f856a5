import { builtInMail } from '../platform/mail/templates/contents.js';

/** Emails of administrators. */
export const adminMails = {
  /** Administrators send it to themselves to check email delivery. */
  mail_test: builtInMail<Readonly<Record<string, never>>>({
    sample: {},
    validSeconds: 0,
    render: ({ product }, translator) => {
      const { subject, intro, reason } = translator.words.mail_test;
      return {
        subject: translator.format(subject, { product }),
        paragraphs: [translator.format(intro, { product })],
        reason: translator.format(reason, { product }),
      };
    },
  }),
};
