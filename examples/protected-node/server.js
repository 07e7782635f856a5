import { createServer } from 'node:http';
import { gatehouse } from '@gatehouse-auth/verify/node';

const { GATEHOUSE_URL, CLIENT_ID, CLIENT_SECRET, PORT } = process.env;

const auth = gatehouse({
  url: GATEHOUSE_URL,
  clientId: CLIENT_ID,
  clientSecret: CLIENT_SECRET,
  onError: (error) => console.error(error.message),
});

const json = (response, value) => {
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify(value));
};

const server = createServer(async (request, response) => {
  if (request.url === '/health') {
    json(response, auth.metrics());
    return;
  }
  try {
    const caller = await auth.require(request, 'documents-read');
    json(response, { documents: [`Notes of account ${caller.account_id}`] });
  } catch (error) {
    auth.handleError(error, request, response, () => response.writeHead(500).end());
  }
});

server.listen(PORT ?? 3000);
