import { hash } from 'node:crypto';

/** Bytes of a hash. */
export const hashLength = 32;

/** The root of a tree without leaves. */
export const emptyRoot: Buffer = sha256(Buffer.alloc(0));

const leafPrefix = Buffer.of(0);
const nodePrefix = Buffer.of(1);

export function sha256(data: Uint8Array): Buffer {
  return hash('sha256', data, 'buffer');
}

/** RFC 6962, section 2.1: the hash of one leaf's bytes. */
export function leafHash(data: Uint8Array): Buffer {
  return sha256(Buffer.concat([leafPrefix, data]));
}

/** RFC 6962, section 2.1: the hash of two subtrees. */
export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  return sha256(Buffer.concat([nodePrefix, left, right]));
}
