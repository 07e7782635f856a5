import { jest } from '@jest/globals';
import { Database } from '../../src/platform/database/database.js';
import type { Gatehouse } from '../support/gatehouse.js';

/**
 * Fails the next prepared statement with this name. Others, such as those of timers and jobs, are sent.
 * @returns ends the failures, and requires that each of them was used
 */
export function failNextStatement(service: Gatehouse, name: string, error: Error): () => void {
  const database = service.app.get(Database);
  const send = database.statement;
  let failures = 0;
  const spy = jest.spyOn(database, 'statement').mockImplementation((sent, ...args) => {
    if (sent !== name || failures > 0) return send.call(database, sent, ...args) as Promise<never>;
    failures += 1;
    return Promise.reject(error);
  });
  return () => {
    spy.mockRestore();
    if (failures !== 1) throw new Error(`No statement with the name ${name} was sent`);
  };
}
