export interface Finding {
  readonly state: 'ok' | 'warning' | 'fault';
  readonly about: string;
  readonly detail: string;
  /** How to fix it. */
  readonly fix?: string;
}

export const ok = (about: string, detail: string): Finding => ({ state: 'ok', about, detail });
export const warning = (about: string, detail: string, fix: string): Finding => ({
  state: 'warning',
  about,
  detail,
  fix,
});
export const fault = (about: string, detail: string, fix: string): Finding => ({
  state: 'fault',
  about,
  detail,
  fix,
});
