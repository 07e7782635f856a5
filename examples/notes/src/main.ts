import { start } from 'gatehouse';
import extension from './extension.js';

await start(extension);
