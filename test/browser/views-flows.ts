import { activatePolicy, shadowPolicy } from '@weir/decision';
import { readPolicy } from '@weir/policy';
import { connectToRunning, openPool } from '@weir/postgres';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startReceiver, status } from '../../services/console/src/webhooks/receiver.testing.ts';
import {
  answerTo,
  beforePoll,
  expectClean,
  expectCleanEverywhere,
  expectCleanNow,
  expectFile,
  exported,
  hostile,
  limitMs,
  phoneSize,
  postDeposit,
  stopClock,
} from './pages.ts';
import type { TierPages } from './tiers.ts';

const from = `0x${'d'.repeat(40)}`;
const to = `0x${'c'.repeat(40)}`;

/** Gets the decisions, and takes none of them until a test says so. */
const receiver = await startReceiver();
receiver.behave(status(422));
export const webhook = { WEIR_WEBHOOK_URL: receiver.url, WEIR_WEBHOOK_SECRETS: receiver.secret };

/** Expects the views of an address, statistics, audit, webhooks, dead letters, administration and policy to work, the same on every tier. */
export function expectViews(pages: () => TierPages): void {
  describe('views', () => {
    let running: TierPages;
    let casePath: string;
    let first: Page;
    let second: Page;

    beforeAll(async () => {
      running = pages();
      ({ first, second } = running);
      running.upstream.answer(() => ({ data: { score: 80, risk_level: 'High', detail_list: [hostile] } }));
      const screening = await postDeposit(running, {
        deposit_id: `in ${hostile}`,
        coin: 'ETH',
        amount: '1.5',
        usd_value: '4500',
        from_address: from,
        to_address: to,
        user_id: `u ${hostile}`,
      });
      casePath = `/app/screenings/${screening}`;
      await running.visit(first, casePath);
      await first.getByRole('button', { name: 'Allow' }).waitFor();
    });
    afterAll(() => receiver.close());

    test('an address has its latest result, its sides, counterparties, customers and levels over time', async () => {
      await running.visit(first, `/app/addresses/${from}`);
      await first.getByRole('region', { name: 'Latest result' }).getByText('High 80').waitFor();
      await first.getByRole('region', { name: 'By side' }).getByText('From it').waitFor();
      const customers = first.getByRole('region', { name: 'Your customers' });
      await customers.getByRole('link', { name: `u ${hostile}` }).waitFor();
      const days = first.getByRole('figure', { name: 'Levels over time' });
      await days.locator('.recharts-bar-rectangle path').first().waitFor();
      await days.getByText('As a table').click();
      await days.getByRole('row', { name: new RegExp(`^${new Date().toISOString().slice(0, 8)}`) }).waitFor();
      const report = await first.getByRole('link', { name: 'Report (PDF)' }).getAttribute('href');
      await expectFile(first, report, 'application/pdf');
      await first.getByRole('region', { name: 'Counterparties' }).getByRole('link').click();
      await first.getByRole('heading', { name: `Address ${to}` }).waitFor();
      await first.getByRole('region', { name: 'By side' }).getByText('To it').waitFor();
      await expectCleanEverywhere(running, `/app/addresses/${from}`);
      await running.visit(first, '/app/addresses/nobody');
      await first.getByText('There is no screening with this address.').waitFor();
    });

    test('statistics have columns by day, times of holds, and how often the holds of a rule were right', async () => {
      await running.visit(first, '/app/now');
      await first.getByRole('link', { name: 'Statistics' }).click();
      await first.getByRole('heading', { name: 'Statistics' }).waitFor();
      const days = first.getByRole('figure', { name: 'Value by day' });
      await days.getByText('As a table').click();
      await days.getByRole('cell', { name: '$4,500.00' }).waitFor();
      const split = first.getByRole('figure', { name: 'Transfers by day and decision' });
      await split.getByText('As a table').click();
      expect(await split.getByRole('columnheader').allTextContents()).toEqual(['Day (UTC)', 'Allow', 'Review', 'Block', 'No decision yet']);
      const { days: counted } = await answerTo(first, '/v1/statistics');
      const { day, count, allow, review, block, undecided } = counted.at(-1);
      expect([allow + review + block + undecided, review > 0]).toEqual([count, true]);
      await split.getByRole('row', { name: [day, allow, review, block, undecided].join(' '), exact: true }).waitFor();
      await first.getByRole('region', { name: 'Rules by decisions of people' }).getByText('not decided yet').waitFor();
      await first.getByRole('region', { name: 'Holds' }).getByText('none has ended').first().waitFor();
      await first.getByRole('button', { name: /days Time$/ }).click();
      await expectCleanNow(first, 'an open choice');
      await first.getByRole('option', { name: '30 days' }).click();
      await first.waitForURL(/days=30/);
      const rules = first.getByRole('region', { name: 'Rules by decisions of people' });
      expect(await exported(first, rules)).toEqual({
        name: 'held-by.csv',
        lines: ['rule,held,decided,allowed,false_positive_rate', 'deposit.High,1,0,0,', ''],
      });
      await expectCleanEverywhere(running, '/app/statistics?days=30');
    });

    test('an event of the audit log is proven in the browser, and an altered one is not', async () => {
      await running.visit(first, casePath);
      await first
        .getByRole('region', { name: 'Evidence' })
        .getByRole('link', { name: /^entry/ })
        .first()
        .click();
      const proof = first.getByRole('region', { name: 'Proof, verified in this browser' });
      await proof.locator('h2:focus').waitFor();
      expect(await first.title()).toMatch(/^Event .{10}….{6} · Weir$/);
      await proof.getByText(/The event is entry \d/).waitFor();
      expect(await proof.getByRole('listitem').getByText('verified', { exact: true }).count()).toBe(3);
      await first.getByRole('region', { name: 'Latest checkpoint' }).getByText('verified', { exact: true }).waitFor();
      // The content that is proven is in view.
      await first.getByRole('region', { name: 'Event', exact: true }).locator('pre', { hasText: '"amount": "1.5"' }).waitFor();
      const { pathname } = new URL(first.url());
      await expectCleanEverywhere(running, pathname);
      const doubtful = await running.open('light', undefined, first.context());
      await doubtful.route('**/v1/audit/entries/*', async (route) => {
        const answer = await route.fetch();
        await route.fulfill({ json: { ...(await answer.json()), value_base64: 'AAAA' } });
      });
      await running.visit(doubtful, pathname);
      await doubtful.getByText('The event is not proven.').waitFor();
      await doubtful.unrouteAll({ behavior: 'wait' });
      await doubtful.addInitScript(
        "crypto.subtle.importKey = () => Promise.reject(new DOMException('Unrecognized name', 'NotSupportedError'));",
      );
      await running.visit(doubtful, pathname);
      await doubtful.getByText('This browser cannot verify signatures of Ed25519.').waitFor();
      await doubtful.context().close();
      await running.visit(first, '/app/audit');
      await first.getByLabel('Event id').fill('00000000-0000-4000-8000-000000000000');
      await first.getByRole('button', { name: 'Prove' }).click();
      await first.getByText('The audit log has no event with this id.').waitFor();
    });

    test('a delivery that the receiver refused is listed with its answer, and an administrator sends it again', async () => {
      await running.visit(first, '/app/webhooks?state=pending');
      const deliveries = await exported(first);
      expect(deliveries.name).toBe('deliveries.csv');
      expect(deliveries.lines[1]).toContain(',pending,');
      await first.getByRole('table', { name: 'Webhooks' }).getByRole('link').first().click();
      const delivery = first.getByRole('region', { name: 'Delivery' });
      await delivery.locator('h2:focus').waitFor();
      expect(await first.title()).toMatch(/^Delivery .{10}….{6} · Weir$/);
      await delivery.getByRole('link', { name: 'Close' }).click();
      await first.locator('h1:focus', { hasText: 'Webhooks' }).waitFor();
      expect(new URL(first.url()).search).toBe('?state=pending');
      expect(await first.title()).toBe('Webhooks · Weir');
      await first.getByRole('table', { name: 'Webhooks' }).getByRole('link').first().click();
      await delivery.getByText('Payload').click();
      await delivery.getByText('screening.decided').waitFor();
      await delivery.getByText('422 REFUSED').waitFor();
      await expectCleanNow(first, 'a delivery with its payload');
      expect(await delivery.getByRole('button', { name: 'Send it again' }).count()).toBe(0);
      const { pathname } = new URL(first.url());
      await expectCleanEverywhere(running, pathname);
      const admin = await running.open('light');
      await running.visit(admin, pathname);
      await running.signIn(admin, await running.installation.addPerson('admin', 'Cleo'));
      receiver.behave(status(204));
      await admin.getByRole('button', { name: 'Send it again' }).click();
      await admin.getByText('Queued.').waitFor();
      await admin.getByRole('region', { name: 'Delivery' }).getByText('Delivered', { exact: true }).waitFor();
      await delivery.getByText('Delivered', { exact: true }).waitFor();
      const { id } = receiver.arrivals.at(-1) ?? {};
      expect(pathname).toBe(`/app/webhooks/${id}`);
      await admin.context().close();
    });

    test('dead letters are listed by topic, and an administrator replays one', async () => {
      const pool = openPool({ url: connectToRunning(running.installation.dataDir) ?? '', max: 1 });
      const auditor = await running.open('light');
      await running.visit(auditor, '/app/dead-letters');
      await running.signIn(auditor, await running.installation.addPerson('auditor', 'Dora'));
      await auditor.getByText('There is no dead letter.').waitFor();
      expect(await auditor.getByRole('link', { name: 'Export as CSV' }).count()).toBe(0);
      const log = await running.openLog();
      const headers = { ce_id: hostile, weir_reason: 'UNDECODABLE', weir_detail: hostile, weir_partition: '0', weir_offset: '7' };
      await log.publish([{ topic: 'deposits.detected.dlq', key: hostile, value: Buffer.from(hostile), headers }]);
      await running.visit(auditor, '/app/now');
      await auditor.getByRole('button', { name: 'More' }).click();
      await auditor.getByRole('link', { name: 'Dead letters' }).click();
      await auditor.getByRole('heading', { name: 'Dead letters' }).waitFor();
      await running.visit(auditor, '/app/dead-letters');
      await auditor.getByRole('table', { name: 'Dead letters' }).getByRole('link').first().waitFor();
      await auditor.keyboard.press('j');
      await auditor.keyboard.press('Enter');
      const one = auditor.getByRole('region', { name: 'Dead letter', exact: true });
      await one.locator('h2:focus').waitFor();
      expect(await auditor.title()).toMatch(/^Dead letter deposits\.detected \d+ · Weir$/);
      await one.getByText('These bytes cannot be read as a record of the topic.').waitFor();
      await one.getByText('partition 0, offset 7').waitFor();
      await one.getByRole('group', { name: 'Headers' }).getByText(hostile).waitFor();
      const { name, lines } = await exported(auditor);
      expect([name, lines[0]]).toEqual(['dead-letters.csv', 'topic,offset,reason,detail,key,at,bytes']);
      expect(await one.getByRole('button', { name: 'Replay it' }).count()).toBe(0);
      const { pathname } = new URL(auditor.url());
      for (const [scheme, size] of [
        ['light', undefined],
        ['dark', undefined],
        ['light', phoneSize],
        ['dark', phoneSize],
      ] as const) {
        const page = await running.open(scheme, size, auditor.context());
        await running.visit(page, pathname);
        await page.getByRole('group', { name: 'Headers' }).waitFor();
        await expectClean(page, pathname);
        await page.context().close();
      }
      await auditor.context().close();
      const admin = await running.open('light');
      await running.visit(admin, pathname);
      await running.signIn(admin, await running.installation.addPerson('admin', 'Eve'));
      await admin.getByRole('button', { name: 'Replay it' }).click();
      await admin.getByText('Published again.').waitFor();
      // It still cannot be read, and comes back.
      await admin.getByRole('table', { name: 'Dead letters' }).getByRole('link').nth(1).waitFor();
      await admin.context().close();
      await running.visit(first, '/app/dead-letters');
      await first.getByRole('alert').getByText('may not do this').waitFor();
      const { rows } = await pool.query(`SELECT subject, person_name FROM access.activities WHERE action = 'dead_letters_replayed'`);
      expect(rows).toEqual([{ subject: 'deposits.detected', person_name: 'Eve' }]);
      await log.close();
      await pool.end();
      expect(running.complaints).toEqual([]);
    });

    test('a dead letter that can be read is shown decoded', async () => {
      const find = async (): Promise<any> => {
        const { audit } = await answerTo(first, casePath.replace('/app/', '/v1/'));
        const entries = await Promise.all(
          audit.map(({ event_id: id }: { event_id: string }) => answerTo(first, `/v1/audit/entries/${id}`)),
        );
        return entries.find(({ topic }) => topic === 'screenings.decided');
      };
      await expect.poll(find, { timeout: limitMs }).toBeDefined();
      const { topic, key, value_base64: bytes, screening_id: id } = await find();
      const log = await running.openLog();
      const headers = { weir_reason: 'RETRIES_EXHAUSTED', weir_detail: 'gave up', weir_partition: '0', weir_offset: '8' };
      await log.publish([{ topic: `${topic}.dlq`, key, value: Buffer.from(bytes, 'base64'), headers }]);
      await log.close();
      const auditor = await running.open('light');
      await running.visit(auditor, `/app/dead-letters?topic=${topic}`);
      await running.signIn(auditor, running.installation.token('auditor'));
      await auditor.getByRole('table', { name: 'Dead letters' }).getByRole('link').first().click();
      const one = auditor.getByRole('region', { name: 'Dead letter', exact: true });
      await one.getByText(`"screening_id": "${id}"`).waitFor();
      expect(await one.getByText('These bytes cannot be read as a record of the topic.').count()).toBe(0);
      const shown = new URL(auditor.url()).pathname.replace('/app/', '/v1/');
      expect(await answerTo(auditor, shown)).toMatchObject({
        reason: 'RETRIES_EXHAUSTED',
        value_base64: bytes,
        data: { screening_id: id },
      });
      await auditor.context().close();
    });

    test('an administrator sees tokens, sessions and settings, revokes a token and ends a session', async () => {
      const view = '/app/administration';
      const admin = await running.open('light');
      await running.visit(admin, view);
      await running.signIn(admin, await running.installation.addPerson('admin', 'Ada'));
      const leaving = await running.open('light');
      await running.visit(leaving, '/app/now');
      await running.signIn(leaving, await running.installation.addPerson('reviewer', hostile));
      await admin.reload();
      const own = admin.getByRole('region', { name: 'Tokens' }).getByRole('row', { name: 'Ada yours' });
      await own.waitFor();
      expect(await own.getByRole('button').count()).toBe(0);
      await admin.getByRole('region', { name: 'Settings in force' }).getByText('WEIR_WEBHOOK_URL').waitFor();
      await admin.getByRole('region', { name: 'Roles' }).getByText('May do all but resolve and approve.').waitFor();
      for (const [scheme, size] of [
        ['dark', undefined],
        ['light', phoneSize],
        ['dark', phoneSize],
      ] as const) {
        const page = await running.open(scheme, size, admin.context());
        await running.visit(page, view);
        await page.getByRole('row', { name: 'Ada yours' }).first().waitFor();
        await expectClean(page, view);
        await page.context().close();
      }
      await expectClean(admin, view);
      const ownSession = admin.getByRole('region', { name: 'Live sessions' }).getByRole('row', { name: 'Ada yours' }).first();
      expect(await ownSession.getByRole('button').count()).toBe(0);
      await admin.getByRole('button', { name: `End a session of ${hostile}` }).click();
      const ending = admin.getByRole('dialog', { name: `End a session of ${hostile}` });
      await expectCleanNow(admin, 'a session to end');
      await ending.getByRole('button', { name: 'Cancel' }).click();
      await admin
        .getByRole('button', { name: `End a session of ${hostile}` })
        .and(admin.locator(':focus'))
        .waitFor();
      await admin.keyboard.press('Enter');
      await ending.getByRole('button', { name: 'End' }).click();
      await admin.getByRole('button', { name: `End a session of ${hostile}` }).waitFor({ state: 'detached' });
      await admin.locator('h2:focus', { hasText: 'Live sessions' }).waitFor();
      await admin
        .getByRole('status')
        .filter({ hasText: `A session of ${hostile} has ended.` })
        .waitFor();
      await leaving.reload();
      await leaving.getByLabel('Token').waitFor();
      await admin.getByRole('button', { name: `Revoke a token of ${hostile}` }).click();
      const dialog = admin.getByRole('dialog', { name: `Revoke a token of ${hostile}` });
      await dialog.getByLabel('Reason').fill(hostile);
      await expectCleanNow(admin, 'a token to revoke');
      await dialog.getByRole('button', { name: 'Revoke' }).click();
      await dialog.waitFor({ state: 'detached' });
      await admin.locator('h2:focus', { hasText: 'Tokens' }).waitFor();
      await admin
        .getByRole('status')
        .filter({ hasText: `A token of ${hostile} is revoked.` })
        .waitFor();
      await admin.getByRole('region', { name: 'Tokens' }).getByRole('row', { name: hostile }).getByText('Revoked').waitFor();
      const people = admin.getByRole('region', { name: 'People' });
      await people.getByRole('row', { name: /^Ada yours administrator token/ }).waitFor();
      await people.getByRole('button', { name: 'Name' }).click();
      const names = await people.getByRole('rowheader').allTextContents();
      expect(names).toEqual(names.toSorted((a, b) => a.localeCompare(b)));
      const tokens = await exported(admin, admin, 'Tokens');
      expect([tokens.name, tokens.lines[0]]).toEqual(['tokens.csv', 'Name,Role,State,Created,Revoked,Id']);
      expect(tokens.lines.at(-2)).toMatch(/,reviewer,Revoked,20[^,]+Z,20[^,]+Z,[0-9a-f]{16}$/);
      const sessions = await exported(admin, admin, 'Live sessions');
      expect(sessions.name).toBe('sessions.csv');
      expect(sessions.lines).toContainEqual(expect.stringMatching(/^Ada,administrator,20[^,]+Z,20[^,]+Z,20[^,]+Z$/));
      await people.getByRole('columnheader', { name: 'Name' }).and(admin.locator('[aria-sort=ascending]')).waitFor();
      await people.getByRole('button', { name: 'Name' }).click();
      await people.getByRole('columnheader', { name: 'Name' }).and(admin.locator('[aria-sort=descending]')).waitFor();
      const reversed = await people.getByRole('rowheader').allTextContents();
      const known = await exported(admin, people, 'People');
      expect([known.name, known.lines[0]]).toEqual(['people.csv', 'Name,Role,Signs in by,Last seen,Acts']);
      // In the order that the reader chose, without the badge of the page.
      expect(known.lines.slice(1, -1).map((line) => line.split(',')[0])).toEqual(reversed.map((name) => name.replace(/ (yours)?$/, '')));
      await people.getByRole('link', { name: 'What people did' }).click();
      const acts = admin.getByRole('region', { name: 'What people did' });
      const revoked = acts.getByRole('row', { name: 'Revoked a key or token' }).filter({ hasText: hostile });
      await revoked.waitFor();
      const file = await exported(admin, acts);
      expect([file.name, file.lines.some((line) => line.includes(',key_revoked,'))]).toEqual(['activities.csv', true]);
      for (const page of [admin, await running.open('dark', phoneSize, admin.context())]) {
        await running.visit(page, '/app/audit');
        await page.getByRole('region', { name: 'What people did' }).getByRole('row').nth(1).waitFor();
        await expectClean(page, 'acts of people');
      }
      // The act is an event of the log.
      await revoked.getByRole('link').first().click();
      await admin.getByText(/The event is entry \d/).waitFor();
      await running.visit(first, view);
      await first.getByRole('alert').first().getByText('may not do this').waitFor();
      await first.getByRole('button', { name: 'More' }).click();
      await first.getByRole('link', { name: 'Labels and lists' }).waitFor();
      expect(await first.getByRole('link', { name: 'Administration' }).count()).toBe(0);
      await first.keyboard.press('Escape');
      await Promise.all([admin, leaving].map((page) => page.context().close()));
      expect(running.complaints).toEqual([]);
    });

    test('two people change the policy: one edits, tries and proposes it, the other puts it in force', async () => {
      await running.visit(first, '/app/policy');
      const draft = first.getByRole('textbox', { name: 'Policy (YAML)' });
      await draft.press('Control+End');
      await first.keyboard.type('rules:\n- { name: large, when: transfer.usd_v');
      await first.getByRole('option', { name: /^usd_value/ }).click();
      await first.keyboard.type(' > 10 && transfer.nonsense, action: review }');
      await first.keyboard.press('Escape');
      await first.getByText('1 problem', { exact: true }).waitFor();
      await expectClean(first, 'policy with a problem');
      await first.getByRole('button', { name: /^Line \d+, column \d+$/ }).click();
      await draft.and(first.locator(':focus')).waitFor();
      // What is wrong is selected, so that typing replaces it. The keys of the page are letters here.
      await first.keyboard.type('?/jk');
      await first.getByText('1 problem', { exact: true }).waitFor();
      expect(await first.getByRole('dialog').count()).toBe(0);
      for (let n = 0; n < 4; n += 1) await first.keyboard.press('Backspace');
      await first.keyboard.type('amount > 1');
      await first.getByText('It can be used.').waitFor();
      await draft.fill(readPolicy().replace('Low: allow', 'Low: review'));
      await first.getByText('It can be used.').waitFor();
      await first.getByRole('button', { name: 'Run', exact: true }).click();
      await first.getByText(/^\d+ results$/).waitFor();
      const { name, lines } = await exported(first, first, 'Backtest');
      expect([name, lines[0], lines[2]]).toEqual([
        'backtest.csv',
        'Was,Would be: Allow,Would be: Review,Would be: Block',
        expect.stringMatching(/^Review,0,\d+,0$/),
      ]);
      await expectClean(first, 'policy with a draft');
      await first.getByRole('button', { name: 'Propose it' }).click();
      const proposal = first.getByRole('region', { name: 'Proposal' });
      await proposal.getByRole('rowheader', { name: 'Low deposits' }).waitFor();
      await proposal.getByText('Another person, an approver, puts it in force.').waitFor();
      expect(await proposal.getByRole('button', { name: 'Put it in force' }).count()).toBe(0);
      await expectCleanEverywhere(running, '/app/policy');
      await proposal.getByRole('button', { name: 'Take it back' }).click();
      await first.getByRole('dialog').getByLabel('Reason').fill('not yet');
      await expectClean(first, 'taking a proposal back');
      await first.getByRole('dialog').getByRole('button', { name: 'Take it back' }).click();
      await proposal.waitFor({ state: 'detached' });
      await first.getByText('A reviewer or an approver proposes, another person approves.').waitFor();
      await draft.fill(readPolicy().replace('Low: allow', 'Low: review'));
      await first.getByText('It can be used.').waitFor();
      await first.getByRole('button', { name: 'Propose it' }).click();
      await proposal.waitFor();
      await running.visit(second, '/app/policy');
      await second.getByRole('button', { name: 'Reject it' }).waitFor();
      await second.getByRole('button', { name: 'Put it in force' }).click();
      // The link moves up when the proposal has gone.
      await second.getByRole('region', { name: 'Proposal' }).waitFor({ state: 'detached' });
      await second.locator('h2:focus', { hasText: 'In force' }).waitFor();
      await second.getByRole('status').filter({ hasText: 'The policy is in force.' }).waitFor();
      await second
        .getByRole('region', { name: 'In force' })
        .getByRole('row', { name: /^Days that a known price may be old/ })
        .waitFor();
      await second.getByRole('region', { name: 'History' }).getByRole('row').nth(2).getByRole('link').first().click();
      await second.getByRole('region', { name: 'Text of a policy' }).getByText('version: 1').waitFor();
      await expectClean(second, 'the text of an old policy');
      await second.getByRole('link', { name: 'of change 2' }).click();
      await second.getByRole('region', { name: 'Difference', exact: true }).getByRole('rowheader', { name: 'Low deposits' }).waitFor();
      await expectCleanEverywhere(running, new URL(second.url()).pathname + new URL(second.url()).search);
    });

    test('a draft stays when its person leaves the policy and comes back, until they discard it', async () => {
      const page = await running.open('light', undefined, first.context());
      await running.visit(page, '/app/policy');
      const draft = page.getByRole('textbox', { name: 'Policy (YAML)' });
      // The editor draws the lines in view alone.
      await draft.press('Control+Home');
      await page.keyboard.type('# a thought\n');
      await page.getByRole('link', { name: 'Now', exact: true }).click();
      await page.locator('h1:focus', { hasText: 'Now' }).waitFor();
      await page.goBack();
      await draft.getByText('# a thought').waitFor();
      await page.reload();
      await draft.getByText('# a thought').waitFor();
      await page.getByRole('button', { name: 'Discard the draft' }).click();
      await draft.getByText('# a thought').waitFor({ state: 'detached' });
      await page.locator('h1:focus').waitFor();
      await page.reload();
      await draft.getByText('version: 1').waitFor();
      expect(await draft.getByText('# a thought').count()).toBe(0);
      await page.context().close();
    });

    test('a draft whose checks were not answered is checked again by itself', async () => {
      const page = await running.open('light', phoneSize, first.context());
      await page.route('**/v1/policies/checks', (route) => route.fulfill({ status: 502 }));
      await running.visit(page, '/app/policy');
      const editor = page.getByRole('region', { name: 'Editor' });
      await editor.getByRole('alert').waitFor();
      await page.unroute('**/v1/policies/checks');
      await editor.getByText('It can be used.').waitFor();
      expect(await editor.getByRole('alert').count()).toBe(0);
      await page.close();
    });

    test('an open page shows a proposed policy, and an asked change of labels, sooner than a poll', async () => {
      await running.visit(first, '/app/policy');
      const draft = first.getByRole('textbox', { name: 'Policy (YAML)' });
      await draft.fill(readPolicy());
      await first.getByText('It can be used.').waitFor();
      const watching = await running.open('light', undefined, second.context());
      await watching.clock.install();
      await running.visit(watching, '/app/policy');
      await watching.getByText('Live', { exact: true }).waitFor();
      await watching.getByRole('region', { name: 'In force' }).waitFor();
      // No poll comes from now on.
      await stopClock(watching);
      const expectCount = beforePoll(watching);
      const proposal = watching.getByRole('region', { name: 'Proposal' });
      await first.getByRole('button', { name: 'Propose it' }).click();
      await expectCount(() => proposal.count(), 1);
      const own = first.getByRole('region', { name: 'Proposal' });
      await own.getByRole('button', { name: 'Take it back' }).click();
      await first.getByRole('dialog').getByLabel('Reason').fill('too soon');
      await first.getByRole('dialog').getByRole('button', { name: 'Take it back' }).click();
      await expectCount(() => proposal.count(), 0);
      await watching.clock.resume();
      await running.visit(watching, '/app/labels');
      await watching.getByText('Live', { exact: true }).waitFor();
      await watching.getByText('No request waits for another person.').waitFor();
      await stopClock(watching);
      const expectSoon = beforePoll(watching);
      await running.visit(first, '/app/labels');
      // The requests themselves are polled more often than the rest of the view.
      let reads = 0;
      watching.on('request', (request) => void (request.url().endsWith('/v1/label-changes') && (reads += 1)));
      const body = { action: 'withdraw', source: 'nobody', reason: 'sooner than a poll' };
      const posted = await first.evaluate(async (asked) => {
        const headers = { 'content-type': 'application/json' };
        return (await fetch('/v1/label-requests', { method: 'POST', headers, body: JSON.stringify(asked) })).status;
      }, body);
      expect(posted).toBe(201);
      await expectSoon(() => reads, 1);
      await expectSoon(() => watching.getByText('sooner than a poll').count(), 1);
      await watching.context().close();
      await first.getByRole('row').filter({ hasText: 'sooner than a poll' }).getByRole('button', { name: 'Take it back' }).click();
      await first.getByText('No request waits for another person.').waitFor();
    });

    test('another person rejects a proposed policy, and the reason is among the acts of people', async () => {
      const reason = `too strict ${hostile}`;
      const text = readPolicy().replace('High: review', 'High: block');
      await running.visit(first, '/app/policy');
      const draft = first.getByRole('textbox', { name: 'Policy (YAML)' });
      await draft.fill(text);
      await first.getByText('It can be used.').waitFor();
      await first.getByRole('button', { name: 'Propose it' }).click();
      await first.getByRole('region', { name: 'Proposal' }).waitFor();
      let before = await answerTo(second, '/v1/policies');
      expect(before).toMatchObject({ proposal: { proposed_by: { name: 'dev' } } });
      await running.visit(second, '/app/policy');
      await second.getByRole('button', { name: 'Reject it' }).click();
      const question = second.getByRole('dialog', { name: 'Reject it' });
      await question.getByLabel('Reason').fill(reason);
      // Another one takes its place: the reason was not meant for that.
      await draft.fill(text.replace('High: block', 'High: allow'));
      await first.getByText('It can be used.').waitFor();
      await first.getByRole('button', { name: 'Propose it' }).click();
      await question.waitFor({ state: 'detached' });
      before = await answerTo(second, '/v1/policies');
      await second.getByRole('button', { name: 'Reject it' }).click();
      await question.getByLabel('Reason').fill(reason);
      await question.getByRole('button', { name: 'Reject it' }).click();
      await second.getByRole('region', { name: 'Proposal' }).waitFor({ state: 'detached' });
      await second.locator('h2:focus', { hasText: 'In force' }).waitFor();
      await second.getByRole('status').filter({ hasText: 'The proposal is rejected.' }).waitFor();
      // The policy in force stays.
      const rejection = expect.objectContaining({ rejected_by: expect.objectContaining({ name: 'Ben' }), reason });
      expect(await answerTo(second, '/v1/policies')).toEqual({ ...before, proposal: null, rejections: [rejection, ...before.rejections] });
      await first.reload();
      await first.getByRole('region', { name: 'In force' }).waitFor();
      expect(await first.getByRole('region', { name: 'Proposal' }).count()).toBe(0);
      // The proposer has no access to the audit of people.
      const answered = first.getByRole('group', { name: 'Proposals that were rejected' }).getByRole('row').filter({ hasText: reason });
      await answered.getByRole('cell', { name: 'Rejected Ben,' }).waitFor();
      const rejected = await exported(first, first, 'Proposals that were rejected');
      expect([rejected.name, rejected.lines[0]]).toEqual([
        'policy-rejections.csv',
        'Hash,Proposed by,Proposed at,Answer,Answered by,Answered at,Reason',
      ]);
      expect(rejected.lines[1]).toMatch(/^[0-9a-f]{64},dev,20[^,]+Z,Rejected,Ben,20[^,]+Z,"too strict /);
      expect(rejected.lines[2]).toMatch(/^[0-9a-f]{64},dev,20[^,]+Z,Taken back,dev,20[^,]+Z,too soon$/);
      const history = await exported(first, first, 'History');
      expect([history.name, history.lines[0]]).toEqual(['policy-history.csv', 'Change,Since,Hash,Set by,Candidate']);
      expect(history.lines.at(-2)).toMatch(/^1,20[^,]+Z,[0-9a-f]{64},first start,$/);
      const auditor = await running.open('light');
      await running.visit(auditor, '/app/audit');
      await running.signIn(auditor, running.installation.token('auditor'));
      const acts = auditor.getByRole('region', { name: 'What people did' });
      const act = acts.getByRole('row').filter({ hasText: 'Rejected a policy' }).filter({ hasText: reason });
      await act.getByText('Ben', { exact: true }).waitFor();
      expect([await act.count(), await auditor.locator('main b, main img').count()]).toEqual([1, 0]);
      await auditor.context().close();
    });

    test('a candidate in shadow is compared, and a customer is counted in the windows of the policy', async () => {
      const pool = openPool({ url: connectToRunning(running.installation.dataDir) ?? '', max: 1 });
      const windows =
        `history:\n  day: { of: user, window: 24h }\nrules:\n  - { name: many, when: history.day.count > 100, action: review }\n` +
        `  - { name: odd, when: 'transfer.user_id == "<b>x</b>"', action: review }\n`;
      await activatePolicy(pool, `${readPolicy()}${windows}`);
      await shadowPolicy(pool, readPolicy().replace('High: review', 'High: block'));
      await pool.end();
      const screening = await postDeposit(running, {
        deposit_id: 'in shadow',
        coin: 'ETH',
        amount: '2.25',
        usd_value: '6000',
        from_address: `0x${'e'.repeat(40)}`,
        to_address: to,
        user_id: 'u-fast',
      });
      await running.visit(first, `/app/screenings/${screening}`);
      await first.getByRole('button', { name: 'Allow' }).waitFor();
      await running.visit(first, '/app/policy');
      const shadow = first.getByRole('region', { name: 'Candidate in shadow' });
      await shadow.getByRole('row', { name: 'Review 0 0 1' }).waitFor();
      await shadow.getByRole('cell', { name: 'Deposit 2.25 ETH' }).waitFor();
      const { name, lines } = await exported(first, shadow);
      expect([name, lines.length]).toEqual(['policy-disagreements.csv', 3]);
      expect(lines[1]).toContain(`${screening},1,deposit,ETH,2.25,6000,review,block,`);
      const inForce = first.getByRole('region', { name: 'In force' });
      await inForce.getByText('the number of transfers of the same user in 24h is above 100').waitFor();
      await inForce.getByText('<b>x</b>').first().waitFor();
      await expectCleanEverywhere(running, '/app/policy');
      await running.visit(first, '/app/customers/u-fast');
      const velocity = first.getByRole('region', { name: 'Velocity, by the windows of the policy' });
      await velocity
        .getByRole('row', { name: 'day transfers, 24 h 1 $6,000.00 many the number of transfers of the same user in 24h is above 100' })
        .waitFor();
      expect(await exported(first, velocity, 'Velocity, by the windows of the policy')).toEqual({
        name: 'windows.csv',
        lines: ['Window,Counts,Count,Known value,Transfers of unknown value,Rules that read it', 'day,"transfers, 24 h",1,6000,0,many', ''],
      });
      await first
        .getByRole('region', { name: 'Counterparties' })
        .getByRole('link', { name: /^0xeeee/ })
        .waitFor();
      await expectCleanEverywhere(running, '/app/customers/u-fast');
    });
  });
}
