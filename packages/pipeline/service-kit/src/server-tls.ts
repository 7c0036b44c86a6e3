import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { Schema } from 'convict';
import { ConfigError } from './config.ts';

export interface TlsSettings {
  tlsCertFile: string;
  tlsKeyFile: string;
  tlsPort: number;
}

/** TLS of a service that runs by itself. */
export const tlsSchema: Schema<TlsSettings> = {
  tlsCertFile: {
    doc: 'Certificate to serve HTTPS with (PEM, with its chain); read again each minute. Empty: plain HTTP',
    format: String,
    default: '',
    env: 'WEIR_TLS_CERT_FILE',
  },
  tlsKeyFile: { doc: 'Private key of that certificate (PEM)', format: String, default: '', env: 'WEIR_TLS_KEY_FILE' },
  tlsPort: {
    doc: 'Port for HTTPS beside plain HTTP on WEIR_PORT; 0: HTTPS on WEIR_PORT',
    format: 'port',
    default: 0,
    env: 'WEIR_TLS_PORT',
  },
};

/** Name, help and labels of the gauge. */
export const certificateExpiry = [
  'weir_tls_certificate_expiry_timestamp_seconds',
  'When the certificate that this server shows ends (Unix time); absent without TLS',
  [] as const,
] as const;

export interface ServerCertificate {
  readonly cert: string;
  readonly key: string;
  readonly expiresAt: Date;
}

/** Undefined without the settings. Rejects with `ConfigError` unless the files are a certificate and its key. */
export async function readServerCertificate({
  tlsCertFile,
  tlsKeyFile,
}: Omit<TlsSettings, 'tlsPort'>): Promise<ServerCertificate | undefined> {
  if (tlsCertFile === '' && tlsKeyFile === '') return undefined;
  if (tlsCertFile === '') throw new ConfigError('setting WEIR_TLS_CERT_FILE is not set, and WEIR_TLS_KEY_FILE is');
  if (tlsKeyFile === '') throw new ConfigError('setting WEIR_TLS_KEY_FILE is not set, and WEIR_TLS_CERT_FILE is');
  const [cert, key] = await Promise.all([read('WEIR_TLS_CERT_FILE', tlsCertFile), read('WEIR_TLS_KEY_FILE', tlsKeyFile)]);
  try {
    // Fails for a key of another certificate.
    createSecureContext({ cert, key });
    return { cert, key, expiresAt: new X509Certificate(cert).validToDate };
  } catch {
    throw new ConfigError('setting WEIR_TLS_CERT_FILE is wrong: the files are not a certificate and its private key (PEM)');
  }
}

async function read(setting: string, file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError(`setting ${setting} is wrong: the file cannot be read (${error.code})`);
  });
}
