import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import type { Kept } from './fresh.js';

export interface ReadProps {
  readonly id: string;
  readonly title: string;
  /** A description of the data. */
  readonly what?: string;
  /** Label of the button that loads it. */
  readonly label: string;
  /** The data, if it is loaded already. */
  readonly kept: Kept<unknown>;
  readonly children: ComponentChildren;
}

/** Data whose access is recorded in the audit log. It is loaded by a button instead of with the page. */
export function Read({ id, title, what, label, kept, children }: ReadProps) {
  const isOpen = useSignal(kept.value.value !== null);
  const heading = useRef<HTMLHeadingElement>(null);
  return (
    <section class="section" aria-labelledby={id} tabIndex={-1}>
      <h2 id={id} ref={heading} tabIndex={-1}>
        {title}
      </h2>
      <p class="quiet">
        {what && `${what} `}
        {t('adminPerson.readIsKept')}
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
