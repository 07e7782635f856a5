/** Baseline for sign-in: Node's own HTTP server that verifies a password, and nothing else. */
import { hash, verify } from '@node-rs/argon2';
import { ARGON2ID, PASSWORD, serve } from './serve.mjs';

const stored = await hash(PASSWORD, ARGON2ID);

async function handle(req, res) {
  const chunks = [];
  for await (const chunk of req) chunks.push(chunk);
  const { password } = JSON.parse(Buffer.concat(chunks));
  const matches = await verify(stored, password);
  res.writeHead(matches ? 200 : 401, { 'Content-Type': 'application/json' });
  res.end('{}');
}

serve(handle, async ({ people: count }) => ({
  logins: Array.from({ length: Number(count) }, (_, n) => ({ email: `person${n}@example.com`, password: PASSWORD })),
}));
