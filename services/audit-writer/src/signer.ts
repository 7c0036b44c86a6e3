import { createHash } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  assembleNote,
  type Checkpoint,
  checkpointText,
  createSignerKey,
  NoteKeyError,
  parseSignerKey,
  type SignerKey,
  type VerifierKey,
} from '@weir/audit-log';
import { ConfigError } from '@weir/service-kit/config';
import type { AuditWriterSettings } from './config.ts';
import { openRemoteSigners } from './kms/settings.ts';
import type { Random } from './tree.ts';

/** Signs checkpoints with keys that are not in the database. */
export interface CheckpointSigner {
  /** Name of the log, and of its keys. */
  readonly origin: string;
  /** All of them sign. */
  readonly keys: readonly VerifierKey[];
  sign(checkpoint: Checkpoint): Promise<string>;
}

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
  const lines = text.split(/[\s,]+/).filter((line) => line !== '');
  const keys = lines.map((line) => parsed(line, source));
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

/** The last checkpoint that was signed, kept outside the database. */
export interface LastCheckpoint {
  read(): string | undefined;
  write(note: string): void;
}

export function lastCheckpointIn(dir: string): LastCheckpoint {
  return checkpointFile(join(dir, 'audit-checkpoint'));
}

/** The last checkpoint of another log that this witness has cosigned. */
export function cosignedCheckpointIn(dir: string, origin: string): LastCheckpoint {
  const folder = join(dir, 'audit-witnessed');
  mkdirSync(folder, { recursive: true });
  // An origin may have any characters.
  return checkpointFile(join(folder, createHash('sha256').update(origin).digest('hex')));
}

function checkpointFile(file: string): LastCheckpoint {
  return {
    read: () => (existsSync(file) ? readFileSync(file, 'utf8') : undefined),
    write: (note) => writeWhole(file, note),
  };
}

/** Renamed into place, so that a kill leaves no partial file. */
function writeWhole(file: string, text: string): void {
  renameSync(writeAside(file, text), file);
}

/** Unless another replica was faster. */
function writeFirst(file: string, text: string): void {
  const aside = writeAside(file, text);
  try {
    linkSync(aside, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    unlinkSync(aside);
  }
}

/** Replicas share the folder, so each has a name of its own. */
function writeAside(file: string, text: string): string {
  const aside = `${file}.${process.pid}.new`;
  writeFileSync(aside, text, { mode: 0o600, flush: true });
  return aside;
}

function parsed(line: string, source: string): SignerKey {
  try {
    return parseSignerKey(line);
  } catch (error) {
    if (error instanceof NoteKeyError) throw new ConfigError(`${source} is wrong: ${error.message}`);
    throw error;
  }
}
