const KEY = 'gatehouse.theme';

export type Theme = 'system' | 'light' | 'dark';

/** Applies the color scheme of the account, or of the system by default. It is stored for the pages before sign-in. */
export function applyTheme(theme?: Theme): void {
  if (theme) localStorage.setItem(KEY, theme);
  const wanted = theme ?? localStorage.getItem(KEY) ?? 'system';
  if (wanted === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = wanted;
}
