import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { problem } from '@weir/service-kit';
import { type Context, Hono } from 'hono';
import { type Client, ConsoleDenied } from '../console.ts';
import { lineOf } from '../failure.ts';
import { createMcpServer } from './server.ts';
import { callerOf } from './caller.ts';

export interface McpHttpOptions {
  readonly version: string;
  /** Origins of web pages that may call it. */
  readonly origins: readonly string[];
  /** A client of the console for one caller's token. */
  clientFor(token: string): Client;
}

/** Requests at once; a further one gets 503. */
const mostAtOnce = 64;
const maxBodyBytes = 65_536;

/**
 * Streamable HTTP at /mcp, without sessions: each request brings its token and is answered as JSON. A page in a browser sends its Origin,
 * which must be allowed, so that no page reaches a server on this machine (DNS rebinding).
 */
export function createMcpApp(options: McpHttpOptions): Hono {
  const app = new Hono();
  let active = 0;
  app.all('/mcp', async (c) => {
    const origin = c.req.header('origin');
    if (origin !== undefined && !options.origins.includes(origin))
      return problem(c, 403, 'ORIGIN_NOT_ALLOWED', 'pages of this origin may not call; --allow-origin allows one');
    if (c.req.method !== 'POST') {
      c.header('allow', 'POST');
      return problem(c, 405, 'METHOD_NOT_ALLOWED', 'POST messages here; there are no sessions and no streams');
    }
    const token = /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1];
    if (token === undefined) return refuse(c, 'send Authorization: Bearer and a token of Weir');
    if (active >= mostAtOnce) return problem(c, 503, 'TOO_MANY_REQUESTS', `${mostAtOnce} requests run; try again`);
    active += 1;
    try {
      return await respond(c, options, token);
    } finally {
      active -= 1;
    }
  });
  app.notFound((c) => problem(c, 404, 'NOT_FOUND', 'MCP is at /mcp'));
  return app;
}

async function respond(c: Context, options: McpHttpOptions, token: string): Promise<Response> {
  const client = options.clientFor(token);
  const caller = await callerOf(client).catch((error: unknown) => {
    if (!(error instanceof ConsoleDenied)) return problem(c, 503, 'UNAVAILABLE', lineOf(error));
    return error.status === 401 ? refuse(c, 'the token is not valid') : problem(c, 403, 'FORBIDDEN', 'the role of the token may not read');
  });
  if (caller instanceof Response) return caller;
  const server = createMcpServer({ client, role: caller.role, version: options.version });
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true, maxRequestBodySize: maxBodyBytes });
  try {
    await server.connect(transport);
    return await transport.handleRequest(c.req.raw);
  } finally {
    await server.close();
  }
}

function refuse(c: Context, detail: string): Response {
  c.header('www-authenticate', 'Bearer');
  return problem(c, 401, 'UNAUTHENTICATED', detail);
}
