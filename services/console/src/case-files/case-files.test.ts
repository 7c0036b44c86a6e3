import { createHash } from 'node:crypto';
import { ManualClock } from '@weir/clock';
import { type ScreeningDecided, screeningId } from '@weir/contracts';
import { readPdf } from '@weir/risk-report/testing';
import { strFromU8, unzipSync } from 'fflate';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decided, requested, scored, sender, start } from '../events.testing.ts';
import { groupHolds } from '../cases/grouping.ts';
import { attach } from '../attachments/store.ts';
import { addCaseNote, setCaseOutcome } from '../cases/store.ts';
import { addNote, setReviewPlan } from '../reviews/notes.ts';
import { openTestApi, type TestApi } from '../routes.testing.ts';
import { caseFileOperations } from './routes.ts';

const id = screeningId('deposit', 'deposit-1');
const heldId = screeningId('deposit', 'deposit-3');
const now = start + 3_600_000;
let api: TestApi;

beforeAll(async () => {
  api = await openTestApi((db, access) => caseFileOperations({ db, access, clock: new ManualClock(now) }));
  const hop = {
    txid: '0xfeed',
    time: '2025-12-30T08:15:00.000Z',
    coin: 'USDT',
    amount: '1250.5',
    usd: null,
    from: sender,
    to: '0xc0ffee',
  };
  const answered = { score: 95, risk_level: 'Severe', hacking_event: '', detail_list: ['Mixer'], address_label: '' };
  const listed = { entity: '=Mixer 中', risk_type: 'mixer', exposure_type: 'indirect', hop_num: 3, volume: null, percent: 40, side: 'in' };
  const evidence = JSON.stringify({
    success: true,
    msg: '',
    data: { ...answered, risk_detail: [{ ...listed, counterparty: '0xc0ffee', path: [hop] }] },
  });
  const exposure = { entity: '=Mixer 中', risk_type: 'mixer', exposure_type: 'indirect', hop_num: 3, percent: 40, side: 'in' } as const;
  const { data } = decided('deposit', 1) as { data: ScreeningDecided };
  const held = { ...data, action: 'review', rule: 'large', reason_codes: ['LEVEL_SEVERE', 'RULE:large'] } as const;
  const resolution_id = '7d0a6d0c-4f0e-5f3b-8a53-0f3f5d9a1c22';
  await api.take([
    requested('deposit', 1),
    scored('deposit', 1, { risk_detail: [{ ...exposure, volume_usd: null }], evidence }),
    decided('deposit', 1, held),
    decided('deposit', 1, { revision: 2, supersedes: 1, action: 'allow', reason_codes: ['REVIEWED'], resolution_id }),
    requested('deposit', 2),
  ]);
  await api.db.pool.query(
    `INSERT INTO console.resolutions (resolution_id, screening_id, revision, action, reason, resolved_by, resolved_by_name, resolved_at,
       needs_approval, answer, answered_by, answered_by_name, answer_reason, answered_at)
     VALUES ($1, $2, 1, 'allow', $3, 'reviewer:1', 'Reviewer', to_timestamp($4), true, 'approved', 'approver:2', 'Approver', NULL, to_timestamp($4))`,
    [resolution_id, id, `The sender proved it. ${'Long. '.repeat(100)}End of the reason.`, start / 1_000],
  );
  const by = { id: 'reviewer:1', name: 'Reviewer' };
  await addNote(api.db.pool, {
    screeningId: id,
    text: 'Asked the customer\nfor a statement.',
    by,
    now,
  });
  await setReviewPlan(api.db.pool, { screeningId: id, assignee: 'Ann', by, now });
  await setReviewPlan(api.db.pool, { screeningId: id, dueAt: new Date(now), by, now });
  await api.take([requested('deposit', 3), decided('deposit', 3, { action: 'review' })]);
  await groupHolds(api.db.pool, [heldId], { now, dueMs: 86_400_000 });
  const { rows } = await api.db.pool.query<{ case_id: string }>('SELECT case_id FROM console.cases');
  const act = { caseId: rows[0]?.case_id ?? '', by, now };
  await addCaseNote(api.db.pool, { ...act, text: 'All of them come from one exchange.' });
  await attach(api.db.pool, { kind: 'case', id: act.caseId }, { by, now, name: '../état;1.txt', content: Buffer.from('statement') });
  await attach(api.db.pool, { kind: 'screening', id: heldId }, { by, now, name: 'of this hold.txt', content: Buffer.from('its own') });
  await setCaseOutcome(api.db.pool, { ...act, outcome: 'filed', reason: 'Reported to the authority.' });
});
afterAll(() => api.close());

test('a report names case, decision, policy, reviewers, transfer and exposures', async () => {
  const answer = await api.get(`/v1/screenings/${id}/report`);
  expect([answer.status, answer.headers.get('content-type'), answer.headers.get('cache-control')]).toEqual([
    200,
    'application/pdf',
    'private, no-store',
  ]);
  const { text } = await readPdf(new Uint8Array(await answer.arrayBuffer()));
  for (const part of [
    id,
    'allow (revision 2), 2026-01-01 00:00:01 UTC',
    'c0ffee',
    'deposit-1',
    sender,
    '1 =Mixer [U+4E2D] Mixer indirect received 3 unknown 40.00 %',
    '1. =Mixer [U+4E2D] – received Counterparty: 0xc0ffee',
    `2025-12-30 08:15:00 0xfeed from ${sender} to 0xc0ffee 1250.5 USDT unknown`,
    'The risk API leaves out 2 transfers in the middle.',
    'Declared USD unknown',
    'Severe, 95 of 100',
    `Screening ${id} Case none`,
    'LEVEL_SEVERE, RULE:large',
    'Reviewer (reviewer:1) resolved revision 1 with allow: “The sender proved it.',
    'End of the reason.” State: applied. Approver (approver:2) answered at 2026-01-01 00:00:00 UTC.',
    'Asked the customer for a statement.',
    '2026-01-01 01:00:00 UTC: Reviewer (reviewer:1) assigned it to Ann.',
    '2026-01-01 01:00:00 UTC: Reviewer (reviewer:1) set it due at 2026-01-01 01:00:00 UTC.',
    'Report made 2026-01-01 01:00:00 UTC',
    '“Unknown” is not zero, and Low means that nothing is known against the subject.',
  ]) {
    expect(text.replaceAll(/\s+/g, ' ')).toContain(part);
  }
});

test('a screening without result and decision has a report that says so', async () => {
  const answer = await api.get(`/v1/screenings/${screeningId('deposit', 'deposit-2')}/report`);
  const { text } = await readPdf(new Uint8Array(await answer.arrayBuffer()));
  for (const part of ['There is no result yet.', 'There is no decision yet.', 'Nobody has resolved it.', 'It is in no case.'])
    expect(text).toContain(part);
});

test('a case file has the report, the case as JSON and CSV, and the hash of each', async () => {
  const answer = await api.get(`/v1/reviews/${id}/export`);
  expect([answer.status, answer.headers.get('content-type'), answer.headers.get('content-disposition')]).toEqual([
    200,
    'application/zip',
    `attachment; filename="weir-${id}.zip"`,
  ]);
  const files = unzipSync(new Uint8Array(await answer.arrayBuffer()));
  const { files: listed, ...manifest } = JSON.parse(strFromU8(files['manifest.json'] ?? new Uint8Array()));
  expect(manifest).toEqual({ screening_id: id, made_at: '2026-01-01T01:00:00.000Z' });
  const hash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
  const others = Object.entries(files).filter(([name]) => name !== 'manifest.json');
  expect(listed).toEqual(others.map(([name, bytes]) => ({ name, bytes: bytes.length, sha256: hash(bytes) })));
  expect(others.map(([name]) => name)).toEqual([
    'report.pdf',
    'case.json',
    'exposures.csv',
    'paths.csv',
    'decisions.csv',
    'resolutions.csv',
    'notes.csv',
    'plan-changes.csv',
  ]);
  const read = (name: string): string => strFromU8(files[name] ?? new Uint8Array());
  expect(JSON.parse(read('case.json'))).toMatchObject({
    screening: { screening_id: id, status: 'allowed', decisions: [{ revision: 1, rule: 'large' }, { revision: 2 }] },
    review: { resolutions: [{ state: 'applied' }], notes: [{ text: 'Asked the customer\nfor a statement.' }] },
  });
  expect(read('plan-changes.csv')).toBe(
    'changed_at,changed_by,field,value\r\n2026-01-01T01:00:00.000Z,Reviewer,due_at,2026-01-01T01:00:00.000Z\r\n2026-01-01T01:00:00.000Z,Reviewer,assignee,Ann\r\n',
  );
  // The formula is escaped, the unknown volume is empty.
  expect(read('exposures.csv')).toBe(
    "exposure,entity,risk_type,exposure_type,side,counterparty,hop_num,volume,percent\r\n1,'=Mixer 中,mixer,indirect,in,0xc0ffee,3,,40\r\n",
  );
  expect(read('paths.csv')).toBe(
    `exposure,transfer,time,txid,coin,amount,usd,from,to\r\n1,1,2025-12-30T08:15:00.000Z,0xfeed,USDT,1250.5,,${sender},0xc0ffee\r\n`,
  );
});

test('the case of related holds is in the report, and its attachments and those of the review are in the case file', async () => {
  const sha256 = createHash('sha256').update('statement').digest('hex');
  const answer = await api.get(`/v1/reviews/${heldId}/export`);
  const files = unzipSync(new Uint8Array(await answer.arrayBuffer()));
  const name = `attachments/${sha256.slice(0, 8)}-.._état_1.txt`;
  expect(strFromU8(files[name] ?? new Uint8Array())).toBe('statement');
  expect(JSON.parse(strFromU8(files['manifest.json'] ?? new Uint8Array())).files).toContainEqual({ name, bytes: 9, sha256 });
  const ownSha256 = createHash('sha256').update('its own').digest('hex');
  expect(strFromU8(files[`attachments/${ownSha256.slice(0, 8)}-of_this_hold.txt`] ?? new Uint8Array())).toBe('its own');
  const { review, related } = JSON.parse(strFromU8(files['case.json'] ?? new Uint8Array()));
  expect(review.attachments).toMatchObject([{ name: 'of this hold.txt', sha256: ownSha256 }]);
  expect(related).toMatchObject({
    outcome: 'filed',
    attachments: [{ name: '../état;1.txt', type: 'text/plain', sha256 }],
  });
  expect(strFromU8(files['holds.csv'] ?? new Uint8Array())).toBe(
    `screening_id,requested_at,kind,action,level,amount,coin,usd_value,user_id,counterparty,added_at\r\n${heldId},2026-01-01T00:00:03.000Z,deposit,review,,144835.998000000000000001,ETH,,u-1,${sender},2026-01-01T01:00:00.000Z\r\n`,
  );
  const { text } = await readPdf(files['report.pdf'] ?? new Uint8Array());
  for (const part of [
    'filed, 2026-01-01 01:00:00 UTC, Reviewer (reviewer:1): “Reported to the authority.”',
    'user:u-1',
    'All of them come from one exchange.',
    `of this hold.txt (text/plain, 7 bytes, SHA-256 ${ownSha256})`,
    `../état;1.txt (text/plain, 9 bytes, SHA-256 ${sha256})`,
    `2026-01-01 00:00:03 ${heldId}, deposit from ${sender} none review`,
    'Holds 1, declared USD unknown Assigned',
  ])
    expect(text.replaceAll(/\s+/g, ' ')).toContain(part);
});

test.each([
  ['no token', '', 401],
  ['ingest', 'token-ingest', 403],
  ['gate', 'token-gate', 403],
])('%s: %s %i', async (_, token, status) => {
  expect((await api.get(`/v1/screenings/${id}/report`, token)).status).toBe(status);
  expect((await api.get(`/v1/reviews/${id}/export`, token)).status).toBe(status);
});

test.each(['x', '16fd2706-8baf-533b-a82b-bb81c2b3ee25'])('id %s is not found', async (unknown) => {
  for (const path of [`/v1/screenings/${unknown}/report`, `/v1/reviews/${unknown}/export`]) {
    const answer = await api.get(path);
    expect([answer.status, await answer.json()]).toEqual([404, expect.objectContaining({ code: 'NOT_FOUND' })]);
  }
});
