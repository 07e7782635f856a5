/**
 * passport-jwt on Express, as in its documentation. The verify callback looks up the account by the subject, here with
 * a prepared statement. `LOOKUP=off` trusts the token instead. `KEY=object` passes a key that was read once, instead of
 * the string in the documentation.
 */
import { createSecretKey } from 'node:crypto';
import express from 'express';
import jwt from 'jsonwebtoken';
import passport from 'passport';
import { ExtractJwt, Strategy } from 'passport-jwt';
import { people, pool, serve } from './serve.mjs';

const secret = 'a-secret-of-the-benchmark-and-of-nothing-else';
const claims = { issuer: 'bench', audience: 'bench', algorithm: 'HS256' };
const text = 'SELECT id, email, username FROM account WHERE id = $1';

async function verify({ sub, email, username }, done) {
  if (process.env.LOOKUP === 'off') return done(null, { id: sub, email, username });
  try {
    const { rows } = await pool.query({ name: 'account', text, values: [sub] });
    done(null, rows[0] ?? false);
  } catch (error) {
    done(error);
  }
}

const options = {
  jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken(),
  secretOrKey: process.env.KEY === 'object' ? createSecretKey(Buffer.from(secret)) : secret,
  issuer: claims.issuer,
  audience: claims.audience,
  algorithms: [claims.algorithm],
};
passport.use(new Strategy(options, verify));

const app = express();
app.disable('x-powered-by');
app.get('/me', passport.authenticate('jwt', { session: false }), (req, res) => res.json(req.user));

serve(app, async ({ people: count }) => ({
  callers: (await people(count)).map(({ id, email, username }) => {
    const token = jwt.sign({ email, username }, secret, { ...claims, subject: id, expiresIn: '1h' });
    return { authorization: `Bearer ${token}` };
  }),
}));
