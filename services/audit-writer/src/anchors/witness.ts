import { formatAddCheckpoint, NoteError, openNote, parseVerifierKey, type VerifierKey } from '@weir/audit-log';
import type { SignedCheckpoint } from '../checkpoints.ts';
import { type Anchor, AnchorError, type Growth } from './anchor.ts';
import { type Posted, postText } from './post.ts';

/**
 * A witness of C2SP tlog-witness, for example another Weir. It cosigns a checkpoint only if the tree begins with the tree that it cosigned
 * before. `url` is its submission prefix; the fragment is its key, `name+id+base64`. Throws a NoteKeyError.
 */
export function witnessAnchor(url: URL): Anchor {
  const key = parseVerifierKey(decodeURIComponent(url.hash.slice(1)));
  const target = new URL(url);
  target.hash = '';
  target.pathname = `${target.pathname.replace(/\/$/, '')}/add-checkpoint`;
  return {
    name: `witness:${key.name}`,
    keep: async (checkpoint, growth) => {
      let answer = await submit(target, checkpoint, growth, growth.from);
      const known = sizeOf(answer);
      // The witness knows more, or less, than this log remembers of it.
      if (known !== undefined && known <= checkpoint.size) answer = await submit(target, checkpoint, growth, known);
      return cosigned(checkpoint.note, answer, key);
    },
  };
}

async function submit(target: URL, { note }: SignedCheckpoint, growth: Growth, old: number): Promise<Posted> {
  return postText(target, formatAddCheckpoint({ old, proof: await growth.proofFrom(old), note }));
}

function sizeOf({ status, type, text }: Posted): number | undefined {
  return status === 409 && type.startsWith('text/x.tlog.size') && /^\d{1,15}\n$/.test(text) ? Number(text) : undefined;
}

function cosigned(note: string, answer: Posted, key: VerifierKey): string {
  const size = sizeOf(answer);
  if (size !== undefined) throw new AnchorError(`it has cosigned a tree of ${size} leaves: this log was rolled back`);
  if (answer.status === 404) throw new AnchorError('it does not know this log');
  if (answer.status === 409 || answer.status === 422)
    throw new AnchorError('it has cosigned another tree: this log was altered, or another log has its name');
  if (answer.status !== 200) throw new AnchorError(`it answered ${answer.status}`);
  try {
    openNote(`${note}${answer.text}`, [key]);
  } catch (error) {
    if (error instanceof NoteError)
      throw new AnchorError('its cosignature does not verify with the key in WEIR_AUDIT_ANCHORS', { cause: error });
    throw error;
  }
  return `${note}${answer.text}`;
}
