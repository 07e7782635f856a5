import { createServer, request } from 'node:http';

/**
 * The load balancer for the replicas. It tries the next replica if one does not accept connections or reports that it
 * is shutting down. Other requests are sent only once, because they may have been processed.
 */
export class Balancer {
  name = 'the balancer';
  replicas = [];
  /** Number of requests that each version has handled. */
  handed = new Map();
  #turn = 0;
  #open = new Map();
  // No timeout, so that a slow client finds its connection still open.
  #server = createServer({ keepAliveTimeout: 0 });

  static async start() {
    const balancer = new Balancer();
    const server = balancer.#server;
    server.on('request', async (req, res) => {
      const chunks = [];
      for await (const chunk of req) chunks.push(chunk);
      balancer.#hand(req, Buffer.concat(chunks), {
        answered(answer) {
          res.writeHead(answer.statusCode, answer.rawHeaders);
          answer.on('error', () => res.destroy());
          answer.pipe(res);
        },
        broken: () => res.destroy(),
      });
    });
    server.on('upgrade', (req, socket, head) => {
      socket.on('error', () => {});
      balancer.#hand(req, head, {
        answered: () => socket.destroy(),
        upgraded(answer, onward, first) {
          const lines = answer.rawHeaders.flatMap((name, n, all) => (n % 2 ? [] : `${name}: ${all[n + 1]}`));
          socket.write(['HTTP/1.1 101 Switching Protocols', ...lines, '', ''].join('\r\n'));
          socket.write(first);
          onward.on('error', () => socket.destroy());
          onward.on('close', () => socket.destroy());
          socket.on('close', () => onward.destroy());
          socket.pipe(onward).pipe(socket);
        },
        broken: () => socket.destroy(),
      });
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    balancer.url = `http://127.0.0.1:${server.address().port}`;
    return balancer;
  }

  #hand(req, bytes, { answered, upgraded, broken }) {
    const [candidates, first] = [[...this.replicas], this.#turn++];
    const attempt = (tried) => {
      const replica = candidates[(first + tried) % candidates.length];
      const isLast = tried === candidates.length - 1;
      const { method, headers } = req;
      const onward = request(`${replica.url}${req.url}`, { method, headers, agent: false });
      const open = this.#open.get(replica) ?? new Set();
      this.#open.set(replica, open.add(onward));
      const left = () => {
        open.delete(onward);
        open.wake?.();
      };
      onward.on('close', left).on('upgrade', left);
      const count = () => this.handed.set(replica.version, (this.handed.get(replica.version) ?? 0) + 1);
      onward.on('response', (answer) => {
        const isLeaving = answer.statusCode === 503 && answer.headers.connection === 'close';
        if (!isLeaving || isLast) {
          count();
          return answered(answer);
        }
        answer.resume();
        attempt(tried + 1);
      });
      if (upgraded) onward.on('upgrade', upgraded);
      onward.on('error', (error) => {
        if (error.code === 'ECONNREFUSED' && !isLast) attempt(tried + 1);
        else broken();
      });
      onward.end(upgraded ? undefined : bytes);
    };
    attempt(0);
  }

  /** Sends no more requests to a replica, and waits until it has responded to the open ones. WebSockets stay open. */
  async leave(replica) {
    this.replicas.splice(this.replicas.indexOf(replica), 1);
    const open = this.#open.get(replica);
    if (!open) return;
    await new Promise((resolve) => {
      open.wake = () => open.size === 0 && resolve();
      open.wake();
    });
    this.#open.delete(replica);
  }

  close() {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
