import { localKeys, type PermitKeys } from '@weir/permit';
import { type Pool, type Queryable, transaction } from '@weir/postgres';
import type { Jobs, Logger } from '@weir/service-kit';
import type { GateMetrics } from '../metrics.ts';
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
  readonly jobs: Jobs;
  readonly logger: Logger;
  readonly metrics: GateMetrics;
}

const mostNamed = 10;
const turnEveryAtMostMs = 60_000;

/**
 * The signing keys of permits in `gate.keys`, shared by all replicas. The table is untrusted: a row that fails authentication under
 * the gate's secret is not published, verifies nothing and signs nothing.
 */
export class Keyring {
  readonly #options: KeyringOptions;
  readonly #times: RotationTimes;
  readonly #stop = new AbortController();
  readonly #signing = new Map<string, CryptoKey>();
  readonly #public = new Map<string, CryptoKey>();
  /** The rows of the last log line. */
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

  /** Cache time of the JWKS, in seconds: shorter than the lead, so that verifiers know a new key before it signs. */
  get maxAgeSeconds(): number {
    return Math.min(300, Math.floor(this.#times.leadMs / 2_000));
  }

  /** The current signing key by the database's clock. Rejects when no key is usable, so nothing is signed. */
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

  /** The keys of all permits that may still be valid. */
  async published(): Promise<JSONWebKeySet> {
    const { pool, seal } = this.#options;
    const { authentic } = await readKeys(pool, seal, 'WHERE retired_at IS NULL ORDER BY signs_from, kid');
    return { keys: authentic.map(publicJwk) };
  }

  /** Includes retired keys, so that old permits are recognised. */
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

  /** Logs a set of rows once; the gauge stays while they exist. */
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
    const { jobs, rotationMs } = this.#options;
    const everyMs = Math.min(turnEveryAtMostMs, rotationMs / 20);
    await jobs.repeat({ service: 'withdrawal-gate', name: 'rotate-permit-keys', everyMs, signal: this.#stop.signal }, () => this.#turn());
  }

  /** Replaces seals of an earlier secret. */
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
