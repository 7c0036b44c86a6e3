import { join } from 'node:path';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { readCredentials } from '@weir/installation';
import { serve } from '@weir/service-kit';
import { openClient } from '../console.ts';
import { UsageError } from '../failure.ts';
import type { PlaceFlags } from '../flags.ts';
import { untilInterrupted } from '../installation.ts';
import { note } from '../output.ts';
import { type AllSettings, loadSettings } from '../settings.ts';
import { version } from '../version.ts';
import { callerOf } from './caller.ts';
import { createMcpApp } from './http.ts';
import { createMcpServer } from './server.ts';

interface McpFlags extends PlaceFlags {
  readonly port?: number;
  readonly host: string;
  readonly allowOrigin?: readonly string[];
}

export async function runMcp(flags: McpFlags): Promise<void> {
  const origins = (flags.allowOrigin ?? []).map(parseOrigin);
  if (flags.port === undefined && origins.length > 0) throw new UsageError('--allow-origin goes with --port');
  // --port is of this server, not of Weir.
  const place: PlaceFlags = flags.dataDir === undefined ? {} : { dataDir: flags.dataDir };
  const settings = loadSettings(place);
  await untilInterrupted(async (undo) => {
    const stop = new AbortController();
    undo.push(async () => stop.abort());
    if (flags.port !== undefined) await serveHttp(flags.port, flags.host);
    else await serveStdio();

    async function serveHttp(port: number, host: string): Promise<void> {
      const clientFor = (token: string) => openClient(place, { ...settings, token }, stop.signal);
      const server = await serve(createMcpApp({ version, origins, clientFor }), { host, port });
      undo.push(() => server.close());
      note(`MCP is served at http://${host.includes(':') ? `[${host}]` : host}:${server.port}/mcp`);
      await new Promise(() => undefined);
    }

    async function serveStdio(): Promise<void> {
      const client = openClient(place, { ...settings, token: settings.token || auditorOf(place, settings) }, stop.signal);
      const { name, role } = await callerOf(client);
      const server = createMcpServer({ client, role, version });
      const ended = new Promise<void>((resolve) => process.stdin.once('end', resolve).once('close', resolve));
      undo.push(() => server.close());
      await server.connect(new StdioServerTransport());
      note(`MCP is served on stdin and stdout, as ${name} (${role}).`);
      await ended;
    }
  });
}

/** The token that reads everything and writes nothing, of an embedded installation. Empty where there is none. */
function auditorOf(place: PlaceFlags, { consoleUrl, dataDir }: AllSettings): string {
  if (place.dataDir === undefined && consoleUrl !== '') return '';
  return readCredentials(join(dataDir, 'dev-credentials.json')).tokens?.auditor ?? '';
}

function parseOrigin(text: string): string {
  if (!URL.canParse(text) || new URL(text).origin !== text)
    throw new UsageError(`${text} is not an origin, such as https://assistant.example`);
  return text;
}
