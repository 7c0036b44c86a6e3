import { type Clock, repeat } from '@weir/clock';
import { PolicyError, parsePolicy, readPolicy } from '@weir/policy';
import type { Pool } from '@weir/postgres';
import { ConfigError, type Logger } from '@weir/service-kit';
import type { DecisionMetrics } from './metrics.ts';
import { policyInForce, takePolicy } from './policies.ts';

/** The file is small, and file events are unreliable on mounted folders: poll. */
const lookEveryMs = 1_000;

/**
 * Puts the policy file in force at the start and on each change of its content. An invalid file changes nothing: it is logged,
 * `weir_policy_file_rejected` is 1, and `warnings` names it.
 */
export class PolicyFile {
  readonly #options: { path: string; pool: Pool; logger: Logger; metrics: DecisionMetrics };
  /** The content last processed, valid or not. */
  #done: string | undefined;
  #seen: string | undefined;
  #fault: string | undefined;

  constructor(options: { path: string; pool: Pool; logger: Logger; metrics: DecisionMetrics }) {
    this.#options = options;
  }

  /** With a policy in force an invalid file does not stop the start. Without one it is a `ConfigError`. */
  async start(): Promise<void> {
    const { path, pool, logger } = this.#options;
    if (path === '') {
      await takePolicy(pool, readPolicy(), 'default');
      return;
    }
    await this.look(true);
    const inForce = await policyInForce(pool);
    if (inForce === undefined) throw new ConfigError(`setting WEIR_POLICY_FILE is wrong: ${this.#fault}`);
    if (this.#fault === undefined && inForce.active_by !== 'file')
      logger.warn({ policy_hash: inForce.active }, 'the policy in force was set by command and stays until the policy file changes');
  }

  /** Reads the file once. Unless `atOnce`, new content counts when read twice: it may be half written. */
  async look(atOnce: boolean): Promise<void> {
    const { path, pool, logger, metrics } = this.#options;
    if (path === '') return;
    const text = read(path);
    const isSettled = atOnce || sameAs(this.#seen, text);
    this.#seen = keyOf(text);
    if (!isSettled || sameAs(this.#done, text)) return;
    try {
      if (text instanceof PolicyError) throw text;
      const { active } = await takePolicy(pool, text, 'file');
      const { hash } = parsePolicy(text);
      metrics.policyFileInfo.reset();
      metrics.policyFileInfo.set({ policy_hash: hash }, 1);
      if (active === hash) logger.info({ policy_hash: active }, 'the policy of the file is in force');
      this.#tell(undefined);
    } catch (error) {
      if (!(error instanceof PolicyError)) throw error;
      this.#tell(error.message);
      logger.error({ err: error, problems: error.problems }, 'the policy file is wrong; the policy before it stays in force');
    }
    this.#done = keyOf(text);
  }

  async watch(clock: Clock, signal: AbortSignal): Promise<void> {
    const onError = (err: unknown): void => this.#options.logger.warn({ err }, 'the policy file could not be looked at; trying again');
    await repeat({ clock, every: lookEveryMs, firstAfter: lookEveryMs, signal, onError }, () => this.look(false));
  }

  warnings(): string[] {
    return this.#fault === undefined ? [] : [`the policy file is not in force: ${this.#fault}`];
  }

  #tell(fault: string | undefined): void {
    this.#fault = fault;
    this.#options.metrics.policyFileRejected.set(fault === undefined ? 0 : 1);
  }
}

function read(path: string): string | PolicyError {
  try {
    return readPolicy(path);
  } catch (error) {
    if (error instanceof PolicyError) return error;
    throw error;
  }
}

function keyOf(text: string | PolicyError): string {
  return typeof text === 'string' ? `text ${text}` : `fault ${text.message}`;
}

function sameAs(key: string | undefined, text: string | PolicyError): boolean {
  return key === keyOf(text);
}
