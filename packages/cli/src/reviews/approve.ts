import type { ResolutionView, ReviewDetail } from '@weir/console';
import { type Client, codeOf } from '../console.ts';
import { UsageError } from '../failure.ts';
import { type BulkFlags, type Done, runBulk } from './bulk.ts';
import type { Item } from './items.ts';
import { notDone, resolutionOf } from './resolve.ts';

interface ApproveFlags extends BulkFlags {
  readonly action: 'allow' | 'block';
  readonly reject?: true;
  readonly reason?: string;
}

/** Answers resolutions as the second person. Only those with this action, so that nobody approves another one by mistake. */
export async function approveAll(file: string, flags: ApproveFlags): Promise<void> {
  const { action, reason } = flags;
  if (reason?.trim() === '') throw new UsageError('--reason must not be empty');
  const approve = flags.reject !== true;
  await runBulk(file, flags, {
    verb: approve ? 'approve' : 'reject',
    participle: approve ? 'approved' : 'rejected',
    ask: (count) => `${approve ? 'Approve' : 'Reject'} "${action}" for ${count} in your name?`,
    look: (client, item) => find(client, item, action, approve).then((found) => ('result' in found ? found : wouldBe(item, found))),
    one: async (client, item) => {
      const found = await find(client, item, action, approve);
      if ('result' in found) return found;
      const { resolution_id } = found;
      const body = { resolution_id, approve, ...(reason === undefined ? {} : { reason }) };
      const reply = await client.post(`/v1/reviews/${item.screening_id}/approvals`, body);
      return reply.status === 200 ? { ...wouldBe(item, found), result: 'done' } : notDone(item, codeOf(reply));
    },
  });
}

function wouldBe({ screening_id }: Item, { resolution_id }: ResolutionView): Done {
  return { screening_id, result: 'would_be_done', resolution_id, code: null };
}

/** The pending resolution, or the reason why there is none. */
async function find(client: Client, item: Item, action: string, approve: boolean): Promise<ResolutionView | Done> {
  const reply = await client.get(`/v1/reviews/${item.screening_id}`);
  if (reply.status !== 200) return notDone(item, codeOf(reply));
  const isOwn = ({ id }: { id: string }): boolean => id.endsWith(`:${client.callerId}`);
  const last = resolutionOf((reply.body as unknown as ReviewDetail).resolutions, item);
  if (last === undefined) return notDone(item, 'NOT_RESOLVED');
  if (last.action !== action) return notDone(item, 'OTHER_ACTION');
  if (last.state === 'pending_approval') return isOwn(last.resolved_by) ? notDone(item, 'SAME_PERSON') : last;
  if (last.answered_by !== null && isOwn(last.answered_by) && last.state !== 'superseded' && (last.state !== 'rejected') === approve) {
    return { ...wouldBe(item, last), result: 'done_before' };
  }
  return notDone(item, last.state === 'superseded' ? 'SUPERSEDED' : 'ALREADY_ANSWERED');
}
