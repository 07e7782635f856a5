/**
 * Sessions of this tab that a user started on the consent page only for an application that signs users in. They are
 * not sessions of the browser. The logout page can end them.
 */
const KEY = 'gatehouse.released';

export const releasedSessions = (): readonly string[] => JSON.parse(sessionStorage.getItem(KEY) ?? '[]');

const store = (tokens: readonly string[]): void => sessionStorage.setItem(KEY, JSON.stringify(tokens));

export const addReleasedSession = (token: string): void => store([...releasedSessions(), token]);

export const removeReleasedSession = (token: string): void =>
  store(releasedSessions().filter((released) => released !== token));
