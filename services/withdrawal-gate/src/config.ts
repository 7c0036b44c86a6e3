import { type IntakeSettings, intakeSchema } from '@weir/intake/config';
import type { Schema } from '@weir/service-kit';
import { ConfigError } from '@weir/service-kit/config';

export interface WithdrawalGateSettings {
  withdrawalDeadlineMs: number;
  permitTtlMs: number;
  allowMaxAgeMs: number;
  permitIssuer: string;
  permitKeyRotationMs: number;
  permitKeySecret: string;
  permitJournal: string;
  permitJournalKeepDays: number;
  gateMaxWaiters: number;
  gateMaxUnreadMs: number;
}

const leastSecretLength = 32;

/** The first secret seals and all of them open, so that a secret can be replaced. */
function permitKeySecrets(setting: string): string[] {
  return setting.split(',').filter((secret) => secret !== '');
}

/** Without a secret the gate could not distinguish its permit keys from those of anybody who writes to the database. */
export function requirePermitKeySecrets(setting: string): [string, ...string[]] {
  const [first, ...rest] = permitKeySecrets(setting);
  if (first === undefined)
    throw new ConfigError(
      `setting WEIR_PERMIT_KEY_SECRET is wrong: the gate needs a secret of at least ${leastSecretLength} characters, which authenticates its permit keys`,
    );
  return [first, ...rest];
}

export const withdrawalGateSchema: Schema<WithdrawalGateSettings & IntakeSettings> = {
  ...intakeSchema,
  withdrawalDeadlineMs: {
    doc: 'How long after its receipt a withdrawal may be without a result before it is held',
    format: 'positive-int',
    default: 60_000,
    env: 'WEIR_WITHDRAWAL_DEADLINE_MS',
  },
  permitTtlMs: {
    doc: 'How long a permit may be redeemed; at most a day, because a decision holds for its day',
    format: (value: unknown) => {
      if (!Number.isSafeInteger(value) || (value as number) < 1 || (value as number) > 86_400_000)
        throw new Error('must be a whole number from 1 to 86400000');
    },
    default: 300_000,
    env: 'WEIR_PERMIT_TTL_MS',
  },
  allowMaxAgeMs: {
    doc: 'How old the decision that allows a withdrawal may be when a permit is issued; the withdrawal of an older one is screened again first',
    format: 'positive-int',
    default: 900_000,
    env: 'WEIR_ALLOW_MAX_AGE_MS',
  },
  permitIssuer: {
    doc: 'The name of this gate in its permits (iss); verifiers expect it',
    format: (value: unknown) => {
      if (typeof value !== 'string' || !/^[\x21-\x7e]{1,256}$/.test(value)) throw new Error('must be 1 to 256 visible ASCII characters');
    },
    default: 'weir',
    env: 'WEIR_PERMIT_ISSUER',
  },
  permitKeyRotationMs: {
    doc: 'How long a key signs permits before the next one does, which is published a quarter of that time ahead',
    format: 'positive-int',
    default: 2_592_000_000,
    env: 'WEIR_PERMIT_KEY_ROTATION_MS',
  },
  permitKeySecret: {
    doc: 'Secret that authenticates and encrypts permit keys in the database: 32 random characters or more; several with commas: the first seals, all open. Empty: weir start makes one in its data folder, a gate that runs by itself does not start',
    format: (value: unknown) => {
      const isRight = typeof value === 'string' && permitKeySecrets(value).every((secret) => secret.length >= leastSecretLength);
      if (!isRight) throw new Error(`must have at least ${leastSecretLength} characters`);
    },
    default: '',
    env: 'WEIR_PERMIT_KEY_SECRET',
    sensitive: true,
  },
  permitJournal: {
    doc: 'Folder outside the database that gets a line for each redeemed permit before it is answered, so that a restored database cannot redeem it again. Empty: weir start uses permit-journal in its data folder, a gate that runs by itself keeps none and warns',
    format: String,
    default: '',
    env: 'WEIR_PERMIT_JOURNAL',
  },
  permitJournalKeepDays: {
    doc: 'Days after its last line until a file of the journal of redeemed permits is removed; no backup that is older may be restored. 0: never',
    format: 'nat',
    default: 730,
    env: 'WEIR_PERMIT_JOURNAL_KEEP_DAYS',
  },
  gateMaxWaiters: {
    doc: 'Requests that may wait for their decision at once (Prefer: wait); further ones get "pending" immediately',
    format: 'positive-int',
    default: 1_000,
    env: 'WEIR_GATE_MAX_WAITERS',
  },
  gateMaxUnreadMs: {
    doc: 'How old a decision may be that the gate has not read, and permits be issued and redeemed all the same',
    format: (value: unknown) => {
      if (!Number.isSafeInteger(value) || (value as number) < 2_000 || (value as number) > 300_000)
        throw new Error('must be a whole number from 2000 to 300000');
    },
    default: 15_000,
    env: 'WEIR_GATE_MAX_UNREAD_MS',
  },
};
