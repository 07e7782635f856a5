import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { t } from '../../core/language.js';
import { Button } from '../../kit/button.js';

export interface ReadProps {
  readonly id: string;
  readonly title: string;
  /** What is there to be read. */
  readonly what: string;
  /** On the button that asks for it. */
  readonly label: string;
  readonly children: ComponentChildren;
}

/** Something of which every reading is written down: it is asked for by a button, and not by opening the page. */
export function Read({ id, title, what, label, children }: ReadProps) {
  const isOpen = useSignal(false);
  const heading = useRef<HTMLHeadingElement>(null);
  return (
    <section class="section" aria-labelledby={id}>
      <h2 id={id} ref={heading} tabIndex={-1}>
        {title}
      </h2>
      <p class="quiet">
        {what} {t('adminPerson.readIsKept')}
      </p>
      {isOpen.value ? (
        children
      ) : (
        <div>
          <Button
            kind="plain"
            onClick={() => {
              isOpen.value = true;
              heading.current?.focus();
            }}
          >
            {label}
          </Button>
        </div>
      )}
    </section>
  );
}
