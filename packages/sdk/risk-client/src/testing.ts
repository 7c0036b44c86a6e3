import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { systemClock } from './clock.ts';

export { type AnswerRow, answerTable, changingScript } from './answer-table.testing.ts';

/** The upstream's answers about one subject. Default: an immediate Low result. */
export interface Script {
  /** How many queries report a running task. */
  readonly running?: number;
  /** Merged into the result's `data`. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** Replaces the answer. */
  readonly instead?: { readonly on: 'create' | 'query'; readonly status: number; readonly body: string; readonly type?: string };
  /** How many queries report TaskNotFound. */
  readonly forgotten?: number;
}

/** A changed score, on Ethereum by default. */
export interface Change {
  readonly chain?: string;
  readonly subject_type?: 'address' | 'txid';
  readonly subject: string;
  readonly direction?: 'deposit' | 'withdraw';
  readonly cause?: 'label' | 'transfer';
}

export interface Upstream {
  readonly url: string;
  readonly apiKey: string;
  /** `at`: milliseconds on a monotonic clock. */
  readonly creates: { readonly at: number; readonly subject: string }[];
  /** Number of queries by subject. */
  readonly queries: Map<string, number>;
  /** Number of 429 answers. */
  limited: number;
  /** Answers from now on. */
  answer(script: (subject: string, create: number) => Script): void;
  /** Reports these score changes in order from now on. Before the first call, and with `null`, the operation does not exist. */
  change(...items: readonly Change[] | [null]): void;
  /** Invalidates earlier cursors. */
  forgetCursors(): void;
  /** Number of score change requests. */
  polls: number;
  /** Serves prices from now on, or answers with this HTTP status; before, the operation does not exist. */
  price(of: ((asked: URLSearchParams) => object | null) | number): void;
  priceCalls: number;
  /** Refuses connections on the same port until `back`. */
  away(): Promise<void>;
  back(): Promise<void>;
  close(): Promise<void>;
}

/** A scripted risk API that counts its requests. Enforces `perSecond` creates in any sliding second, and `perDay`. */
export async function startUpstream(limits: { perSecond?: number; perDay?: number } = {}): Promise<Upstream> {
  let script: (subject: string, create: number) => Script = () => ({});
  const tasks = new Map<string, { subject: string; script: Script; asked: number }>();
  const recent: number[] = [];
  const createsOf = new Map<string, number>();
  let accepted = 0;
  const upstream = {
    url: '',
    apiKey: 'test-key',
    creates: [] as { at: number; subject: string }[],
    queries: new Map<string, number>(),
    limited: 0,
    polls: 0,
    priceCalls: 0,
  };
  let changes: Required<Change>[] = [];
  let isFeedThere = false;
  let epoch = 0;
  let priceOf: ((asked: URLSearchParams) => object | null) | number = 404;
  const notThere = { success: false, msg: 'PageNotFound', data: {} };

  function feed(after: string | null, limit: number): [number, unknown] {
    upstream.polls += 1;
    if (!isFeedThere) return [404, { success: false, msg: 'PageNotFound', data: {} }];
    const [, of, at = String(changes.length)] = after === null ? [] : (/^(\d+)-(\d+)$/.exec(after) ?? ['', 'none']);
    if (of !== undefined && of !== String(epoch)) return [400, { success: false, msg: 'InvalidParameter', data: {} }];
    const items = changes.slice(Number(at), Number(at) + limit).map((change) => ({ ...change, changed_at: seconds() }));
    const end = Number(at) + items.length;
    return [200, { success: true, msg: '', data: { items, next_cursor: `${epoch}-${end}`, more: end < changes.length } }];
  }

  function create(body: { address?: string; txid?: string }): [number, unknown] {
    const now = systemClock.monotonic();
    const subject = body.txid ?? body.address ?? '';
    upstream.creates.push({ at: now, subject });
    while (recent[0] !== undefined && now - recent[0] >= 1_000) recent.shift();
    if (recent.length >= (limits.perSecond ?? Number.POSITIVE_INFINITY)) return limited('ExceededRateLimit', 1);
    if (accepted >= (limits.perDay ?? Number.POSITIVE_INFINITY)) return limited('ExceededDailyRateLimit', 3_600);
    recent.push(now);
    accepted += 1;
    const count = (createsOf.get(subject) ?? 0) + 1;
    createsOf.set(subject, count);
    const id = `task-${accepted}`;
    const of = script(subject, count);
    tasks.set(id, { subject, script: of, asked: 0 });
    const hasResult = (of.running ?? 0) === 0;
    return [200, { success: true, msg: '', data: { has_result: hasResult, scanned_ts: hasResult ? seconds() : 0, task_id: id } }];
  }

  function limited(msg: string, retryAfter: number): [number, unknown] {
    upstream.limited += 1;
    return [429, { success: false, msg, data: {}, retry_after: retryAfter }];
  }

  function query(id: string): [number, unknown] {
    const task = tasks.get(id);
    if (task === undefined) return [200, { success: true, msg: 'TaskNotFound', data: {} }];
    task.asked += 1;
    upstream.queries.set(task.subject, (upstream.queries.get(task.subject) ?? 0) + 1);
    if (task.asked <= (task.script.forgotten ?? 0)) return [200, { success: true, msg: 'TaskNotFound', data: {} }];
    if (task.asked <= (task.script.running ?? 0)) return [200, { success: true, msg: 'TaskUnderRunning', data: {} }];
    return [200, { success: true, msg: '', data: { ...lowResult(), ...task.script.data } }];
  }

  function withoutTask({ pathname, searchParams }: URL): [number, unknown] {
    if (pathname === '/v1/score_changes') return feed(searchParams.get('after'), Number(searchParams.get('limit') ?? 500));
    if (pathname !== '/v1/prices') return [404, notThere];
    upstream.priceCalls += 1;
    return typeof priceOf === 'number' ? [priceOf, notThere] : [200, { success: true, msg: '', data: priceOf(searchParams) }];
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (!url.pathname.endsWith('_task')) {
      const [status, answer] = withoutTask(url);
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer));
      return;
    }
    const isCreate = request.method === 'POST';
    const body = isCreate ? (JSON.parse(Buffer.concat(chunks).toString()) as { address?: string; txid?: string }) : {};
    const subject = isCreate ? (body.txid ?? body.address ?? '') : (tasks.get(url.searchParams.get('task_id') ?? '')?.subject ?? '');
    const [status, answer] = isCreate ? create(body) : query(url.searchParams.get('task_id') ?? '');
    const instead = script(subject, createsOf.get(subject) ?? 0).instead;
    const replaced = instead !== undefined && instead.on === (isCreate ? 'create' : 'query') ? instead : undefined;
    response.writeHead(replaced?.status ?? status, { 'content-type': replaced?.type ?? 'application/json' });
    response.end(replaced?.body ?? JSON.stringify(answer));
  }

  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    handle(request, response).catch(() => response.destroy());
  };
  let server = createServer(listener);
  const listen = (port: number): Promise<void> =>
    new Promise((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  await listen(0);
  const { port } = server.address() as { port: number };
  upstream.url = `http://127.0.0.1:${port}`;
  return Object.assign(upstream, {
    answer: (next: typeof script) => {
      script = next;
    },
    price: (of: ((asked: URLSearchParams) => object | null) | number) => {
      priceOf = of;
    },
    change: (...items: readonly Change[] | [null]) => {
      isFeedThere = items[0] !== null;
      const whole = items
        .filter((item) => item !== null)
        .map((item) => ({ chain: 'ethereum', subject_type: 'address', direction: 'deposit', cause: 'label', ...item }) as const);
      changes = [...changes, ...whole];
    },
    forgetCursors: () => {
      epoch += 1;
    },
    away: close,
    back: async () => {
      server = createServer(listener);
      await listen(port);
    },
    close,
  });
}

function seconds(): number {
  return Math.floor(systemClock.now() / 1_000);
}

function lowResult(): Record<string, unknown> {
  return {
    score: 3,
    risk_level: 'Low',
    hacking_event: '',
    detail_list: [],
    risk_detail: [],
    address_label: '',
    risk_report_url: '',
    scanned_ts: seconds(),
    coverage: 'full',
  };
}

/** The maximum in any window of `ms`, open at its end. */
export function mostInWindow(times: readonly number[], ms: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  let most = 0;
  for (let start = 0, end = 0; start < sorted.length; start += 1) {
    while (end < sorted.length && (sorted[end] ?? 0) - (sorted[start] ?? 0) < ms) end += 1;
    most = Math.max(most, end - start);
  }
  return most;
}
