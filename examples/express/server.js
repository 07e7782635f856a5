import express from 'express';
import openid from 'express-openid-connect';

const { auth, requiresAuth } = openid;
const { GATEHOUSE_URL, SITE_URL, CLIENT_ID, CLIENT_SECRET, SESSION_SECRET, PORT } = process.env;

/** IDs of ended login sessions. If you run several processes, use a store that they share. */
const endedSessions = new Set();

const app = express();

app.use(
  auth({
    issuerBaseURL: GATEHOUSE_URL,
    baseURL: SITE_URL,
    clientID: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    secret: SESSION_SECRET,
    authorizationParams: { response_type: 'code', scope: 'openid profile email' },
    routes: { callback: '/login/callback' },
    authRequired: false,
    idpLogout: true,
    backchannelLogout: {
      onLogin: false,
      onLogoutToken: ({ sid }) => void endedSessions.add(sid),
      isLoggedOut: (req) => endedSessions.has(req.oidc.idTokenClaims.sid),
    },
  }),
);

app.get('/', (_req, res) => {
  res.send('<a href="/private">Sign in</a>');
});

app.get('/private', requiresAuth(), (req, res) => {
  // Identify users only by `sub`, because names and email addresses can change.
  const { sub, name, email } = req.oidc.user;
  res.json({ sub, name, email });
});

app.listen(PORT ?? 3000);
