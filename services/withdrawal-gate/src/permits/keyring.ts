import { type Clock, repeat } from '@weir/clock';
import { localKeys, type PermitKeys } from '@weir/permit';
import { type Pool, type Queryable, transaction } from '@weir/postgres';
import { type Logger, type Metrics } from '@weir/service-kit';
import { type CryptoKey, importJWK, type JSONWebKeySet } from 'jose';
import { GateUnavailable } from '../availability.ts';
import { nameSecret } from './check.ts';
import { type RotationTimes, rotationTimes, turnKeys } from './rotation.ts';
import type { Seal } from './seal.ts';
import { type AuthenticKey, openKey, publicJwk, readKeys } from './stored-keys.ts';

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
  readonly metrics: Pick<Metrics, 'permitKeysUnauthenticated'>;
}

const mostNamed = 10;
const turnEveryAtMostMs = 60_000;

/**
 * The keys that permits are signed with, in `gate.keys`, shared by all replicas. The table is input: a row that is not authenticated under the
 * gate's secret is not published, verifies nothing and signs nothing.
 */
export class Keyring {
  readonly #options: KeyringOptions;
  readonly #times: RotationTimes;
  readonly #stop = new AbortController();
  readonly #signing = new Map<string, CryptoKey>();
  readonly #public = new Map<string, CryptoKey>();
  /** Rows that were last logged as not authenticated. */
  #reported = '';
  #turning: Promise<void> = Promise.resolve();

  private constructor(options: KeyringOptions) {
    this.#options = options;
    this.#times = rotationTimes(options.rotationMs);
  }

  /** Rejects with `ConfigError` when keys are stored of which none is authentic. */
  static async open(options: KeyringOptions): Promise<Keyring> {
    const keyring = new Keyring(options);
    await keyring.#turn().catch(nameSecret);
    await keyring.#sealAnew();
    keyring.#turning = keyring.#keepTurning();
    return keyring;
  }

  /** Seconds for which others may keep a copy of what is published: a new key is known to them before it signs. */
  get maxAgeSeconds(): number {
    return Math.min(300, Math.floor(this.#times.leadMs / 2_000));
  }

  /** The key to sign with now, by the clock of the database. Rejects when there is none that can be used: then nothing is signed. */
  async signing(db: Queryable): Promise<SigningKey> {
    const { authentic } = await readKeys(
      db,
      this.#options.seal,
      'WHERE private_key IS NOT NULL AND signs_from <= clock_timestamp() ORDER BY signs_from DESC, kid',
    );
    for (const stored of authentic) {
      const key = await this.#open(stored);
      if (key !== undefined) return { kid: stored.kid, key };
    }
    throw new GateUnavailable('there is no key to sign permits with');
  }

  /** What permits verify with, whatever of them may still be good. */
  async published(): Promise<JSONWebKeySet> {
    const { pool, seal } = this.#options;
    const { authentic } = await readKeys(pool, seal, 'WHERE retired_at IS NULL ORDER BY signs_from, kid');
    return { keys: authentic.map(publicJwk) };
  }

  /** Every authentic key there ever was, so that an old permit is known for one. */
  readonly known: PermitKeys = async (kid) => {
    const found = this.#public.get(kid);
    if (found !== undefined || !/^[\w-]{43}$/.test(kid)) return found;
    const { pool, seal } = this.#options;
    const { authentic } = await readKeys(pool, seal, 'WHERE kid = $1', [kid]);
    const key = await localKeys({ keys: authentic.map(publicJwk) })(kid);
    if (key !== undefined) this.#public.set(kid, key);
    return key;
  };

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#turning;
  }

  async #open(stored: AuthenticKey): Promise<CryptoKey | undefined> {
    const known = this.#signing.get(stored.kid);
    if (known !== undefined) return known;
    const jwk = await openKey(this.#options.seal, stored);
    if (jwk === undefined) return undefined;
    const key = (await importJWK(jwk, 'EdDSA')) as CryptoKey;
    this.#signing.set(stored.kid, key);
    return key;
  }

  async #turn(): Promise<void> {
    const { pool, seal } = this.#options;
    this.#report(await transaction(pool, (tx) => turnKeys(tx, seal, this.#times), { statementTimeoutMs: 10_000 }));
  }

  /** Logged once for the same rows; the gauge stays while they are there. */
  #report(kids: readonly string[]): void {
    const { logger, metrics } = this.#options;
    metrics.permitKeysUnauthenticated.set(kids.length);
    const text = kids.join();
    if (text !== this.#reported && kids.length > 0)
      logger.error(
        { kids: kids.slice(0, mostNamed).map((kid) => kid.slice(0, 43)), count: kids.length },
        'permit keys are stored that are not authenticated under WEIR_PERMIT_KEY_SECRET; they are not published and verify nothing',
      );
    this.#reported = text;
  }

  async #keepTurning(): Promise<void> {
    const { clock, logger, rotationMs } = this.#options;
    const everyMs = Math.min(turnEveryAtMostMs, rotationMs / 20);
    const onError = (err: unknown): void => logger.warn({ err }, 'permit keys could not be looked after; trying again');
    await repeat({ clock, every: everyMs, firstAfter: everyMs, signal: this.#stop.signal, onError }, () => this.#turn());
  }

  /** What was sealed under an earlier secret is sealed under the one that is set now. */
  async #sealAnew(): Promise<void> {
    const { pool, seal } = this.#options;
    const { authentic } = await readKeys(pool, seal, '');
    for (const key of authentic) {
      if (await seal.isCurrent(key, key.mac, key.privateKey)) continue;
      const jwk = await openKey(seal, key);
      await pool.query(
        'UPDATE gate.keys SET mac = $2, private_key = $3 WHERE kid = $1 AND mac = $4 AND private_key IS NOT DISTINCT FROM $5',
        [key.kid, seal.authenticate(key), jwk === undefined ? key.privateKey : await seal.close(jwk), key.mac, key.privateKey],
      );
    }
  }
}
