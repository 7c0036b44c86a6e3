import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A node that answers JSON over HTTP as the test says. */
export interface HttpNode {
  readonly url: string;
  close(): void;
}

/** `answer` gets the parsed body. Undefined: it never answers. */
export async function startHttpNode(
  answer: (body: any, request: IncomingMessage) => { status?: number; body: unknown } | undefined,
): Promise<HttpNode> {
  const server: Server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += String(chunk)));
    request.on('end', () => {
      const answered = answer(JSON.parse(text), request);
      if (answered === undefined) return;
      response.writeHead(answered.status ?? 200, { 'content-type': 'application/json' }).end(JSON.stringify(answered.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
