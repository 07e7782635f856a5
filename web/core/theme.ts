const KEY = 'gatehouse.theme';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export const currentTheme = (): Theme => {
  const stored = localStorage.getItem(KEY);
  return THEMES.find((name) => name === stored) ?? 'system';
};

/** Applies the color scheme of the account, or of the system by default. It is stored for the pages before sign-in. */
export function applyTheme(theme?: Theme): void {
  if (theme) localStorage.setItem(KEY, theme);
  const wanted = currentTheme();
  if (wanted === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = wanted;
}
