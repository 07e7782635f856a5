import { UserManager } from 'oidc-client-ts';

const { VITE_GATEHOUSE_URL, VITE_CLIENT_ID } = import.meta.env;

const manager = new UserManager({
  authority: VITE_GATEHOUSE_URL,
  client_id: VITE_CLIENT_ID,
  redirect_uri: `${location.origin}/`,
  post_logout_redirect_uri: `${location.origin}/`,
  scope: 'openid profile email',
  // Tokens are renewed with the refresh token. Pages of the service do not open in frames.
  automaticSilentRenew: true,
});

/** Completes the sign-in if the service has sent the user back, and removes the code from the URL. */
async function arrive() {
  const parameters = new URLSearchParams(location.search);
  if (!parameters.has('state')) return;
  history.replaceState(null, '', '/');
  if (parameters.has('code')) await manager.signinCallback(`${location.origin}/?${parameters}`);
}

async function show() {
  const user = await manager.getUser();
  // Identify users only by `sub`, because names and email addresses can change.
  document.querySelector('#user').textContent = user ? `${user.profile.name} (${user.profile.sub})` : 'Signed out';
  document.querySelector('#sign-in').hidden = Boolean(user);
  document.querySelector('#sign-out').hidden = !user;
}

document.querySelector('#sign-in').onclick = () => manager.signinRedirect();
document.querySelector('#sign-out').onclick = () => manager.signoutRedirect();

await arrive().catch((error) => console.error(error));
await show();
