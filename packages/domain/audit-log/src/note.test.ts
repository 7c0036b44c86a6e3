import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  cosignNote,
  createSignerKey,
  openCheckpoint,
  openNote,
  parseCheckpoint,
  parseNote,
  parseSignerKey,
  parseVerifierKey,
  signCheckpoint,
  signNote,
} from './index.ts';
import { seed } from './tree.testing.ts';

/** Keys, text and signatures of golang.org/x/mod v0.42.0, sumdb/note/note_test.go (TestNewSigner, TestSign, TestOpen). */
const go = {
  skey: 'PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz',
  peter: 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
  enoch: 'EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop',
  text: "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n",
  peterSig: '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n',
  enochSig: '— EnochRoot rwz+eBzmZa0SO3NbfRGzPCpDckykFXSdeX+MNtCOXm2/5n2tiOHp+vAF1aGrQ5ovTG01oOTGwnWLox33WWd1RvMc+QQ=\n',
  wrongLength: 'PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY==',
  unknownType: 'PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
};
const [peter, enoch] = [parseVerifierKey(go.peter), parseVerifierKey(go.enoch)];

describe('keys of sumdb/note', () => {
  test('are read and written as Go does', () => {
    const signer = parseSignerKey(go.skey);
    expect([signer.text, signer.verifier.text, peter.text]).toEqual([go.skey, go.peter, go.peter]);
    expect([peter.name, peter.id, peter.algorithm]).toEqual(['PeterNeumann', 'c74f20a3', 'ed25519']);
  });

  test('are refused when they are cut or altered anywhere, and the error does not repeat them', () => {
    for (let at = 0; at < go.peter.length; at++) {
      const next = String.fromCharCode(go.peter.charCodeAt(at) + 1);
      expect(() => parseVerifierKey(`${go.peter.slice(0, at)}${next}${go.peter.slice(at + 1)}`)).toThrow(/verifier key/);
      if (at > 0) expect(() => parseVerifierKey(go.peter.slice(0, at))).toThrow(/verifier key/);
      expect(() => parseSignerKey(go.skey.slice(0, at))).toThrow(/signing key/);
    }
    expect(() => parseVerifierKey(go.wrongLength)).toThrow(/33 bytes/);
    expect(() => parseVerifierKey(go.unknownType)).toThrow(/type/);
    expect(() => parseSignerKey(`${go.skey}A`)).toThrow(expect.objectContaining({ message: expect.not.stringContaining('gQoU') }));
  });
});

describe('notes of sumdb/note', () => {
  test('are signed to the byte as Go does', () => {
    expect(signNote(go.text, [parseSignerKey(go.skey)])).toBe(`${go.text}\n${go.peterSig}`);
  });

  test('open with either key or both; unknown keys are listed', () => {
    const note = `${go.text}\n${go.peterSig}${go.enochSig}`;
    expect(openNote(note, [peter, enoch])).toMatchObject({ text: go.text, signers: [peter, enoch], unverified: [] });
    expect(openNote(note, [enoch])).toMatchObject({ signers: [enoch], unverified: [{ name: 'PeterNeumann', id: 'c74f20a3' }] });
    expect(() => openNote(note, [])).toThrow(expect.objectContaining({ code: 'NOTE_UNSIGNED' }));
  });

  test('do not open with a wrong signature of a known key, though another is right', () => {
    const wrong = go.enochSig.replace('zmZa0S', 'zmZa0T');
    expect(() => openNote(`${go.text}\n${go.peterSig}${wrong}`, [peter, enoch])).toThrow(
      expect.objectContaining({ code: 'NOTE_SIGNATURE_INVALID' }),
    );
  });

  test.each([
    ['no signature', go.text],
    ['no signature after the empty line', `${go.text}\n`],
    ['no newline at the end', `${go.text}\n${go.peterSig.slice(0, -1)}`],
    ['a control character', `\u0001${go.text}\n${go.peterSig}`],
    ['a name with a space', `${go.text}\n${go.peterSig.replace('PeterNeumann', 'Bad Name')}`],
    ['another line', `${go.text}\n${go.peterSig}Unexpected line.\n`],
    ['more than 100 signatures', `${go.text}\n${go.peterSig.repeat(101)}`],
  ])('are malformed with %s', (_, note) => {
    expect(() => openNote(note, [peter])).toThrow(expect.objectContaining({ code: 'NOTE_MALFORMED' }));
  });
});

const signer = createSignerKey('example.com/weir', Buffer.alloc(32, 7));
const next = createSignerKey('example.com/weir', Buffer.alloc(32, 8));
const root = Buffer.alloc(32, 1);
const checkpoint = { origin: 'example.com/weir', size: 20_852_163, root };

describe('a checkpoint', () => {
  // The example of C2SP tlog-checkpoint and tlog-cosignature.
  const example = 'example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n';
  const cosigned = `${example}
— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=
— witness.example.com/w1 jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==
`;

  test('of the specification is read', () => {
    expect(parseCheckpoint(parseNote(cosigned).text)).toEqual({
      origin: 'example.com/behind-the-sofa',
      size: 20_852_163,
      root: Buffer.from('0ac5186a91863e8e1d90c808014aa89bf5da8e3ee1d9f07630f0378f68f1ab62', 'hex'),
    });
    expect(parseNote(cosigned).signatures.map(({ name, signature }) => [name, signature.length])).toEqual([
      ['example.com/behind-the-sofa', 64],
      ['witness.example.com/w1', 72],
    ]);
    expect(parseCheckpoint(`${example}an extension\n`).size).toBe(20_852_163);
  });

  test.each([
    ['no origin', `\n1\n${root.toString('base64')}\n`],
    ['a leading zero', `a\n01\n${root.toString('base64')}\n`],
    ['a size beyond counting', `a\n9007199254740993\n${root.toString('base64')}\n`],
    ['a short root', `a\n1\n${root.subarray(1).toString('base64')}\n`],
    ['an empty extension', `${example}\n`],
    ['nothing', ''],
  ])('is malformed with %s', (_, text) => {
    expect(() => parseCheckpoint(text)).toThrow(expect.objectContaining({ code: 'NOTE_MALFORMED' }));
  });

  test('during a rotation carries both signatures, and each key opens it', () => {
    const note = signCheckpoint(checkpoint, [signer, next]);
    for (const key of [signer, next]) expect(openCheckpoint(note, [key.verifier])).toMatchObject(checkpoint);
    expect(openCheckpoint(signCheckpoint(checkpoint, [next]), [signer.verifier, next.verifier]).signers).toEqual([next.verifier]);
  });

  test('is not opened by a key of another name', () => {
    const other = createSignerKey('example.org/other', Buffer.alloc(32, 9));
    expect(() => openCheckpoint(signCheckpoint(checkpoint, [other]), [other.verifier])).toThrow(/has signed/);
  });

  test('is not opened by its witness alone; a wrong cosignature refuses it', () => {
    const witness = createSignerKey('witness.example.com/w1', Buffer.alloc(32, 3), 'cosignature');
    const note = cosignNote(signCheckpoint(checkpoint, [signer]), witness, 1_679_315_147);
    const keys = [signer.verifier, parseVerifierKey(witness.verifier.text)];
    expect(openCheckpoint(note, keys).signers.map(({ name }) => name)).toEqual(['example.com/weir', 'witness.example.com/w1']);
    expect(() => openCheckpoint(note, keys.slice(1))).toThrow(expect.objectContaining({ code: 'NOTE_UNSIGNED' }));
    const later = cosignNote(signCheckpoint({ ...checkpoint, size: 1 }, [signer]), witness, 1)
      .split('\n')
      .at(-2);
    expect(() => openCheckpoint(`${signCheckpoint(checkpoint, [signer])}${later}\n`, keys)).toThrow(
      expect.objectContaining({ code: 'NOTE_SIGNATURE_INVALID' }),
    );
  });

  test(`does not open with any altered bit (seed ${seed})`, () => {
    const bytes = Buffer.from(signCheckpoint(checkpoint, [signer]));
    fc.assert(
      fc.property(fc.nat(bytes.length * 8 - 1), (bit) => {
        const copy = Buffer.from(bytes);
        copy[Math.floor(bit / 8)] = (copy[Math.floor(bit / 8)] ?? 0) ^ (1 << (bit % 8));
        expect(() => openCheckpoint(copy.toString(), [signer.verifier])).toThrow();
      }),
      { seed, numRuns: 500 },
    );
  });
});
