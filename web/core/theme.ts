const KEY = 'gatehouse.theme';

export type Theme = 'system' | 'light' | 'dark';

/** The scheme that the account wants, or the system where it says nothing; remembered for the pages before sign-in. */
export function wearTheme(theme?: Theme): void {
  if (theme) localStorage.setItem(KEY, theme);
  const wanted = theme ?? localStorage.getItem(KEY) ?? 'system';
  if (wanted === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = wanted;
}
