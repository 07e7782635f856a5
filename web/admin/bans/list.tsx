import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { api } from '../../core/api.js';
import { t } from '../../core/language.js';
import { Choice } from '../../kit/field.js';
import { useLostFocus } from '../../kit/lost-focus.js';
import { useBatchRun } from '../parts/batch-run.js';
import { Pages, usePaged } from '../parts/paged.js';
import { can } from '../rights.js';
import { loadAuthors } from './authors.js';
import { type Ban, ENTRIES, ENTRY } from './ban.js';
import { About, LiftButton } from './entry.js';
import { Batch, lift } from './forms.js';
import { Outcome } from './outcome.js';

interface ItemProps {
  readonly ban: Ban;
  readonly isChosen: boolean;
  readonly onChosen: (isChosen: boolean) => void;
  readonly onLifted: () => void;
}

const Item = ({ ban, isChosen, onChosen, onLifted }: ItemProps) => {
  const value = <code dir="ltr">{ban.value}</code>;
  return (
    <li>
      <div class="stack tight ban">
        {can('delete', ENTRY) ? (
          <Choice name="chosen" label={value} checked={isChosen} onChecked={onChosen} />
        ) : (
          <strong>{value}</strong>
        )}
        <About ban={ban} />
      </div>
      {can('delete', ENTRY) && <LiftButton ban={ban} onLifted={onLifted} />}
    </li>
  );
};

/** The loaded bans without lifted ones, and the selection. */
function useBans(turn: number) {
  const paged = usePaged<Ban>(async (known) => {
    const after = known.at(-1)?.value;
    const { items, has_more: hasMore } = await api.get(ENTRIES, { query: after === undefined ? {} : { after } });
    await loadAuthors(items);
    return { items, hasMore };
  });
  const lifted = useSignal<ReadonlySet<string>>(new Set());
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  const items = useComputed(() => paged.items.value?.filter(({ value }) => !lifted.value.has(value)) ?? null);
  const { run } = paged.again;
  const again = useRef(() => {
    lifted.value = new Set();
    return run();
  }).current;
  useEffect(() => {
    if (turn > 0) void again();
  }, [turn, again]);
  const drop = (values: readonly string[]) => {
    lifted.value = new Set([...lifted.value, ...values]);
    chosen.value = new Set([...chosen.value].filter((value) => !values.includes(value)));
    // If the list becomes empty, there may be further pages.
    if (items.value?.length === 0) void again();
  };
  return { paged: { ...paged, items }, chosen, drop };
}

/** All active bans, in pages, with buttons to lift one or many. */
export function Bans({ turn, onLifted }: { readonly turn: number; readonly onLifted: () => void }) {
  const { paged, chosen, drop } = useBans(turn);
  const many = useBatchRun();
  const heading = useRef<HTMLHeadingElement>(null);
  useLostFocus(heading);
  const shown = paged.items.value ?? [];
  const values = shown.map(({ value }) => value).filter((value) => chosen.value.has(value));
  const choose = (of: readonly string[]) => (isChosen: boolean) => {
    const rest = [...chosen.value].filter((value) => !of.includes(value));
    chosen.value = new Set(isChosen ? [...rest, ...of] : rest);
  };
  const gone = (lifted: readonly string[]) => {
    drop(lifted);
    onLifted();
  };
  return (
    <section class="section" aria-labelledby="bans">
      <h2 id="bans" ref={heading} tabIndex={-1}>
        {t('adminBans.inForce')}
      </h2>
      {can('delete', ENTRY) && shown.length > 1 && (
        <Choice
          name="all"
          label={t('adminBans.allShown')}
          checked={values.length === shown.length}
          onChecked={choose(shown.map(({ value }) => value))}
        />
      )}
      <Pages of={paged} empty={t('adminBans.none')}>
        {(bans) => (
          <ul class="list" aria-labelledby="bans">
            {bans.map((ban) => (
              <Item
                key={ban.value}
                ban={ban}
                isChosen={chosen.value.has(ban.value)}
                onChosen={choose([ban.value])}
                onLifted={() => gone([ban.value])}
              />
            ))}
          </ul>
        )}
      </Pages>
      {values.length > 0 && (
        <Batch
          items={values}
          many={many}
          label={t('adminBans.liftSubmit')}
          what={t('adminBans.liftMany', { count: values.length })}
          kind="plain"
          work={lift}
          onDone={(left) => gone(values.filter((value) => !left.includes(value)))}
        />
      )}
      <Outcome of={many} done="adminBans.lifted" />
    </section>
  );
}
