import type { Queryable } from '@weir/postgres';
import { ConfigError } from '@weir/service-kit';
import { requirePermitKeySecrets } from '../config.ts';
import { KeysNotAuthentic, readUsableKeys } from './rotation.ts';
import { createSeal } from './seal.ts';

/** Rejects with `ConfigError` when permit keys are stored and none is authentic under this setting. Changes nothing. */
export async function checkPermitKeys(db: Queryable, permitKeySecret: string): Promise<void> {
  await readUsableKeys(db, createSeal(requirePermitKeySecrets(permitKeySecret))).catch(nameSecret);
}

/** Names the wrong setting. */
export function nameSecret(error: unknown): never {
  if (!(error instanceof KeysNotAuthentic)) throw error;
  throw new ConfigError('setting WEIR_PERMIT_KEY_SECRET is wrong: permit keys are stored, and none is authenticated under it', {
    cause: error,
  });
}
