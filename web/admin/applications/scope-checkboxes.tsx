import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Choice } from '../../kit/field.js';

interface ScopeCheckboxesProps {
  /** Prefix of the names of the checkboxes. */
  readonly name: string;
  readonly scopes: readonly string[];
  readonly chosen: Signal<readonly string[]>;
  labelOf(scope: string): ComponentChildren;
}

/** A checkbox for each scope. */
export const ScopeCheckboxes = ({ name, scopes, chosen, labelOf }: ScopeCheckboxesProps) => (
  <>
    {scopes.map((scope) => (
      <Choice
        key={scope}
        name={`${name}-${scope}`}
        label={labelOf(scope)}
        checked={chosen.value.includes(scope)}
        onChecked={(isChosen) => {
          const others = chosen.value.filter((other) => other !== scope);
          chosen.value = isChosen ? [...others, scope] : others;
        }}
      />
    ))}
  </>
);
