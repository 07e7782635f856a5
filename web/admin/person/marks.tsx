import type { ComponentChildren } from 'preact';
import { t } from '../../core/language.js';
import type { Mark } from './account.js';

/** Flags, traits, requirements or permissions, with their meaning. */
export const Marks = ({ of: marks }: { readonly of: readonly Mark[] }): ComponentChildren =>
  marks.length === 0 ? (
    t('adminPerson.none')
  ) : (
    <ul class="person-marks">
      {marks.map(({ name, words }) => (
        <li key={name}>
          {words && <>{words} </>}
          <code dir="ltr" class={words ? 'quiet small' : undefined}>
            {name}
          </code>
        </li>
      ))}
    </ul>
  );
