import type { Schema } from '@weir/service-kit';

export interface AuditWriterSettings {
  auditBatch: number;
  auditDir: string;
  auditKey: string;
  auditKmsKeys: string;
  auditVaultToken: string;
  auditCheckpointMs: number;
  auditAnchors: string;
  auditAnchorMs: number;
  auditWitnessOf: string;
}

/** The audit log without a key, anchors or a witness. */
export const unsignedLog = {
  auditDir: '',
  auditKey: '',
  auditKmsKeys: '',
  auditVaultToken: '',
  auditCheckpointMs: 1_000,
  auditAnchors: '',
  auditAnchorMs: 600_000,
  auditWitnessOf: '',
} as const satisfies Omit<AuditWriterSettings, 'auditBatch'>;

/** The parts of a setting that holds several, with commas or white space between them. */
export function partsOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((part) => part !== '');
}

export const auditWriterSchema: Schema<AuditWriterSettings> = {
  auditBatch: {
    doc: 'Events taken from the log at once; up to four times as many go into one transaction and are held in memory',
    format: 'positive-int',
    default: 500,
    env: 'WEIR_AUDIT_BATCH',
  },
  auditDir: {
    doc: 'Folder outside the database with the signing key of the audit log (audit-key) and the last checkpoint that it signed (audit-checkpoint). Empty: weir start uses its data folder, an audit-writer that runs by itself signs no checkpoints',
    format: String,
    default: '',
    env: 'WEIR_AUDIT_DIR',
  },
  auditKey: {
    doc: 'Signing keys of the audit log in the form of sumdb/note (PRIVATE+KEY+name+id+base64), several with commas: all of them sign, so that a key can be replaced. Empty: the file audit-key, made at the first start',
    format: String,
    default: '',
    env: 'WEIR_AUDIT_KEY',
    sensitive: true,
  },
  auditKmsKeys: {
    doc: 'Signing keys of the audit log in a key management service, with commas: aws-kms://REGION/KEY#NAME, gcp-kms://projects/…/cryptoKeyVersions/N#NAME, vault+https://HOST/MOUNT/KEY#NAME. They take the place of the file audit-key; NAME is the name of the log',
    format: String,
    default: '',
    env: 'WEIR_AUDIT_KMS_KEYS',
  },
  auditVaultToken: {
    doc: 'Token for the keys of WEIR_AUDIT_KMS_KEYS in Vault. It may sign with the key and read it',
    format: String,
    default: '',
    env: 'VAULT_TOKEN',
    sensitive: true,
  },
  auditCheckpointMs: {
    doc: 'How often a checkpoint is signed if the audit log has grown',
    format: 'positive-int',
    default: unsignedLog.auditCheckpointMs,
    env: 'WEIR_AUDIT_CHECKPOINT_MS',
  },
  auditAnchors: {
    doc: 'Places outside that keep checkpoints, with commas: file:///folder, https://… (POST), s3://bucket/prefix?days=… (object lock; also region, endpoint, lock), witness+https://…#key (C2SP tlog-witness)',
    format: String,
    default: '',
    env: 'WEIR_AUDIT_ANCHORS',
    sensitive: true,
  },
  auditAnchorMs: {
    doc: 'How often each place of WEIR_AUDIT_ANCHORS gets the latest checkpoint if the audit log has grown',
    format: 'positive-int',
    default: unsignedLog.auditAnchorMs,
    env: 'WEIR_AUDIT_ANCHOR_MS',
  },
  auditWitnessOf: {
    doc: 'Public keys (name+id+base64, with commas) of other logs whose checkpoints this Weir cosigns as a witness. Empty: it is no witness',
    format: String,
    default: '',
    env: 'WEIR_AUDIT_WITNESS_OF',
  },
};
