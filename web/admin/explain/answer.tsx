import { findTranslation, rich, t, wordsOfCode } from '../../core/language.js';
import { Facts } from '../../kit/facts.js';
import { Notice } from '../../kit/notice.js';
import { Badge } from '../../kit/portrait.js';
import { CopyButton } from '../../kit/shown.js';
import type { Explained } from './question.js';

type Row = Explained['rows'][number];
type Route = NonNullable<Explained['route']>;

const MARKS: Readonly<Record<Row['judgement'], string>> = { passes: '✓', refuses: '✕', depends: '?', unreached: '–' };

const Code = ({ children }: { readonly children: string | number }) => <code dir="ltr">{children}</code>;

const CodeWords = ({ code }: { readonly code: string }) => (
  <>
    <Code>{code}</Code> {wordsOfCode(code)}
  </>
);

const RowItem = ({ row: { row, judgement, codes }, decides }: { readonly row: Row; readonly decides: boolean }) => (
  <li class={`judged ${judgement}`}>
    <span class="sign" aria-hidden="true">
      {MARKS[judgement]}
    </span>
    <div class="stack tight">
      <div class="row">
        <strong>{findTranslation(`adminExplain.row:${row}`) ?? <Code>{row}</Code>}</strong>
        {decides && <Badge>{t('adminExplain.decides')}</Badge>}
      </div>
      <span>{t(`adminExplain.judged:${judgement}`)}</span>
      {codes.length > 0 && (
        <ul class="small quiet codes-of-row">
          {codes.map((code) => (
            <li key={code}>
              <CodeWords code={code} />
            </li>
          ))}
        </ul>
      )}
    </div>
  </li>
);

const RouteFacts = ({ route }: { readonly route: Route }) => (
  <Facts
    facts={[
      ['adminExplain.route', <Code>{`${route.method} ${route.path}`}</Code>],
      ['adminExplain.handler', <Code>{route.handler}</Code>],
      ['adminExplain.policy', <Code>{route.policy}</Code>],
      [
        'adminExplain.body',
        route.body_limit === null
          ? t('adminExplain.bodyNone')
          : t('adminExplain.bodySome', { kind: route.body, limit: route.body_limit }),
      ],
    ]}
  />
);

/** The result in one sentence. */
export function Verdict({ of: { route, answer: response, decides } }: { readonly of: Explained }) {
  const status = <Code>{response.status}</Code>;
  const code = <Code>{response.code ?? ''}</Code>;
  if (!route) {
    return (
      <Notice kind="warn" isAnnounced={false}>
        <p>{rich('adminExplain.unknown', { status, code })}</p>
      </Notice>
    );
  }
  if (response.admitted) {
    return (
      <Notice kind="good" isAnnounced={false}>
        <p>{rich('adminExplain.admitted', { status })}</p>
      </Notice>
    );
  }
  return (
    <Notice kind="bad" isAnnounced={false}>
      <p>{rich('adminExplain.refused', { row: <Code>{decides ?? ''}</Code>, status, code })}</p>
      <p>{response.code && (wordsOfCode(response.code) ?? response.message)}</p>
    </Notice>
  );
}

/** All guards with their results, the deciding guard, and the route. */
export const Judgement = ({ of: { route, rows, decides } }: { readonly of: Explained }) => (
  <>
    {route && <RouteFacts route={route} />}
    <h3 id="rows">{t('adminExplain.rows')}</h3>
    <ol class="list" aria-labelledby="rows">
      {rows.map((row) => (
        <RowItem key={row.row} row={row} decides={row.row === decides} />
      ))}
    </ol>
    <div>
      <CopyButton text={location.href} label={t('adminExplain.copyLink')} />
    </div>
  </>
);
