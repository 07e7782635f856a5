import type { Language } from '../../../core/text/languages.js';
import { speechOf } from './speech.js';

/** Renders the text message that contains a code. */
export function codeMessage(language: Language, product: string, code: string, validSeconds: number): string {
  const speech = speechOf(language);
  const validity = speech.duration(validSeconds);
  return speech.say(speech.words.sms.phone_verification, { code, product, validity });
}
