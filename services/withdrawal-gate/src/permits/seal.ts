import { hkdfSync } from 'node:crypto';
import { CompactEncrypt, compactDecrypt, type JWK } from 'jose';

/** Encrypts private keys for the database, as JWE (direct, AES-256-GCM). */
export interface Seal {
  close(jwk: JWK): Promise<string>;
  /** Undefined for what none of the secrets opens. */
  open(stored: string): Promise<JWK | undefined>;
  /** Whether it is stored as it would be stored now. */
  isCurrent(stored: string): Promise<boolean>;
}

/** With no secret, keys are stored as they are. The first secret closes, all of them open. */
export function createSeal(secrets: readonly string[]): Seal {
  const keys = secrets.map((secret) => new Uint8Array(hkdfSync('sha256', secret, '', 'weir permit keys', 32)));
  const [first] = keys;
  return {
    close: async (jwk) => (first === undefined ? JSON.stringify(jwk) : encrypt(jwk, first)),
    open: async (stored) => {
      if (stored.startsWith('{')) return JSON.parse(stored) as JWK;
      for (const key of keys) {
        const jwk = await decrypt(stored, key);
        if (jwk !== undefined) return jwk;
      }
      return undefined;
    },
    isCurrent: async (stored) => {
      if (stored.startsWith('{')) return first === undefined;
      return first === undefined || (await decrypt(stored, first)) !== undefined;
    },
  };
}

function encrypt(jwk: JWK, key: Uint8Array): Promise<string> {
  const plain = new TextEncoder().encode(JSON.stringify(jwk));
  return new CompactEncrypt(plain).setProtectedHeader({ alg: 'dir', enc: 'A256GCM' }).encrypt(key);
}

async function decrypt(stored: string, key: Uint8Array): Promise<JWK | undefined> {
  const options = { keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] };
  const opened = await compactDecrypt(stored, key, options).catch(() => undefined);
  return opened && (JSON.parse(new TextDecoder().decode(opened.plaintext)) as JWK);
}
