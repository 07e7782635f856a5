import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

const KEY = 'gatehouse.email';

/** The email address that the user last typed in this tab before signing in. */
export const typedEmail = (): string => sessionStorage.getItem(KEY) ?? '';

export const forgetTypedEmail = (): void => sessionStorage.removeItem(KEY);

/** The value of an email field. The other pages before sign-in start with it. It is never in a URL. */
export function useTypedEmail(first = typedEmail()): Signal<string> {
  const email = useSignal(first);
  const { value } = email;
  useEffect(() => {
    if (value) sessionStorage.setItem(KEY, value.trim());
    else forgetTypedEmail();
  }, [value]);
  return email;
}
