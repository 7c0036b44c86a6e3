import type { ResolutionView, ReviewDetail } from '@weir/console';
import { type Client, codeOf } from '../console.ts';
import { UsageError } from '../failure.ts';
import { type BulkFlags, type Done, runBulk } from './bulk.ts';
import type { Item } from './items.ts';

interface ResolveFlags extends BulkFlags {
  readonly action: 'allow' | 'block';
  readonly reason: string;
}

/** Resolves as the first person. Each resolution still needs an approval where the console demands one. */
export async function resolveAll(file: string, flags: ResolveFlags): Promise<void> {
  const { action, reason } = flags;
  if (reason.trim() === '') throw new UsageError('--reason must not be empty');
  await runBulk(file, flags, {
    verb: 'resolve',
    participle: 'resolved',
    ask: (count) => `Resolve ${count} with "${action}" in your name?`,
    one: async (client, item) => {
      const { screening_id, revision } = item;
      const reply = await client.post(`/v1/reviews/${screening_id}/resolutions`, {
        action,
        reason,
        ...(revision === undefined ? {} : { revision }),
      });
      if (reply.status === 201) return { screening_id, result: 'done', resolution_id: String(reply.body['resolution_id']), code: null };
      const { code, resolution_id, resolved_by } = reply.body;
      // A retry after a lost answer: the caller's own resolution stands.
      const isOwn = code === 'RESOLUTION_STANDS' && reply.body['action'] === action && String(resolved_by).endsWith(`:${client.callerId}`);
      if (isOwn) return { screening_id, result: 'done_before', resolution_id: String(resolution_id), code: null };
      // Its state may have changed meanwhile.
      return code === 'NOT_LATEST' || code === 'NOT_HELD' ? lookBack(client, item, action, code) : notDone(item, codeOf(reply));
    },
    look: async (client, item) => {
      const reply = await client.get(`/v1/reviews/${item.screening_id}`);
      if (reply.status !== 200) return notDone(item, codeOf(reply));
      const review = reply.body as unknown as ReviewDetail;
      const own = ownOf(review, client, action, item);
      if (own !== undefined) return { screening_id: item.screening_id, result: 'done_before', resolution_id: own, code: null };
      if (item.revision !== undefined && item.revision !== review.revision) return notDone(item, 'NOT_LATEST');
      if (review.state !== 'open') return notDone(item, review.action === 'review' ? 'RESOLUTION_STANDS' : 'NOT_HELD');
      return { screening_id: item.screening_id, result: 'would_be_done', resolution_id: null, code: null };
    },
  });
}

async function lookBack(client: Client, item: Item, action: string, code: string): Promise<Done> {
  const reply = await client.get(`/v1/reviews/${item.screening_id}`);
  const own = reply.status === 200 ? ownOf(reply.body as unknown as ReviewDetail, client, action, item) : undefined;
  return own === undefined
    ? notDone(item, code)
    : { screening_id: item.screening_id, result: 'done_before', resolution_id: own, code: null };
}

/** The caller's own resolution with this action, if it stands or was applied. */
function ownOf({ resolutions }: ReviewDetail, { callerId }: Client, action: string, item: Item): string | undefined {
  const one = resolutionOf(resolutions, item);
  const isGood = one !== undefined && ['pending_approval', 'approved', 'applied'].includes(one.state);
  return isGood && one.action === action && one.resolved_by.id.endsWith(`:${callerId}`) ? one.resolution_id : undefined;
}

/** The resolution of the given revision, else the latest. */
export function resolutionOf(resolutions: readonly ResolutionView[], { revision }: Item): ResolutionView | undefined {
  return revision === undefined ? resolutions[0] : resolutions.find((one) => one.revision === revision);
}

export function notDone({ screening_id }: Item, code: string): Done {
  return { screening_id, result: 'not_done', resolution_id: null, code };
}
