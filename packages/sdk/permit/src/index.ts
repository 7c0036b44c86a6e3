export type { PermitClaims } from './claims.ts';
export { localKeys, type PermitKeys, type RemoteKeysOptions, remoteKeys } from './keys.ts';
export { maxPermitLength, permitAlgorithm, permitType, readPermit } from './read.ts';
export type { PermitCode, Verification } from './verification.ts';
export { type ExpectedTerms, mismatch, type VerifyOptions, verifyPermit } from './verify.ts';
