// Must be first: removes the fragment of the link from the address bar.
import './core/fragment.js';
import './kit/tokens.css';
import './kit/base.css';
import './kit/frame.css';
import './kit/controls.css';
import './kit/surfaces.css';
import './kit/lists.css';
import './kit/shown.css';
import { render } from 'preact';
import { applyAccentColor } from './core/brand.js';
import { preferredLanguage, setLanguage } from './core/language.js';
import { followLanguage } from './core/locale.js';
import { applyTheme } from './core/theme.js';
import { pageOf } from './pages.js';
// Included in the first file, because nearly every page uses it.
import './core/action.js';
import './core/captcha.js';
import './core/history-state.js';
import './core/link.js';
import './core/passkeys.js';
import './core/redirects.js';
import './kit/button.js';
import './kit/decision-button.js';
import './kit/field.js';
import './kit/frame.js';
import './kit/new-password.js';
import './kit/notice.js';
import './kit/shown.js';
import './sign-in/second-factor.js';
import './sign-in/sign-in.js';
import './sign-in/signed-in.js';

applyAccentColor();
applyTheme();
followLanguage();

// No top-level await, because the loaded pages import this module and need it to be complete.
async function open(): Promise<void> {
  const [{ default: Page }] = await Promise.all([pageOf(location.pathname), setLanguage(preferredLanguage())]);
  render(<Page />, document.getElementById('page') as HTMLElement);
}

void open();
if (import.meta.env.MODE === 'development') void import('./core/reload.js').then(({ watchBuild: watch }) => watch());
