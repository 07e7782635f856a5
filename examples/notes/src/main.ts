import { start } from '@gatehouse-auth/server';
import extension from './extension.js';

await start(extension);
