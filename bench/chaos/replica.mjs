/** The watched service on a clock that can be stepped, which counts what is prepared on its connections. */
import './clock.mjs';
import { Client } from '../servers/driver.mjs';

const clients = new Set();
const { connect } = Client.prototype;
Client.prototype.connect = function (...args) {
  clients.add(this);
  return connect.apply(this, args);
};

/** The most statements that one of the open connections has prepared, and how many are open. */
globalThis.preparedStatements = () => {
  for (const client of clients) if (client.connection.stream.destroyed) clients.delete(client);
  const counts = [...clients].map(({ connection }) => Object.keys(connection.parsedStatements).length);
  return { statements: Math.max(0, ...counts), connections: counts.length };
};

await import('../servers/watched.mjs');
