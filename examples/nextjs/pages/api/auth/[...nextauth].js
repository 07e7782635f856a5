import NextAuth from 'next-auth';

const { GATEHOUSE_URL, CLIENT_ID, CLIENT_SECRET } = process.env;

export const authOptions = {
  providers: [
    {
      id: 'gatehouse',
      name: 'Gatehouse',
      type: 'oauth',
      wellKnown: `${GATEHOUSE_URL}/.well-known/openid-configuration`,
      clientId: CLIENT_ID,
      clientSecret: CLIENT_SECRET,
      authorization: { params: { scope: 'openid profile email' } },
      idToken: true,
      checks: ['pkce', 'state', 'nonce'],
      // Identify users only by `sub`, because names and email addresses can change.
      profile: ({ sub, name, email, picture }) => ({ id: sub, name, email, image: picture }),
    },
  ],
  callbacks: {
    session: ({ session, token }) => ({ ...session, user: { ...session.user, id: token.sub } }),
  },
};

export default NextAuth(authOptions);
