interface Accent {
  /** Of what is filled with it. */
  readonly accent: string;
  /** Of what stands on it. */
  readonly on: string;
  /** Of links and the focus. */
  readonly text: string;
}

/** What the service says of itself in every page, so that nothing has to be asked for first. */
export interface Brand {
  readonly product: string;
  readonly accent: Readonly<Record<'light' | 'dark', Accent>>;
  readonly logo: string | null;
  readonly support: string | null;
  readonly terms: string | null;
  readonly privacy: string | null;
  readonly gateway: string;
  /** For which passkeys are made. */
  readonly rpId: string;
  /** Below it stand the pictures of accounts. */
  readonly media: string;
  /** Whether the other pages are there, beside that for consent. */
  readonly pages: boolean;
  /** Whether the pages of administrators are there. */
  readonly admin: boolean;
  /** How many hours a deletion can be cancelled for. */
  readonly deletionHours: number;
  /** Whether mail goes to the development inbox. */
  readonly development: boolean;
}

const content = document.querySelector<HTMLMetaElement>('meta[name=gatehouse]')?.content ?? '{}';

export const brand = JSON.parse(content) as Brand;

/** Wears the platform's accent, in both schemes (kit/tokens.css). */
export function wearAccent(): void {
  const { style } = document.documentElement;
  for (const [scheme, { accent, on, text }] of Object.entries(brand.accent)) {
    style.setProperty(`--accent-${scheme}`, accent);
    style.setProperty(`--on-accent-${scheme}`, on);
    style.setProperty(`--accent-text-${scheme}`, text);
  }
}
