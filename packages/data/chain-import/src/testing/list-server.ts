import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A publisher for tests. `requests` are the headers of those that came, oldest first. */
export interface ListServer {
  readonly url: string;
  readonly requests: readonly IncomingMessage['headers'][];
  /** From now on. */
  answer(with_: Answer): void;
  /** Serves this file with an ETag of its own; honours If-None-Match. */
  publish(content: string, etag: string): void;
  stop(): Promise<void>;
}

export async function startListServer(): Promise<ListServer> {
  const requests: IncomingMessage['headers'][] = [];
  let current: Answer = (_, response) => response.writeHead(404).end();
  const server = createServer((request, response) => {
    requests.push(request.headers);
    current(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/list`,
    requests,
    answer: (with_) => {
      current = with_;
    },
    publish: (content, etag) => {
      current = ({ headers }, response) => {
        if (headers['if-none-match'] === etag) response.writeHead(304, { etag }).end();
        else response.writeHead(200, { 'content-type': 'application/xml', etag }).end(content);
      };
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
