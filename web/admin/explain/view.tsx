import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { t } from '../../core/language.js';
import { navigate, path, query } from '../../core/views.js';
import { Judgement, Verdict } from './answer.js';
import { Examples } from './examples.js';
import './explain.css';
import { QuestionForm } from './form.js';
import { bodyOf, type Explained, explainUrl, pathOf, questionFrom } from './question.js';

/** The URL contains the request, so that it can be shared. Opening it runs the request immediately. */
export default function Explain() {
  const said = query.value;
  const draft = useSignal(questionFrom(said));
  const response = useSignal<{ readonly asked: string; readonly explained: Explained } | null>(null);
  const place = useRef<HTMLElement>(null);
  const asking = useAction(
    async () => {
      for (let requested: string | null = null; requested !== query.value; ) {
        requested = query.value;
        const question = questionFrom(requested);
        if (!question.path) return;
        response.value = {
          asked: requested,
          explained: await api.post('/v1/admin/explain', { body: bodyOf(question) }),
        };
      }
    },
    { fields: ['path'] },
  );
  useEffect(() => {
    const question = questionFrom(said);
    if (explainUrl(draft.value) !== explainUrl(question)) draft.value = question;
    if (question.path) void asking.run();
  }, [said, draft, asking]);
  const submit = () => {
    draft.value = { ...draft.value, path: pathOf(draft.value.path) };
    const next = explainUrl(draft.value);
    if (next === path.value + query.value) void asking.run();
    else navigate(next);
  };
  // Do not show the result of a different request.
  const explanation = response.value?.asked === said ? response.value.explained : null;
  useEffect(() => {
    if (explanation) place.current?.scrollIntoView({ block: 'nearest' });
  }, [explanation]);
  return (
    <>
      <section class="section" aria-labelledby="question">
        <h2 id="question">{t('adminExplain.question')}</h2>
        <p class="quiet">{t('adminExplain.lead')}</p>
        <Examples />
        <QuestionForm draft={draft} action={asking} onAsked={submit} />
      </section>
      <section class={explanation ? 'section judgement' : undefined} aria-label={t('adminExplain.answer')} ref={place}>
        {explanation && <h2>{t('adminExplain.answer')}</h2>}
        <div role="status">{explanation && <Verdict of={explanation} />}</div>
        {explanation && <Judgement of={explanation} />}
      </section>
    </>
  );
}
