import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** A risk API in a process of its own. */
export interface UpstreamProcess {
  readonly url: string;
  readonly apiKey: string;
  /** What it has counted so far. */
  count(): Promise<UpstreamBooks>;
  close(): void;
}

export interface UpstreamBooks {
  /** All that arrived, refused ones too. */
  readonly creates: number;
  /** Refused with 429. */
  readonly limited: number;
  /** The most that arrived in any sliding second, which is open at its end. */
  readonly mostInSecond: number;
  /** From the first to the last create. */
  readonly spanMs: number;
}

/** `perSecond` absent: no limit. `running`: how often a query says that the task still runs; without it a create has its result at once. */
export async function forkUpstream(options: { perSecond?: number; running?: number } = {}): Promise<UpstreamProcess> {
  const { perSecond = 0, running = 0 } = options;
  const child = fork(join(import.meta.dirname, 'upstream-process.ts'), [String(perSecond), String(running)]);
  const [{ url, apiKey }] = (await once(child, 'message')) as [{ url: string; apiKey: string }];
  return {
    url,
    apiKey,
    count: async () => {
      child.send('count');
      const [books] = (await once(child, 'message')) as [UpstreamBooks];
      return books;
    },
    close: () => child.disconnect(),
  };
}

/** Of a service that asks it; as a default with a budget that is never short. */
export function upstreamEnv(upstream: UpstreamProcess, limits = { perSecond: 1_000_000, perDay: 1_000_000_000 }): Record<string, string> {
  return {
    WEIR_UPSTREAM_URL: upstream.url,
    WEIR_UPSTREAM_API_KEY: upstream.apiKey,
    WEIR_UPSTREAM_KEY_IN: 'header',
    WEIR_UPSTREAM_PER_SECOND: String(limits.perSecond),
    WEIR_UPSTREAM_PER_DAY: String(limits.perDay),
  };
}
