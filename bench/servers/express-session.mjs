/**
 * express-session with connect-pg-simple, as their documentation recommends for production. The store moves the
 * expiration of a session on every request. `TOUCH=off` sets its `disableTouch`.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { verify } from '@node-rs/argon2';
import connectPgSimple from 'connect-pg-simple';
import express from 'express';
import session from 'express-session';
import { origin, PASSWORD, people, pool, serve } from './serve.mjs';

const Store = connectPgSimple(session);
const text = 'SELECT id, email, username, password_hash FROM account WHERE email = $1';

const app = express();
app.disable('x-powered-by');
app.use(
  session({
    store: new Store({ pool, disableTouch: process.env.TOUCH === 'off' }),
    name: 'sid',
    secret: 'a-secret-of-the-benchmark-and-of-nothing-else',
    resave: false,
    saveUninitialized: false,
    cookie: { httpOnly: true, sameSite: 'lax', secure: 'auto', maxAge: 30 * 24 * 60 * 60 * 1000 },
  }),
);

app.get('/me', (req, res) => {
  if (req.session.user) res.json(req.session.user);
  else res.sendStatus(401);
});

app.post('/login', express.json(), async (req, res, next) => {
  const { rows } = await pool.query({ name: 'login', text, values: [req.body.email] });
  const [account] = rows;
  if (!account || !(await verify(account.password_hash, req.body.password))) return res.sendStatus(401);
  req.session.regenerate((failed) => {
    if (failed) return next(failed);
    const { id, email, username } = account;
    req.session.user = { id, email, username };
    req.session.save((unsaved) => (unsaved ? next(unsaved) : res.json(req.session.user)));
  });
});

async function prepare({ people: count }) {
  const logins = (await people(count)).map(({ email }) => ({ email, password: PASSWORD }));
  await pool.query('DROP TABLE IF EXISTS session');
  await pool.query(readFileSync(createRequire(import.meta.url).resolve('connect-pg-simple/table.sql'), 'utf8'));
  const callers = [];
  for (const login of logins) {
    const { headers } = await fetch(`${origin}/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(login),
    });
    callers.push({ cookie: headers.getSetCookie()[0].split(';')[0] });
  }
  return { callers, logins };
}

serve(app, prepare);
