import { useAction } from '../../core/action.js';
import { rich, t, wordsOfCode } from '../../core/language.js';
import { DecisionButton } from '../../kit/decision-button.js';
import { FailureNotice, Notice } from '../../kit/notice.js';
import { errorTarget, faultyParameter } from './request.js';

/** The standard errors of faults that the page finds itself. */
const ERRORS: Readonly<Record<string, string>> = { INVALID_REQUEST: 'invalid_request', INVALID_SCOPE: 'invalid_scope' };

export interface FaultyView {
  readonly kind: 'fault';
  readonly code: string;
  /** The URL that reports the error to the application. Absent if the application is unknown. */
  readonly target?: string | undefined;
}

/** An error of the request itself, which the user cannot fix. */
export async function faultyView(code: string): Promise<FaultyView> {
  const reported = new URLSearchParams(location.search).get('error') ?? 'invalid_request';
  const target = await errorTarget(location.search, ERRORS[code] ?? reported).catch(() => undefined);
  return { kind: 'fault', code, target };
}

interface FaultProps {
  readonly view: FaultyView;
  readonly onReturn: (target: string) => Promise<void>;
}

/** The application gets the error only after a press (RFC 9700 section 4.11). */
export function Fault({ view: { code, target }, onReturn }: FaultProps) {
  const parameter = faultyParameter(location.search);
  const back = useAction(async () => target && onReturn(target));
  return (
    <>
      <Notice kind="bad">
        {code === 'REQUEST_NOT_SUPPORTED' ? t('consent.faultUnsupported') : wordsOfCode(code)}
        {parameter && (
          <p class="small">{rich('consent.faultParameter', { parameter: <code dir="ltr">{parameter}</code> })}</p>
        )}
      </Notice>
      <p>{t('consent.faultNothing')}</p>
      {target && (
        <>
          <FailureNotice of={back} />
          <DecisionButton action={back} kind="plain" size="wide">
            {t('consent.faultReturn')}
          </DecisionButton>
        </>
      )}
    </>
  );
}
