import type { Clock } from '@weir/clock';
import { createApp, createLogger, Jobs, loadConfig, storeToken } from '@weir/service-kit';
import type { TestService, TestStack } from '@weir/service-kit/testing';
import { consoleSchema, type ConsoleSettings } from '../config.ts';
import { consoleRole } from '../events.testing.ts';
import { createConsoleMetrics } from '../metrics.ts';
import { startConsole } from '../service.ts';
import type { Receiver } from './receiver.testing.ts';
import { startWebhooks } from './service.ts';

interface Answer {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests check the shape of the answer
  readonly body: any;
}

/** A console in this process that posts to a receiver. */
export interface PostingConsole extends TestService {
  ask(method: string, path: string, role?: string): Promise<Answer>;
  /** GET; the answer as it is. */
  fetch(path: string, role?: string): Promise<Response>;
  /** The log output, and `/metrics`. */
  logged(): string;
  scrape(): Promise<string>;
}

export function settingsFor(receiver: Pick<Receiver, 'url' | 'secret'>, over: Partial<ConsoleSettings> = {}): ConsoleSettings {
  const defaults = loadConfig(consoleSchema, {});
  return { ...defaults, webhookUrl: receiver.url, webhookSecrets: receiver.secret, webhookTimeoutMs: 5_000, ...over };
}

/** With a `clock` only webhooks run, on that clock: the console's other loops would spin on it. The event log keeps the system clock. */
export async function startPosting(stack: TestStack, settings: ConsoleSettings, clock?: Clock): Promise<PostingConsole> {
  let logged = '';
  const logger = createLogger({ service: 'console', level: 'trace', destination: { write: (line: string) => void (logged += line) } });
  const running = await stack.service(
    async (pipeline) => {
      if (clock === undefined) return startConsole({ ...pipeline, logger }, settings);
      const jobs = new Jobs({ db: pipeline.pool, clock, logger });
      return startWebhooks({ ...pipeline, logger, clock, jobs }, createConsoleMetrics(pipeline.metrics), settings);
    },
    { role: consoleRole },
  );
  for (const role of ['admin', 'auditor', 'reviewer', 'gate'] as const) await storeToken(stack.db.pool, `token-${role}`, role, role);
  const app = createApp(logger, running.service.operations);
  const send = async (method: string, path: string, role = 'auditor'): Promise<Response> =>
    app.request(path, { method, headers: { authorization: `Bearer token-${role}` } });
  return {
    ...running,
    ask: async (...asked) => {
      const answer = await send(...asked);
      return { status: answer.status, body: await answer.json() };
    },
    fetch: (path, role) => send('GET', path, role),
    logged: () => logged,
    scrape: () => running.pipeline.metrics.scrape(),
  };
}
