import type { Clock } from '@weir/clock';
import { localKeys, type PermitKeys } from '@weir/permit';
import { type Pool, type Queryable, transaction } from '@weir/postgres';
import { ConfigError, type Logger } from '@weir/service-kit';
import { type CryptoKey, importJWK, type JSONWebKeySet, type JWK } from 'jose';
import { GateUnavailable } from '../availability.ts';
import { type RotationTimes, rotationTimes, turnKeys } from './rotation.ts';
import type { Seal } from './seal.ts';

export interface SigningKey {
  readonly kid: string;
  readonly key: CryptoKey;
}

interface KeyringOptions {
  readonly pool: Pool;
  readonly seal: Seal;
  readonly rotationMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

const turnEveryAtMostMs = 60_000;

/** The keys that permits are signed with, in `gate.keys`, shared by all replicas. */
export class Keyring {
  readonly #options: KeyringOptions;
  readonly #times: RotationTimes;
  readonly #stop = new AbortController();
  readonly #signing = new Map<string, Promise<CryptoKey>>();
  readonly #public = new Map<string, CryptoKey>();
  #turning: Promise<void> = Promise.resolve();

  private constructor(options: KeyringOptions) {
    this.#options = options;
    this.#times = rotationTimes(options.rotationMs);
  }

  /** Rejects with `ConfigError` when the key in force cannot be opened with the secret. */
  static async open(options: KeyringOptions): Promise<Keyring> {
    const keyring = new Keyring(options);
    await keyring.#turn();
    await keyring.#sealAnew();
    await keyring.signing(options.pool).catch((error: unknown) => {
      if (!(error instanceof UnopenedKey)) throw error;
      throw new ConfigError('setting WEIR_PERMIT_KEY_SECRET is wrong: permit keys are stored that it does not open');
    });
    keyring.#turning = keyring.#keepTurning();
    return keyring;
  }

  /** Seconds for which others may keep a copy of what is published: a new key is known to them before it signs. */
  get maxAgeSeconds(): number {
    return Math.min(300, Math.floor(this.#times.leadMs / 2_000));
  }

  /** The key to sign with now, by the clock of the database. Rejects when there is none that can be used: then nothing is signed. */
  async signing(db: Queryable): Promise<SigningKey> {
    const { rows } = await db.query<{ kid: string; private_key: string }>(
      `SELECT kid, private_key FROM gate.keys WHERE private_key IS NOT NULL AND signs_from <= clock_timestamp()
       ORDER BY signs_from DESC, kid LIMIT 1`,
    );
    const [row] = rows;
    if (row === undefined) throw new GateUnavailable('there is no key to sign permits with');
    const opening = this.#signing.get(row.kid) ?? this.#open(row.private_key);
    this.#signing.set(row.kid, opening);
    opening.catch(() => this.#signing.delete(row.kid));
    return { kid: row.kid, key: await opening };
  }

  /** What permits verify with, whatever of them may still be good. */
  async published(): Promise<JSONWebKeySet> {
    const { rows } = await this.#options.pool.query<{ public_jwk: JWK }>(
      'SELECT public_jwk FROM gate.keys WHERE retired_at IS NULL ORDER BY signs_from, kid',
    );
    return { keys: rows.map((row) => row.public_jwk) };
  }

  /** Every key there ever was, so that an old permit is known for one. */
  readonly known: PermitKeys = async (kid) => {
    const found = this.#public.get(kid);
    if (found !== undefined || !/^[\w-]{43}$/.test(kid)) return found;
    const { rows } = await this.#options.pool.query<{ public_jwk: JWK }>('SELECT public_jwk FROM gate.keys WHERE kid = $1', [kid]);
    const key = await localKeys({ keys: rows.map((row) => row.public_jwk) })(kid);
    if (key !== undefined) this.#public.set(kid, key);
    return key;
  };

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#turning;
  }

  async #open(stored: string): Promise<CryptoKey> {
    const jwk = await this.#options.seal.open(stored);
    if (jwk === undefined) throw new UnopenedKey();
    return (await importJWK(jwk, 'EdDSA')) as CryptoKey;
  }

  async #turn(): Promise<void> {
    await transaction(this.#options.pool, (tx) => turnKeys(tx, this.#options.seal, this.#times), { statementTimeoutMs: 10_000 });
  }

  async #keepTurning(): Promise<void> {
    const { clock, logger, rotationMs } = this.#options;
    const everyMs = Math.min(turnEveryAtMostMs, rotationMs / 20);
    while (!this.#stop.signal.aborted) {
      await clock.sleep(everyMs, this.#stop.signal);
      if (this.#stop.signal.aborted) return;
      await this.#turn().catch((err: unknown) => logger.warn({ err }, 'permit keys could not be looked after; trying again'));
    }
  }

  /** What was stored without a secret, or with an earlier one, is stored with the one that is set now. */
  async #sealAnew(): Promise<void> {
    const { pool, seal } = this.#options;
    const { rows } = await pool.query<{ kid: string; private_key: string }>(
      'SELECT kid, private_key FROM gate.keys WHERE private_key IS NOT NULL',
    );
    for (const { kid, private_key } of rows) {
      if (await seal.isCurrent(private_key)) continue;
      const jwk = await seal.open(private_key);
      if (jwk === undefined) continue;
      await pool.query('UPDATE gate.keys SET private_key = $3 WHERE kid = $1 AND private_key = $2', [
        kid,
        private_key,
        await seal.close(jwk),
      ]);
    }
  }
}

class UnopenedKey extends GateUnavailable {
  constructor() {
    super('the key to sign permits with cannot be opened');
  }
}
