import type { Signal } from '@preact/signals';
import { api } from '../../core/api.js';
import { localizedText, type TranslationKey, t } from '../../core/language.js';
import { Choice } from '../../kit/field.js';
import { Loading, useLoaded } from '../../kit/loaded.js';
import type { EventType } from './endpoint.js';

/** What an event reports: a built-in translation, or the text of its extension. */
function EventWords({ of: { name, words } }: { readonly of: EventType }) {
  if (!words) return <span>{t(`adminEvents.${name.replace('.', '_')}` as TranslationKey)}</span>;
  const said = localizedText(words);
  return (
    <span lang={said.language} dir="auto">
      {said.text}
    </span>
  );
}

/** Checkboxes for the types of events. */
export function EventTypes({ chosen }: { readonly chosen: Signal<readonly string[]> }) {
  const loaded = useLoaded(async () => (await api.get('/v1/admin/event-types')).event_types);
  return (
    <fieldset class="lines">
      <legend>{t('adminEvents.types')}</legend>
      <Loading of={loaded}>
        {(types) => (
          <>
            {types.map((type) => (
              <Choice
                key={type.name}
                name={`type.${type.name}`}
                checked={chosen.value.includes(type.name)}
                onChecked={(isChosen) => {
                  const others = chosen.value.filter((name) => name !== type.name);
                  chosen.value = isChosen ? [...others, type.name] : others;
                }}
                label={
                  <span class="stack">
                    <code dir="ltr">{type.name}</code>
                    <span class="small quiet">
                      <EventWords of={type} />
                    </span>
                  </span>
                }
              />
            ))}
          </>
        )}
      </Loading>
    </fieldset>
  );
}
