import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type Action, toFailure } from '../core/action.js';
import { api } from '../core/api.js';
import { brand } from '../core/brand.js';
import { LANGUAGES, language, t } from '../core/language.js';
import { changeLanguage } from '../core/locale.js';
import { applyTheme, currentTheme, THEMES, type Theme } from '../core/theme.js';
import { Icon } from './icon.js';
import { Menu } from './menu.js';
import { Portrait } from './portrait.js';
import { toast } from './toast.js';

export interface MenuUser {
  readonly id: string;
  readonly username: string;
  readonly global_name: string | null;
  readonly avatar: string | null;
  readonly email: string | null;
  readonly acls: readonly string[];
}

const isAdministrator = ({ acls }: MenuUser): boolean =>
  brand.admin && (acls.includes('*') || acls.includes('admin:authenticate'));

const showFailure = (error: unknown): void => toast(toFailure(error).message ?? '');

async function chooseTheme(theme: Theme): Promise<void> {
  applyTheme(theme);
  await api.patch('/v1/users/@me/settings', { body: { theme } }).catch(showFailure);
}

export interface UserMenuProps {
  /** The signed-in user. Null until loaded; undefined if the menu loads it. */
  readonly user: MenuUser | null | undefined;
  readonly signOut: Action;
}

/** The avatar with the menu of the user: pages, color scheme, language and sign-out. */
export function UserMenu({ user: given, signOut }: UserMenuProps) {
  const own = useSignal<MenuUser | null>(null);
  const theme = useSignal(currentTheme());
  const isOwn = given === undefined;
  useEffect(() => {
    if (!isOwn) return;
    const set = (me: MenuUser) => {
      own.value = me;
    };
    void api.get('/v1/users/@me').then(set, () => {});
  }, [isOwn, own]);
  const user = given ?? own.value;
  const name = user?.global_name ?? user?.username ?? '';
  const pages = [
    { label: t('common.account'), path: '/account' },
    ...(user && isAdministrator(user) ? [{ label: t('common.console'), path: '/admin' }] : []),
  ];
  return (
    <Menu
      label={t('common.userMenu')}
      face={user ? <Portrait id={user.id} name={name} picture={user.avatar} /> : <Icon name="user" />}
      groups={[
        {
          label: user?.email ? `${name} · ${user.email}` : name,
          items: pages.map(({ label, path }) => ({ label, onChoose: () => location.assign(path) })),
        },
        {
          label: t('common.theme'),
          items: THEMES.map((option) => ({
            label: t(`common.theme_${option}`),
            isChecked: option === theme.value,
            onChoose: () => {
              theme.value = option;
              void chooseTheme(option);
            },
          })),
        },
        {
          items: [
            {
              label: t('common.languageForAll'),
              value: LANGUAGES[language.value],
              items: Object.entries(LANGUAGES).map(([lang, label]) => ({
                label,
                lang,
                isChecked: lang === language.value,
                onChoose: () => void changeLanguage(lang).catch(showFailure),
              })),
            },
          ],
        },
        { items: [{ label: t('common.signOut'), onChoose: () => void signOut.run() }] },
      ]}
    />
  );
}
