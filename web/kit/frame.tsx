import { type Signal, useSignal } from '@preact/signals';
import { type ComponentChildren, createContext } from 'preact';
import { useContext, useLayoutEffect, useRef } from 'preact/hooks';
import { brand } from '../core/brand.js';
import { LANGUAGES, language, setLanguage, type TranslationKey, t } from '../core/language.js';
import { Select } from './field.js';
import { Toasts, toast } from './toast.js';

export interface FrameProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** Content below the card, such as links to other pages. */
  readonly below?: ComponentChildren;
  readonly isWide?: boolean;
}

export const Mark = () =>
  brand.logo ? (
    <img class="logo" src={brand.logo} alt="" />
  ) : (
    <span class="mark" aria-hidden="true">
      {[...brand.product][0]}
    </span>
  );

const chooseLanguage = (wanted: string): void => void setLanguage(wanted, true).catch(() => toast(t('common.offline')));

const LanguageSwitch = () => (
  <Select
    isInline
    name="language"
    label={t('common.language')}
    value={language.value}
    options={LANGUAGES}
    onValue={chooseLanguage}
  />
);

const Links = () => (
  <>
    {brand.support && <a href={brand.support}>{t('common.support')}</a>}
    {brand.terms && <a href={brand.terms}>{t('common.terms')}</a>}
    {brand.privacy && <a href={brand.privacy}>{t('common.privacy')}</a>}
  </>
);

const Step = createContext<Signal<TranslationKey | null> | null>(null);

/** Sets the page title while the caller is mounted, for steps that several pages share. */
export function useStep(title: TranslationKey): void {
  const step = useContext(Step);
  useLayoutEffect(() => {
    if (!step) return undefined;
    step.value = title;
    return () => {
      step.value = null;
    };
  }, [step, title]);
}

/**
 * A page with one card. When the title changes, the heading or the first field gets the focus, so that screen readers
 * announce the new step.
 */
export function Frame({ title: own, children, below, isWide }: FrameProps) {
  const step = useSignal<TranslationKey | null>(null);
  const title = step.value ? t(step.value) : own;
  const heading = useRef<HTMLHeadingElement>(null);
  const former = useRef<{ title: string; language: string } | null>(null);
  useLayoutEffect(() => {
    const now = { title, language: language.value };
    document.title = `${title} · ${brand.product}`;
    // A language change is not a new step.
    // The first field of a step has taken the focus already.
    const isTaken = document.activeElement?.hasAttribute('data-first');
    if (former.current && former.current.title !== title && former.current.language === now.language && !isTaken) {
      heading.current?.focus();
    }
    former.current = now;
  }, [title]);
  return (
    <div class="frame">
      <header>
        <Mark />
        <span>{brand.product}</span>
      </header>
      <main class={isWide ? 'wide' : undefined}>
        <div class="card stack">
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          <Step.Provider value={step}>{children}</Step.Provider>
        </div>
        {below && <div class="below stack tight">{below}</div>}
      </main>
      <footer>
        <LanguageSwitch />
        <Links />
        {brand.development && <a href="/dev/inbox">{t('common.inbox')}</a>}
      </footer>
      <Toasts />
    </div>
  );
}
