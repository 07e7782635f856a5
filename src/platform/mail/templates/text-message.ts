import type { Language } from '../../../core/text/languages.js';
import { getTranslator } from './translator.js';

/** Renders the text message that contains a code. */
export function codeMessage(language: Language, product: string, code: string, validSeconds: number): string {
  const speech = getTranslator(language);
  const validity = speech.formatDuration(validSeconds);
  return speech.format(speech.words.sms.phone_verification, { code, product, validity });
}
