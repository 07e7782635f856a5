import { request } from 'node:http';
import { WAIT_TIMEOUT_MS } from '../../dist/test/support/timeouts.js';

/** Waits for a promise with a timeout. The error says what was expected. */
export function within(promise, what) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`in vain: ${what}`)), WAIT_TIMEOUT_MS);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

export function demand(isSo, message) {
  if (!isSo) throw new Error(message);
}

function exchange(url, method, headers, bytes) {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method, headers, agent: false }, (answer) => {
      const chunks = [];
      answer.on('data', (chunk) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => resolve({ status: answer.statusCode, text: Buffer.concat(chunks).toString() }));
    });
    asked.on('error', reject);
    asked.end(bytes);
  });
}

/**
 * Sends a request to `front` (`url`, `name`) and returns the parsed body. `as`: the value of `Authorization`.
 * @throws Error if the status is not `expected`
 */
export async function ask(front, expected, method, path, { as, body, form } = {}) {
  const text = form ? String(new URLSearchParams(form)) : body && JSON.stringify(body);
  const type = form ? 'application/x-www-form-urlencoded' : 'application/json';
  const headers = { ...(as && { authorization: as }), ...(text && { 'content-type': type }) };
  const what = `${method} ${path.replace(/\d{6,}.*/, '...')} at ${front.name}`;
  const answered = exchange(`${front.url}${path}`, method, headers, text).catch((error) => {
    throw new Error(`${what}: ${error.message}`);
  });
  const answer = await within(answered, what);
  demand(answer.status === expected, `${what} answered ${answer.status} and not ${expected}: ${answer.text}`);
  return /^[[{]/.test(answer.text) ? JSON.parse(answer.text) : undefined;
}

/** Repeats a request until `isSo` accepts its response, for effects that the contract allows to be delayed. */
export async function askUntil(isSo, ...question) {
  const asking = { isOver: false };
  const asked = async () => {
    while (!asking.isOver && !isSo(await ask(...question))) await new Promise((resolve) => setTimeout(resolve, 50));
  };
  const [front, , method, path] = question;
  await within(asked(), `another answer to ${method} ${path} at ${front.name}`).finally(() => {
    asking.isOver = true;
  });
}
