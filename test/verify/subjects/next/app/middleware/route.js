import { auth, READ, show } from '../../auth.js';

export const GET = auth.middleware(READ)((request) => show(auth.caller(request)));
