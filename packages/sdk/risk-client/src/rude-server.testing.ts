import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Seen {
  readonly method: string | undefined;
  readonly url: URL;
  readonly key: string | undefined;
  readonly body: string;
}

export type Behaviour = (response: ServerResponse, request: IncomingMessage) => void;

/** A scripted HTTP server on loopback. */
export interface RudeServer {
  readonly baseUrl: string;
  readonly seen: Seen[];
  behave(behaviour: Behaviour): void;
  close(): Promise<void>;
}

export async function startRudeServer(): Promise<RudeServer> {
  const seen: Seen[] = [];
  let behaviour: Behaviour = json({});
  const listener: RequestListener = (request, response) => {
    response.on('error', () => undefined);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const url = new URL(request.url ?? '', 'http://server');
      const key = request.headers['x-api-key'];
      seen.push({ method: request.method, url, key: key?.toString(), body: Buffer.concat(chunks).toString() });
      behaviour(response, request);
    });
  };
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/base/`,
    seen,
    behave: (next) => {
      seen.length = 0;
      behaviour = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Sends JSON by its type unless `headers` say otherwise. */
export function answer(status: number, body: string | Buffer, headers: Record<string, string> = {}): Behaviour {
  return (response) => response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
}

export function json(value: unknown, status = 200, headers: Record<string, string> = {}): Behaviour {
  return answer(status, JSON.stringify(value), headers);
}
