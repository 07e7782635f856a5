import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { PROVIDER_CERTIFICATE } from '../machine/certified-provider.js';
import { freePort } from '../machine/ports.js';
import { cookieBrowser } from './cookie-browser.js';
import { Lemonldap } from './lemonldap.js';

/** A demo user of the portal. The password is the username. */
const USER = 'rtyler';

function signingKey() {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  return {
    oidcServicePrivateKeySig: privateKey,
    oidcServicePublicKeySig: publicKey,
    oidcServiceKeyIdSig: randomBytes(4).toString('hex'),
  };
}

/** lemonldap-ng as an OpenID provider, behind a proxy with TLS. */
export async function lemonldapProvider(redirectUri: string) {
  const port = await freePort();
  const { cert, key } = PROVIDER_CERTIFICATE;
  const proxy = createServer({ cert, key }, (req, res) => {
    const { url, method, headers } = req;
    const forwarded = request({ host: '127.0.0.1', port, path: url, method, headers }, (response) => {
      res.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(res);
    });
    forwarded.on('error', () => res.destroy());
    req.pipe(forwarded);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const issuer = `https://localhost:${(proxy.address() as AddressInfo).port}`;
  const clientSecret = randomBytes(24).toString('base64url');
  const client = {
    oidcRPMetaDataOptionsClientID: 'gatehouse',
    oidcRPMetaDataOptionsClientSecret: clientSecret,
    oidcRPMetaDataOptionsRedirectUris: redirectUri,
    oidcRPMetaDataOptionsIDTokenSignAlg: 'RS256',
    oidcRPMetaDataOptionsUserIDAttr: 'uid',
    oidcRPMetaDataOptionsRequirePKCE: 1,
    oidcRPMetaDataOptionsBypassConsent: 1,
  };
  const start = () =>
    Lemonldap.launch(port, issuer, {
      ...{ domain: 'localhost', authentication: 'Demo', userDB: 'Same', requireToken: 0 },
      locationRules: { localhost: { default: 'accept' } },
      demoExportedVars: { cn: 'cn', mail: 'mail', uid: 'uid' },
      macros: { emailVerified: '1' },
      ...{ issuerDBOpenIDConnectActivation: 1, oidcServiceMetaDataIssuer: issuer },
      ...signingKey(),
      oidcRPMetaDataOptions: { gatehouse: client },
      oidcRPMetaDataExportedVars: {
        gatehouse: { email: 'mail', email_verified: 'emailVerified;bool;auto', name: 'cn', preferred_username: 'uid' },
      },
    });
  let portal = await start();
  return {
    ...{ issuer, clientId: 'gatehouse', clientSecret },
    /** Signs the user in. Returns the callback. */
    async visit(url: string): Promise<URL> {
      const open = cookieBrowser(cert);
      await open(url);
      const { location, text } = await open(url, { user: USER, password: USER });
      if (!location) throw new Error(`the portal shows no redirect: ${text.slice(0, 2000)}`);
      return new URL(location);
    },
    /** Restarts the portal with another signing key. */
    async rotate(): Promise<void> {
      await portal.close();
      portal = await start();
    },
    async close(): Promise<void> {
      await portal.close();
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}
