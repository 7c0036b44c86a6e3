import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';

/** How much of a refused request is still read, and for how long; then the connection is reset. */
const lingerBytes = 16 * 1024 * 1024;
const lingerMs = 2_000;

/**
 * Reads and drops what the other side still sends. A socket that is closed with unread bytes is reset, and the reset can destroy
 * the answer before the client reads it (RFC 9112, 9.6). Resolves at the end of the stream or at a limit.
 */
export function discardRest(stream: Readable): Promise<void> {
  if (stream.readableEnded || stream.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    let bytes = 0;
    // A reader that has given up would pause the stream again.
    stream.removeAllListeners('data');
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > lingerBytes) resolve();
    });
    for (const end of ['end', 'close', 'error']) stream.once(end, () => resolve());
    AbortSignal.timeout(lingerMs).addEventListener('abort', () => resolve());
    stream.resume();
  });
}

/** Whether bytes of the request's body are left on the connection, so that it cannot serve another request. */
export function hasUnreadBody(incoming: IncomingMessage): boolean {
  const { headers, method } = incoming;
  const isSent = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  // Node itself drops a body that has arrived in whole and that nobody has begun to read.
  const isDropped = incoming.readableEnded || (incoming.complete && !incoming.readableDidRead);
  return isSent && !isDropped && method !== 'GET' && method !== 'HEAD';
}

/** The same answer as the last one of its connection. It goes out at once, and ends when the rest of the body is read or a limit is reached. */
export async function lastAnswer(answer: Response, incoming: IncomingMessage): Promise<Response> {
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const headers = new Headers(answer.headers);
  headers.set('connection', 'close');
  if (bytes.length === 0) {
    await discardRest(incoming);
    return new Response(null, { status: answer.status, headers });
  }
  headers.set('content-length', String(bytes.length));
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(bytes),
    pull: async (controller) => {
      await discardRest(incoming);
      controller.close();
    },
  });
  return new Response(body, { status: answer.status, headers });
}
