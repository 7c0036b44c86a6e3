import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** A risk API in its own process. */
export interface UpstreamProcess {
  readonly url: string;
  readonly apiKey: string;
  count(): Promise<UpstreamBooks>;
  close(): void;
}

export interface UpstreamBooks {
  /** All creates, refused ones included. */
  readonly creates: number;
  /** Refused with 429. */
  readonly limited: number;
  /** The most creates in a sliding second, its end excluded. */
  readonly mostInSecond: number;
  /** From the first to the last create. */
  readonly spanMs: number;
}

/** `perSecond` absent: no limit. `running`: how many queries answer "running"; without it a create has its result at once. */
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

/** By default with an ample budget. */
export function upstreamEnv(upstream: UpstreamProcess, limits = { perSecond: 1_000_000, perDay: 1_000_000_000 }): Record<string, string> {
  return {
    WEIR_UPSTREAM_URL: upstream.url,
    WEIR_UPSTREAM_API_KEY: upstream.apiKey,
    WEIR_UPSTREAM_KEY_IN: 'header',
    WEIR_UPSTREAM_PER_SECOND: String(limits.perSecond),
    WEIR_UPSTREAM_PER_DAY: String(limits.perDay),
  };
}
