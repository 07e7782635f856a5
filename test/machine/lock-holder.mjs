/** Acquires and releases the lock of a directory when the parent process sends a message, and sends back the result. */
import { lockDirectory } from '../../dist/src/platform/database/directory-lock.js';

const [directory] = process.argv.slice(2);
let release;

const COMMANDS = {
  async take() {
    release = await lockDirectory(directory);
    return 'held';
  },
  async leave() {
    release();
    return 'left';
  },
};

process.on('message', (command) => {
  COMMANDS[command]().then(
    (answer) => process.send(answer),
    (error) => process.send(`${error.constructor.name}: ${error.message}`),
  );
});
process.send('ready');
