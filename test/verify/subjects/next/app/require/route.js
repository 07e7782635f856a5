import { auth, READ, show } from '../../auth.js';

export const GET = auth.respond(async (request) => show(await auth.require(request, READ)));
