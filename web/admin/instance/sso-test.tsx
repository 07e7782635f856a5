import type { paths, ResponseBody } from '@gatehouse-auth/client';
import { useSignal } from '@preact/signals';
import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { type TranslationKey, t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import { FailureNotice, Notice } from '../../kit/notice.js';
import { can } from '../rights.js';
import { detailText } from './sso-details.js';

export type SsoTestResult = ResponseBody<paths, '/v1/admin/instance/sso/test', 'post'>;
type Check = SsoTestResult['checks'][number];

const WORDS: Readonly<Record<Check['name'], readonly [good: TranslationKey, bad: TranslationKey]>> = {
  discovery: ['adminInstance.discoveryGood', 'adminInstance.discoveryBad'],
  endpoints: ['adminInstance.endpointsGood', 'adminInstance.endpointsBad'],
  jwks: ['adminInstance.keysGood', 'adminInstance.keysBad'],
  algorithms: ['adminInstance.algorithmsGood', 'adminInstance.algorithmsBad'],
};

const Found = ({ check: { name, ok, detail } }: { readonly check: Check }) => (
  <li>
    {t(WORDS[name][ok ? 0 : 1])} <bdi class="small">{detailText(detail)}</bdi>
  </li>
);

interface TestResultProps {
  readonly of: SsoTestResult;
  readonly good: TranslationKey;
  readonly bad: TranslationKey;
}

/** The result of a test, with one line for each check. */
export const TestResult = ({ of: { ok, checks }, good, bad }: TestResultProps) => (
  <Notice kind={ok ? 'good' : 'bad'}>
    <p>{t(ok ? good : bad)}</p>
    <ul class="points">
      {checks.map((check) => (
        <Found key={check.name} check={check} />
      ))}
    </ul>
  </Notice>
);

/** Tests the connection to the identity provider. @param onTested called with whether it works */
export function SsoTest({ onTested }: { readonly onTested?: (isGood: boolean) => void }) {
  const result = useSignal<SsoTestResult | null>(null);
  const run = useAction(async () => {
    result.value = null;
    result.value = await api.post('/v1/admin/instance/sso/test');
    onTested?.(result.value.ok);
  });
  if (!can('post', '/v1/admin/instance/sso/test')) return null;
  return (
    <div class="stack tight">
      <p class="small quiet">{t('adminInstance.trialHint')}</p>
      <FailureNotice of={run} />
      {result.value && <TestResult of={result.value} good="adminInstance.trialGood" bad="adminInstance.trialBad" />}
      <div>
        <Button kind="plain" size="small" action={run}>
          {t('adminInstance.trial')}
        </Button>
      </div>
    </div>
  );
}
