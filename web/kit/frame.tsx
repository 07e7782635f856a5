import { type Signal, useSignal } from '@preact/signals';
import { type ComponentChildren, createContext } from 'preact';
import { useContext, useLayoutEffect, useRef } from 'preact/hooks';
import { brand } from '../core/brand.js';
import { LANGUAGES, language, speak, t, type Words } from '../core/language.js';
import { Select } from './field.js';
import { Toasts, toast } from './toast.js';

export interface FrameProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** What stands below the card, such as the way to another page. */
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

export const LanguageSwitch = () => (
  <Select
    isInline
    name="language"
    label={t('common.language')}
    value={language.value}
    options={LANGUAGES}
    onValue={(value) => void speak(value, true).catch(() => toast(t('common.offline')))}
  />
);

const Links = () => (
  <>
    {brand.support && <a href={brand.support}>{t('common.support')}</a>}
    {brand.terms && <a href={brand.terms}>{t('common.terms')}</a>}
    {brand.privacy && <a href={brand.privacy}>{t('common.privacy')}</a>}
  </>
);

const Step = createContext<Signal<Words | null> | null>(null);

/** The title of the page for as long as the caller stands in it: a step of something that several pages have. */
export function useStep(title: Words): void {
  const step = useContext(Step);
  useLayoutEffect(() => {
    if (!step) return undefined;
    step.value = title;
    return () => {
      step.value = null;
    };
  }, [step, title]);
}

/** A page with one card. A new title is a new step: it is read, and the keyboard starts there. */
export function Frame({ title: own, children, below, isWide }: FrameProps) {
  const step = useSignal<Words | null>(null);
  const title = step.value ? t(step.value) : own;
  const heading = useRef<HTMLHeadingElement>(null);
  const former = useRef<{ title: string; language: string } | null>(null);
  useLayoutEffect(() => {
    const now = { title, language: language.value };
    document.title = `${title} · ${brand.product}`;
    // Other words for the same step are no other step.
    if (former.current && former.current.title !== title && former.current.language === now.language) {
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
