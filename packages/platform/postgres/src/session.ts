import { type Clock, repeat, within } from '@weir/clock';
import pg from 'pg';
import { clientConfig, type PoolOptions } from './pool.ts';

/** Its existence proves that the process lives: a killed process loses it at once, so others need not wait for a lease to expire. */
export interface Session {
  /** Names this session as owner in lease tables; `weir.session_alive(owner)` checks it. Changes after a reconnect. */
  owner(): string;
  /**
   * Receives `NOTIFY channel` once this resolves. After a reconnect it calls `handler` once with an empty payload, since notifications may be
   * missing. Without a connection it resolves at once and starts with that call.
   */
  listen(channel: string, handler: (payload: string) => void): Promise<() => void>;
  close(): Promise<void>;
}

const heartbeatMs = 2_000;
const goodbyeMs = 1_000;

/** Opens the session and reconnects after a loss, under a new owner name. */
export async function openSession(options: PoolOptions & { clock: Clock }): Promise<Session> {
  const session = new ReconnectingSession(options);
  await session.start();
  return session;
}

interface Channel {
  readonly handlers: Set<(payload: string) => void>;
  listening: Promise<void>;
}

class ReconnectingSession implements Session {
  readonly #options: PoolOptions & { clock: Clock };
  readonly #channels = new Map<string, Channel>();
  readonly #stop = new AbortController();
  #client: pg.Client | undefined;
  #owner = '';
  #loop: Promise<void> = Promise.resolve();

  constructor(options: PoolOptions & { clock: Clock }) {
    this.#options = options;
  }

  async start(): Promise<void> {
    await this.#connect();
    this.#loop = this.#keepAlive();
  }

  owner(): string {
    return this.#owner;
  }

  async listen(channel: string, handler: (payload: string) => void): Promise<() => void> {
    let known = this.#channels.get(channel);
    if (known === undefined) {
      known = { handlers: new Set(), listening: Promise.resolve() };
      this.#channels.set(channel, known);
      known.listening = this.#beginListening(channel);
    }
    const { handlers, listening } = known;
    handlers.add(handler);
    await listening;
    return () => handlers.delete(handler);
  }

  async #beginListening(channel: string): Promise<void> {
    const client = this.#client;
    try {
      await client?.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
    } catch (error) {
      this.#options.onError?.(error as Error);
      await this.#drop(client);
    }
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#loop;
    const client = this.#client;
    await client?.query('DELETE FROM weir.sessions WHERE owner = $1', [this.#owner]).catch(() => undefined);
    await this.#drop(client);
  }

  async #drop(client: pg.Client | undefined): Promise<void> {
    if (this.#client === client) this.#client = undefined;
    if (client === undefined) return;
    const ending = client.end().catch(() => undefined);
    await within(this.#options.clock, goodbyeMs, ending, { late: () => undefined });
  }

  async #connect(): Promise<void> {
    const client = new pg.Client(clientConfig({ ...this.#options, statementTimeoutMs: 5_000 }));
    const lost = (): void => {
      if (this.#client === client) this.#client = undefined;
    };
    client.on('error', lost);
    client.on('end', lost);
    client.on('notification', (message) => this.#hear(message.channel, message.payload ?? ''));
    try {
      await client.connect();
      const { rows } = await client.query<{ owner: string }>(
        `INSERT INTO weir.sessions (owner, pid, started)
         SELECT pid || '@' || extract(epoch FROM coalesce(backend_start, clock_timestamp())), pid, backend_start
         FROM pg_stat_activity WHERE pid = pg_backend_pid()
         ON CONFLICT (owner) DO UPDATE SET heartbeat_at = now()
         RETURNING owner`,
      );
      await client.query("DELETE FROM weir.sessions WHERE NOT weir.session_alive(owner) AND heartbeat_at < now() - interval '1 hour'");
      for (const channel of this.#channels.keys()) await client.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
      this.#owner = rows[0]?.owner ?? '';
      this.#client = client;
    } catch (error) {
      await this.#drop(client);
      throw error;
    }
  }

  async #keepAlive(): Promise<void> {
    const { clock, onError } = this.#options;
    const loop = { clock, every: heartbeatMs, firstAfter: heartbeatMs, signal: this.#stop.signal };
    await repeat({ ...loop, onError: (error) => onError?.(error as Error) }, async () => {
      try {
        if (this.#client === undefined || !(await this.#beat(this.#client))) await this.#reconnect();
      } catch (error) {
        await this.#drop(this.#client);
        throw error;
      }
    });
  }

  /** False if others removed the session after a long silence, such as a sleeping machine. */
  async #beat(client: pg.Client): Promise<boolean> {
    const { rowCount } = await client.query('UPDATE weir.sessions SET heartbeat_at = clock_timestamp() WHERE owner = $1', [this.#owner]);
    return rowCount === 1;
  }

  async #reconnect(): Promise<void> {
    await this.#drop(this.#client);
    await this.#connect();
    for (const channel of this.#channels.keys()) this.#hear(channel, '');
  }

  #hear(channel: string, payload: string): void {
    for (const handler of this.#channels.get(channel)?.handlers ?? []) {
      try {
        handler(payload);
      } catch (error) {
        // One listener's error must not affect the others or the connection.
        this.#options.onError?.(error as Error);
      }
    }
  }
}
