import { gatehouse } from '../../../../verify/dist/adapters/next.js';

const { GATEHOUSE_URL: url, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret } = process.env;

export const READ = 'documents-read';
/** Prints the errors of the library as lines. */
export const auth = gatehouse({
  ...{ url, clientId, clientSecret, onError: ({ message }) => process.stdout.write(`${message}\n`) },
  address: (request) => request.headers.get('x-forwarded-for')?.replace('::ffff:', ''),
});
export const show = ({ kind, account_id }) => Response.json({ kind, account_id });
