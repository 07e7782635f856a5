import { useSignal } from '@preact/signals';
import { linesOf } from '../parts/lines-field.js';
import { CLAIMS, type Claim, type Connection, type SwitchName, type TextName } from './connection.js';

/** The values of the form, as the user enters them. */
interface Values {
  readonly texts: Readonly<Partial<Record<TextName, string>>>;
  readonly switches: Readonly<Partial<Record<SwitchName, boolean>>>;
  readonly claims: Readonly<Partial<Record<Claim, string>>>;
  readonly domains?: string;
  readonly position?: string;
  /** A new client secret. Null removes the stored one. */
  readonly secret?: string | null;
}

const NONE: Values = { texts: {}, switches: {}, claims: {} };

/** The members of a request that changes a connection. */
export type Changes = Partial<
  Record<Exclude<TextName, 'display_name'>, string | null> & Record<SwitchName, boolean>
> & {
  readonly display_name?: string;
  readonly claims?: Partial<Record<Claim, string>> | null;
  readonly allowed_domains?: string[];
  readonly position?: number;
  readonly client_secret?: string | null;
};

/** Unsaved changes of a connection. Only these are sent, so that the values of a preset are not stored. */
export function useDraft(stored: Connection) {
  const typed = useSignal<Values>(NONE);
  const change = (values: Partial<Values>) => {
    typed.value = { ...typed.value, ...values };
  };
  const textOf = (name: TextName): string => typed.value.texts[name] ?? stored[name] ?? '';
  const switchOf = (name: SwitchName): boolean => typed.value.switches[name] ?? stored[name];
  const claimOf = (name: Claim): string => typed.value.claims[name] ?? stored.claims?.[name] ?? '';
  const domains = typed.value.domains ?? stored.allowed_domains.join('\n');
  const position = typed.value.position ?? String(stored.position);
  const secret = typed.value.secret === undefined ? '' : typed.value.secret;

  /** The members to send. */
  function body(): Changes {
    const texts = (Object.keys(typed.value.texts) as TextName[])
      .filter((name) => textOf(name).trim() !== (stored[name] ?? ''))
      .map((name) => [name, textOf(name).trim() || (name === 'display_name' ? '' : null)]);
    const switches = (Object.keys(typed.value.switches) as SwitchName[])
      .filter((name) => switchOf(name) !== stored[name])
      .map((name) => [name, switchOf(name)]);
    const claims = CLAIMS.map((name) => [name, claimOf(name).trim()]).filter(([, path]) => path);
    const isMapped = CLAIMS.some((name) => claimOf(name).trim() !== (stored.claims?.[name] ?? ''));
    const isListed = linesOf(domains).join() !== stored.allowed_domains.join();
    return {
      ...Object.fromEntries([...texts, ...switches]),
      ...(isMapped && { claims: claims.length === 0 ? null : Object.fromEntries(claims) }),
      ...(isListed && { allowed_domains: linesOf(domains) }),
      ...(position !== String(stored.position) && { position: Number(position) }),
      ...(secret !== '' && { client_secret: secret }),
    };
  }

  return {
    ...{ change, textOf, switchOf, claimOf, domains, position, secret, body },
    setText: (name: TextName, text: string) => change({ texts: { ...typed.value.texts, [name]: text } }),
    setSwitch: (name: SwitchName, isOn: boolean) => change({ switches: { ...typed.value.switches, [name]: isOn } }),
    setClaim: (name: Claim, path: string) => change({ claims: { ...typed.value.claims, [name]: path } }),
    clear: () => {
      typed.value = NONE;
    },
  };
}

export type Draft = ReturnType<typeof useDraft>;
