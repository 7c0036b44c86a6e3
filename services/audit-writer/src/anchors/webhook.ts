import { type Anchor, AnchorError } from './anchor.ts';
import { postText } from './post.ts';

/** Posts the note. The receiver verifies it with the log's key, so the request needs no other signature. */
export function webhookAnchor(url: URL): Anchor {
  return {
    name: `webhook:${url.host}`,
    keep: async ({ note }) => {
      const { status } = await postText(url, note);
      if (status < 200 || status > 299) throw new AnchorError(`it answered ${status}`);
      return note;
    },
  };
}
