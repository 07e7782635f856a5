import { api } from './api.js';

interface Browser {
  readonly PasswordCredential?: new (data: { readonly id: string; readonly password: string }) => Credential;
}

/**
 * Offers a new password to the password manager, with the email address of its account. Browsers without this interface
 * read the form when it is removed. Errors are ignored, because the password is already changed.
 * @param token the session of the account
 * @returns the email address
 */
export async function offerPassword(token: string, password: string): Promise<string | null> {
  try {
    const { email } = await api.get('/v1/users/@me', { headers: { authorization: token } });
    const { PasswordCredential } = globalThis as Browser;
    if (email && PasswordCredential) {
      navigator.credentials.store(new PasswordCredential({ id: email, password })).catch(() => {});
    }
    return email;
  } catch {
    return null;
  }
}
