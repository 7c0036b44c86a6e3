import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { CompactEncrypt, compactDecrypt, type JWK } from 'jose';

/** The authenticated public part of a permit key. */
interface PublicKey {
  readonly kid: string;
  /** The Ed25519 point, base64url. */
  readonly x: string;
}

/**
 * Protects permit keys against anybody who can write to the database: private parts are encrypted (JWE, direct, AES-256-GCM),
 * public parts carry a MAC (HMAC-SHA-256). Both keys derive from the gate's secret. The first secret seals, all of them open.
 */
export interface Seal {
  close(jwk: JWK): Promise<string>;
  /** Undefined when no secret opens it. */
  open(stored: string): Promise<JWK | undefined>;
  authenticate(key: PublicKey): Buffer;
  isAuthentic(key: PublicKey, mac: Buffer): boolean;
  /** True when the first secret made it. */
  isCurrent(key: PublicKey, mac: Buffer, privateKey: string | null): Promise<boolean>;
}

export function createSeal(secrets: readonly [string, ...string[]]): Seal {
  const keysOf = (secret: string): Keys => ({
    encryption: new Uint8Array(hkdfSync('sha256', secret, '', 'weir permit keys', 32)),
    authentication: new Uint8Array(hkdfSync('sha256', secret, '', 'weir permit key authentication', 32)),
  });
  const first = keysOf(secrets[0]);
  const all = secrets.map(keysOf);
  return {
    close: (jwk) => encrypt(jwk, first.encryption),
    open: async (stored) => {
      for (const { encryption } of all) {
        const jwk = await decrypt(stored, encryption);
        if (jwk !== undefined) return jwk;
      }
      return undefined;
    },
    authenticate: (key) => macOf(key, first.authentication),
    isAuthentic: (key, mac) => all.some(({ authentication }) => isEqual(macOf(key, authentication), mac)),
    isCurrent: async (key, mac, privateKey) =>
      isEqual(macOf(key, first.authentication), mac) &&
      (privateKey === null || (await decrypt(privateKey, first.encryption)) !== undefined),
  };
}

interface Keys {
  readonly encryption: Uint8Array;
  readonly authentication: Uint8Array;
}

function macOf({ kid, x }: PublicKey, key: Uint8Array): Buffer {
  return createHmac('sha256', key)
    .update(JSON.stringify([kid, x]))
    .digest();
}

function isEqual(expected: Buffer, given: Buffer): boolean {
  return expected.length === given.length && timingSafeEqual(expected, given);
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
