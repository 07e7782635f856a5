import { type Challenge, solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import type { Gatehouse } from './gatehouse.js';

/** Fetches a challenge and solves it. */
export async function fetchSolution(service: Gatehouse) {
  const { body } = await service.anonymous.get('/v1/captcha/challenge');
  const challenge = body as Challenge;
  return { challenge, solution: await solveChallenge({ challenge, deriveKey }) };
}

/** Encodes a payload for the `X-Captcha-Token` header. */
export const captchaToken = (payload: object): string => Buffer.from(JSON.stringify(payload)).toString('base64');

/** A captcha token of a solved challenge. */
export const solveCaptcha = async (service: Gatehouse): Promise<string> => captchaToken(await fetchSolution(service));
