/** The watched service with a clock that can be stepped. Counts the prepared statements of its connections. */
import './clock.mjs';
import { Client } from '../servers/driver.mjs';

const clients = new Set();
const { connect } = Client.prototype;
Client.prototype.connect = function (...args) {
  clients.add(this);
  return connect.apply(this, args);
};

/** The largest number of prepared statements of an open connection, and the number of open connections. */
globalThis.preparedStatements = () => {
  for (const client of clients) if (client.connection.stream.destroyed) clients.delete(client);
  const counts = [...clients].map(({ connection }) => Object.keys(connection.parsedStatements).length);
  return { statements: Math.max(0, ...counts), connections: counts.length };
};

await import('../servers/watched.mjs');
