import type { Flaw } from './faults.js';
import type { Operation } from './operations.js';
import type { Sent } from './requests.js';

/** Error codes that a schema can predict. */
const OF_FORM: ReadonlySet<string> = new Set([
  ...['INVALID_FORMAT', 'CONTENT_EXCEEDS_MAX_LENGTH', 'STRING_LENGTH_EXACT', 'INVALID_SNOWFLAKE_FORMAT'],
  ...['SNOWFLAKE_OUT_OF_RANGE', 'EMAIL_LENGTH_INVALID', 'INVALID_EMAIL_FORMAT', 'INVALID_EMAIL_LOCAL_PART'],
  ...['INVALID_URL_FORMAT', 'BASE64_LENGTH_INVALID', 'INVALID_BASE64_FORMAT', 'PASSWORD_LENGTH_INVALID'],
  ...['USERNAME_LENGTH_INVALID', 'USERNAME_INVALID_CHARACTERS', 'GLOBAL_NAME_LENGTH_INVALID'],
  ...['DISCRIMINATOR_INVALID_FORMAT', 'DISCRIMINATOR_OUT_OF_RANGE'],
]);

const describeResponse = ({ line, answer: { status, text } }: Sent): string =>
  `${status} ${text.slice(0, 400)}\n  ${line}`;

/** @throws Error if the service itself failed. Failures of external services are documented and checked elsewhere. */
function assertNoFailure(sent: Sent): void {
  const { status, text } = sent.answer;
  if (status === 500 || status === 503) throw new Error(`the service failed: ${describeResponse(sent)}`);
  if (/(?<!\\)\\u0000/.test(text)) throw new Error(`a NUL is shown: ${describeResponse(sent)}`);
}

/** Checks a valid request. It may be rejected because of existing data, but not because of its format. */
export function checkAllowed({ fieldCodes }: Operation, sent: Sent): void {
  assertNoFailure(sent);
  const { body } = sent.answer;
  if (body?.code !== 'INVALID_FORM_BODY') return;
  const wrong = (body.errors as { code: string }[]).filter(({ code }) => OF_FORM.has(code) && !fieldCodes.has(code));
  if (wrong.length > 0)
    throw new Error(`what the description allows is refused for its form: ${describeResponse(sent)}`);
}

/** Checks an invalid request. It must be rejected, by input validation if there is any. */
export function checkFlawed(operation: Operation, { expected, title }: Flaw, sent: Sent): void {
  assertNoFailure(sent);
  const { status, body } = sent.answer;
  if (expected === 'accepted') checkAllowed(operation, sent);
  const isFault = status === 400 && ['INVALID_FORM_BODY', 'INVALID_REQUEST'].includes(body?.code);
  const isRefused = expected === 'fault' ? isFault : status >= 400 && status < 500;
  if ((expected === 'fault' || expected === 'refused') && !isRefused) {
    throw new Error(`what the description does not allow is taken (${title}): ${describeResponse(sent)}`);
  }
}
