import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:http';

/** A loopback server that can stop and return at the same address. */
export interface Listener {
  readonly url: string;
  /** Refuses new connections and cuts open ones. */
  readonly away: () => Promise<void>;
  readonly back: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export async function listen(
  handle: (request: IncomingMessage, body: string, response: ServerResponse) => Promise<void>,
): Promise<Listener> {
  const create = (): Server =>
    createServer((request, response) => {
      bodyOf(request)
        .then((body) => handle(request, body, response))
        .catch(() => response.destroy());
    });
  let server = create();
  const open = (port: number): Promise<void> =>
    new Promise((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  await open(0);
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    away: close,
    back: async () => {
      server = create();
      await open(port);
    },
    close,
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** Sends JSON; bigint becomes a number. */
export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  if (response.destroyed) return;
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value, (_, field) => (typeof field === 'bigint' ? Number(field) : field)));
}
