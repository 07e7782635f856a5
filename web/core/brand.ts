interface Accent {
  /** Background color of filled elements. */
  readonly accent: string;
  /** Text color on the accent color. */
  readonly on: string;
  /** Color of links and focus rings. */
  readonly text: string;
}

/** Configuration that is embedded in every page, so that no request is needed. */
export interface Brand {
  readonly product: string;
  readonly accent: Readonly<Record<'light' | 'dark', Accent>>;
  readonly logo: string | null;
  readonly support: string | null;
  readonly terms: string | null;
  readonly privacy: string | null;
  readonly gateway: string;
  /** The relying party ID of passkeys. */
  readonly rpId: string;
  /** Base URL of account images. */
  readonly media: string;
  /** True if the pages other than the consent page are enabled. */
  readonly pages: boolean;
  /** True if the administration console is enabled. */
  readonly admin: boolean;
  /** Hours within which a deletion can be canceled. */
  readonly deletionHours: number;
  /** Maximum lifetime of a personal access token in days. 0 if personal access tokens are turned off. */
  readonly tokenDays: number;
  /** True if emails go to the development inbox. */
  readonly development: boolean;
  /** True until the instance has an administrator. */
  readonly needsAdministrator: boolean;
  /** Set if the request for the page failed. */
  readonly error?: { readonly code: string; readonly requestId?: string };
}

const content = document.querySelector<HTMLMetaElement>('meta[name=gatehouse]')?.content ?? '{}';

export const brand = JSON.parse(content) as Brand;

/** Applies the accent colors of the platform in both color schemes (kit/tokens.css). */
export function applyAccentColor(): void {
  const { style } = document.documentElement;
  for (const [scheme, { accent, on, text }] of Object.entries(brand.accent)) {
    style.setProperty(`--accent-${scheme}`, accent);
    style.setProperty(`--on-accent-${scheme}`, on);
    style.setProperty(`--accent-text-${scheme}`, text);
  }
}
