import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  assembleNote,
  checkpointText,
  createSignerKey,
  NoteKeyError,
  parseSignerKey,
  type SignerKey,
  type VerifierKey,
} from '@weir/audit-log';
import { ConfigError } from '@weir/service-kit/config';
import type { CheckpointSigner } from '../checkpoints.ts';
import { type AuditWriterSettings, partsOf } from '../config.ts';
import { writeFirst, writeWhole } from '../durable-file.ts';
import type { Random } from '../tree.ts';
import { openRemoteSigners } from './settings.ts';

interface NoteSigner {
  readonly verifier: VerifierKey;
  sign(message: string): Promise<Buffer>;
}

/** Undefined without a folder: such a writer signs nothing. Makes a key at the first start. Rejects with a ConfigError or a RemoteKeyError. */
export async function openSigner(
  {
    auditKey,
    auditKmsKeys,
    auditVaultToken,
    auditDir,
  }: Pick<AuditWriterSettings, 'auditKey' | 'auditKmsKeys' | 'auditVaultToken' | 'auditDir'>,
  random: Random,
): Promise<CheckpointSigner | undefined> {
  if (auditDir === '') {
    if (auditKey === '' && auditKmsKeys === '') return undefined;
    const setting = auditKey === '' ? 'WEIR_AUDIT_KMS_KEYS' : 'WEIR_AUDIT_KEY';
    throw new ConfigError(`setting WEIR_AUDIT_DIR is wrong: ${setting} needs a folder outside the database for the last checkpoint`);
  }
  mkdirSync(auditDir, { recursive: true });
  const remote = await openRemoteSigners(auditKmsKeys, auditVaultToken);
  const fromSetting = localSigners(auditKey, 'setting WEIR_AUDIT_KEY');
  const named = [...remote, ...fromSetting];
  const signer = checkpointSigner(named.length > 0 ? named : fileSigners(join(auditDir, 'audit-key'), random));
  // For "weir audit verify": the copy in the database may be anybody's.
  writeWhole(join(auditDir, 'audit-key.pub'), signer.keys.map(({ text }) => `${text}\n`).join(''));
  return signer;
}

/** Throws a ConfigError. */
function checkpointSigner(signers: readonly NoteSigner[]): CheckpointSigner {
  const origin = signers[0]?.verifier.name ?? '';
  if (signers.some(({ verifier }) => verifier.name !== origin))
    throw new ConfigError('the signing keys of the audit log have several names');
  return {
    origin,
    keys: signers.map(({ verifier }) => verifier),
    sign: async (checkpoint) => {
      const text = checkpointText(checkpoint);
      const signed = signers.map(async (signer) => ({ verifier: signer.verifier, signature: await signer.sign(text) }));
      return assembleNote(text, await Promise.all(signed));
    },
  };
}

/** Keys as `PRIVATE+KEY+name+id+base64`, with commas or on lines. Throws a ConfigError that does not contain them. */
function localSigners(text: string, source: string): NoteSigner[] {
  const keys = partsOf(text).map((line) => parsed(line, source));
  return keys.map((key) => ({ verifier: key.verifier, sign: async (message) => key.sign(message) }));
}

function fileSigners(file: string, random: Random): NoteSigner[] {
  if (!existsSync(file)) writeFirst(file, `${createSignerKey(`weir-audit-${random(4).toString('hex')}`, random(32)).text}\n`);
  const signers = localSigners(readFileSync(file, 'utf8'), file);
  if (signers.length === 0) throw new ConfigError(`${file} has no signing key`);
  return signers;
}

/** The key of a witness, made at the first start. */
export function openWitnessKey(auditDir: string, random: Random): SignerKey {
  const file = join(auditDir, 'audit-witness-key');
  const made = () => createSignerKey(`weir-witness-${random(4).toString('hex')}`, random(32), 'cosignature');
  mkdirSync(auditDir, { recursive: true });
  if (!existsSync(file)) writeFirst(file, `${made().text}\n`);
  return parsed(readFileSync(file, 'utf8').trim(), file);
}

function parsed(line: string, source: string): SignerKey {
  try {
    return parseSignerKey(line);
  } catch (error) {
    if (error instanceof NoteKeyError) throw new ConfigError(`${source} is wrong: ${error.message}`);
    throw error;
  }
}
