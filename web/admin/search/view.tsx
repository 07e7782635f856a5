import { useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import { t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import { queryParameter, setQueryParameters } from '../parts/address.js';
import { Results } from './results.js';
import { queryOf } from './search-terms.js';
import './search.css';
import { useSearchFocus } from './shortcut.js';
import { Start } from './start.js';

/** Replaces line breaks with spaces on paste. A single-line input would remove them and join words. */
function pasteAsOneLine(event: ClipboardEvent): void {
  const pasted = event.clipboardData?.getData('text/plain') ?? '';
  if (!/[\r\n]/.test(pasted) || !(event.currentTarget instanceof HTMLInputElement)) return;
  event.preventDefault();
  const { currentTarget: input } = event;
  const [start, end] = [input.selectionStart ?? 0, input.selectionEnd ?? 0];
  input.setRangeText(pasted.replace(/[\r\n]+/g, ' '), start, end, 'end');
  input.dispatchEvent(new Event('input', { bubbles: true }));
}

interface BoxProps {
  /** The query in the URL. */
  readonly query: string;
  readonly onSearch: (query: string) => void;
}

function Box({ query, onSearch }: BoxProps) {
  const id = useId();
  const text = useSignal(query);
  const field = useRef<HTMLInputElement>(null);
  useSearchFocus(field);
  useEffect(() => {
    text.value = query;
  }, [query, text]);
  const search = (event: Event) => {
    event.preventDefault();
    const next = queryOf(text.value);
    text.value = next;
    onSearch(next);
  };
  return (
    <search>
      <form class="field" onSubmit={search}>
        <label for={id}>{t('adminSearch.label')}</label>
        <div class="search-line">
          <input
            id={id}
            ref={field}
            type="search"
            name="q"
            class="input"
            dir="auto"
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            aria-describedby={`${id}-hint`}
            value={text.value}
            onInput={(event) => {
              text.value = event.currentTarget.value;
            }}
            onPaste={pasteAsOneLine}
          />
          <Button submits>{t('adminSearch.submit')}</Button>
        </div>
        <div class="hint" id={`${id}-hint`}>
          {t('adminSearch.hint')}
        </div>
      </form>
    </search>
  );
}

/** One search box for everything. The query is stored in the URL. */
export default function Search() {
  const query = queryParameter('q') ?? '';
  // Repeating the same search runs it again.
  const times = useSignal(0);
  const search = (next: string) => {
    times.value++;
    setQueryParameters({ q: next });
  };
  return (
    <>
      <Box query={query} onSearch={search} />
      {query ? <Results key={`${times.value} ${query}`} of={query} /> : <Start />}
    </>
  );
}
