import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';

/** How much of a rejected request is still read, and for how long, before a reset. */
const lingerBytes = 16 * 1024 * 1024;
const lingerMs = 2_000;

/**
 * Closing a socket with unread bytes resets it, and the client may lose the answer (RFC 9112, 9.6). Resolves at the end of the stream or at
 * a limit.
 */
export function discardRest(stream: Readable): Promise<void> {
  if (stream.readableEnded || stream.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    let bytes = 0;
    // A reader that gave up would pause the stream again.
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

/** Whether the connection still holds body bytes, so that it cannot serve another request. */
export function hasUnreadBody(incoming: IncomingMessage): boolean {
  const { headers, method } = incoming;
  const isSent = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  // Node drops a complete body that nobody began to read.
  const isDropped = incoming.readableEnded || (incoming.complete && !incoming.readableDidRead);
  return isSent && !isDropped && method !== 'GET' && method !== 'HEAD';
}

/** Marks the answer as its connection's last. It goes out at once, and ends when the body is read or at a limit. */
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
