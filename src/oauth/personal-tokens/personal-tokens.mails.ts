import { builtInMail } from '../../platform/mail/templates/contents.js';

/** The email about a personal access token that expires soon (tokens.md section 1). */
export const personalTokenMails = {
  access_token_expiring: builtInMail<{ readonly name: string; readonly expires_at: string }>({
    sample: { name: 'Backup script', expires_at: '2030-01-31T09:05:00.000Z' },
    validSeconds: 0,
    render: ({ metadata, product }, translator) => {
      const { subject, intro, closing } = translator.words.access_token_expiring;
      const expiry = translator.formatTime(new Date(metadata.expires_at));
      return {
        subject: translator.format(subject, { product }),
        paragraphs: [translator.format(intro, { name: metadata.name, expiry })],
        closing,
      };
    },
  }),
};
