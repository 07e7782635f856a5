import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Choice } from '../../kit/field.js';

/** A multiple choice, stored as differences from the current state. Concurrent changes elsewhere are kept. */
export interface Selection {
  readonly has: (name: string) => boolean;
  readonly turn: (name: string) => void;
  /** Selects exactly these of the offered names. Others stay as they are. */
  readonly choose: (names: readonly string[], offered: readonly string[]) => void;
}

export function useSelection(held: readonly string[]): Selection {
  const turned = useSignal<ReadonlySet<string>>(new Set());
  return {
    has: (name) => held.includes(name) !== turned.value.has(name),
    turn: (name) => {
      const next = new Set(turned.value);
      if (!next.delete(name)) next.add(name);
      turned.value = next;
    },
    choose: (names, offered) => {
      const others = [...turned.value].filter((name) => !offered.includes(name));
      const changed = offered.filter((name) => held.includes(name) !== names.includes(name));
      turned.value = new Set([...others, ...changed]);
    },
  };
}

interface ChoicesProps {
  readonly legend: string;
  readonly options: Readonly<Record<string, ComponentChildren>>;
  readonly of: Selection;
}

/** Checkboxes for the options. */
export const Choices = ({ legend, options, of: { has, turn } }: ChoicesProps) => (
  <fieldset class="lines">
    <legend>{legend}</legend>
    {Object.entries(options).map(([name, words]) => (
      <Choice key={name} name={name} label={words} checked={has(name)} onChecked={() => turn(name)} />
    ))}
  </fieldset>
);
