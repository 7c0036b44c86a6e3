import { createServer, request as forward, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy that loses answers: the request is answered behind it, and its client sees the connection end. */
export interface LossyProxy {
  readonly url: string;
  /** From now on the first answer of each key is lost; undefined loses none. */
  loseFirstOf(keyOf: (path: string) => string | undefined): void;
  lost(): number;
  /** Open event streams. */
  streams(): number;
  cutStreams(): void;
  close(): Promise<void>;
}

export async function startLossyProxy(target: string): Promise<LossyProxy> {
  let keyOf: (path: string) => string | undefined = () => undefined;
  let lost = new Set<string>();
  const streams = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    const { method = 'GET', url = '/', headers } = request;
    const behind = forward(`${target}${url}`, { method, headers }, (answer) => {
      if (answer.headers['content-type']?.startsWith('text/event-stream') === true) {
        streams.add(response);
        response.on('close', () => {
          streams.delete(response);
          behind.destroy();
        });
      } else {
        const key = keyOf(url);
        if (key !== undefined && !lost.has(key)) {
          lost.add(key);
          answer.resume().on('end', () => response.destroy());
          return;
        }
      }
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    behind.on('error', () => response.destroy());
    request.pipe(behind);
  });
  const url = await listen(server);
  return {
    url,
    loseFirstOf: (of) => {
      keyOf = of;
      lost = new Set();
    },
    lost: () => lost.size,
    streams: () => streams.size,
    cutStreams: () => {
      for (const stream of streams) stream.destroy();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** On a free port of loopback; resolves with the address. */
export async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
