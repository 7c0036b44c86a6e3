import { type Client, codeOf, withConsole } from '../console.ts';
import { UsageError } from '../failure.ts';
import type { PlaceFlags } from '../flags.ts';
import { note, printJson } from '../output.ts';

interface PlanFlags extends PlaceFlags {
  readonly json?: true;
}

export async function addNote(id: string, text: string, flags: PlanFlags): Promise<void> {
  if (text.trim() === '') throw new UsageError('the note must not be empty');
  await change(flags, `${id}: the note is stored`, (client) => client.post(`${pathOf(id)}/notes`, { text }));
}

/** `none`: nobody. */
export async function assign(id: string, name: string, flags: PlanFlags): Promise<void> {
  const assignee = name === 'none' ? null : name;
  const done = assignee === null ? 'assigned to nobody' : `assigned to ${name}`;
  await change(flags, `${id}: ${done}`, (client) => client.put(`${pathOf(id)}/assignee`, { assignee }));
}

/** Null: no due time. */
export async function setDue(id: string, due: Date | null, flags: PlanFlags): Promise<void> {
  const due_at = due?.toISOString() ?? null;
  const done = due_at === null ? 'no due time' : `due ${due_at}`;
  await change(flags, `${id}: ${done}`, (client) => client.put(`${pathOf(id)}/due`, { due_at }));
}

async function change(flags: PlanFlags, done: string, work: (client: Client) => ReturnType<Client['put']>): Promise<void> {
  await withConsole(flags, async (client) => {
    const reply = await work(client);
    if (reply.status >= 300) throw new Error(`the console refused: ${codeOf(reply)}, ${String(reply.body['detail'])}`);
    if (flags.json) return printJson(reply.body);
    return note(`${done}.`);
  });
}

function pathOf(id: string): string {
  return `/v1/reviews/${encodeURIComponent(id)}`;
}
