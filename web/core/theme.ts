const KEY = 'gatehouse.theme';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export const currentTheme = (): Theme => {
  const stored = localStorage.getItem(KEY);
  return THEMES.find((name) => name === stored) ?? 'system';
};

interface Bar {
  readonly element: HTMLMetaElement;
  readonly scheme: 'light' | 'dark';
  readonly color: string;
}

/** The colors that the browser uses around the page, one per color scheme (index.html). */
const bars = [...document.querySelectorAll<HTMLMetaElement>('meta[name=theme-color]')].map(
  (element): Bar => ({ element, scheme: element.media.includes('dark') ? 'dark' : 'light', color: element.content }),
);

/** Applies the color scheme of the account, or of the system by default. It is stored for the pages before sign-in. */
export function applyTheme(theme?: Theme): void {
  if (theme) localStorage.setItem(KEY, theme);
  const wanted = currentTheme();
  if (wanted === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = wanted;
  for (const { element, scheme } of bars) {
    const shown = wanted === 'system' ? scheme : wanted;
    element.content = bars.find((bar) => bar.scheme === shown)?.color ?? '';
  }
}
