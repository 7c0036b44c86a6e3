import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { askWhile, clientOf, data, envelope, exposure, low, whole, withData, withExposure, without } from './answers.testing.ts';
import type { Fetch, QueryAnswer, RiskClientOptions } from './index.ts';
import { answer, type Behaviour, json, type RudeServer, startRudeServer } from './rude-server.testing.ts';
import { undiciFetch } from './undici.ts';

const contradiction = {
  standing: 'service',
  service: { probability: 0.92, categories: ['exchange'], sources: ['one', 'two'] },
  accusation: { probability: 0.4, categories: ['theft'], sources: ['a crawl'] },
};

let server: RudeServer;
beforeAll(async () => {
  server = await startRudeServer();
});
afterAll(() => server.close());

describe.each<[string, Fetch]>([
  ['fetch', fetch],
  ['undici', undiciFetch()],
])('over %s', (_over, fetchWith) => {
  const ask = (behaviour: Behaviour, over?: Partial<RiskClientOptions>): Promise<QueryAnswer> =>
    askWhile(server, behaviour, { fetch: fetchWith, ...over });

  test('reads a score, and keeps the answer without its access token', async () => {
    const text = `{ "success":true, "msg":"",\n "extra":[1], "data":${JSON.stringify({ ...data, scanned_ts: 1_700_000_000, coverage: 'full' })}}`;
    const got = await ask(answer(200, text));
    const evidence = text.replace('0xaa&token=abcdefgh12345678', '***&token=***');
    expect(got).toEqual({
      kind: 'scored',
      evidence,
      evidence_sha256: createHash('sha256').update(evidence).digest('hex'),
      result: {
        score: 80,
        risk_level: 'High',
        hacking_event: '',
        detail_list: ['Mixer'],
        risk_detail: [
          {
            entity: 'Mixer X',
            risk_type: 'mixer',
            exposure_type: 'indirect',
            hop_num: 2,
            volume_usd: 12.5,
            percent: 3.25,
            hop_dic: { '1': ['0xaa'] },
            side: null,
            counterparty: null,
            path: null,
            sources: null,
          },
        ],
        address_label: 'somebody',
        illicit_usd: null,
        contradictions: null,
        contributions: null,
        counterfactuals: null,
        scanned_ts: 1_700_000_000,
        coverage: 'full',
      },
    });
  });

  const hop = { txid: '0x1', time: '2026-01-31T10:00:00Z', coin: 'ETH', amount: '1.5', usd: 3_000, from: '0xbb', to: '0xaa' };

  const accepted: [string, Behaviour, object][] = [
    ['a body in gzip', answer(200, gzipSync(JSON.stringify(envelope)), { 'content-encoding': 'gzip' }), { score: 80 }],
    ['a charset of UTF-8', json(envelope, 200, { 'content-type': 'Application/JSON; charset="utf-8"' }), { score: 80 }],
    ['an encoding that is not known', answer(200, JSON.stringify(envelope), { 'content-encoding': 'constructor' }), { score: 80 }],
    ['a score in a string', withData({ score: '80' }), { score: 80, risk_level: 'High' }],
    ['lists of nothing and "-"', withData({ ...low, detail_list: ['-'] }), { score: 3, risk_level: 'Low', detail_list: ['-'] }],
    ['a time of 0', withData({ scanned_ts: 0 }), { scanned_ts: null }],
    [
      'a label and an event that are null',
      withData({ address_label: null, hacking_event: null }),
      { address_label: '', hacking_event: '' },
    ],
    [
      'a direct neighbour called indirect',
      withExposure({ hop_num: 1 }),
      { risk_detail: [expect.objectContaining({ hop_num: 1, exposure_type: 'indirect' })] },
    ],
    [
      'amounts and hops in strings',
      withExposure({ hop_num: '3', volume: '1.5e3', percent: '0.5' }),
      { risk_detail: [expect.objectContaining({ hop_num: 3, volume_usd: 1_500, percent: 0.5 })] },
    ],
    [
      'amounts and a path that are absent',
      withExposure({ volume: null, percent: undefined, hop_dic: undefined }),
      { risk_detail: [expect.objectContaining({ volume_usd: null, percent: null, hop_dic: null })] },
    ],
    [
      'a side, a counterparty and the transfers between',
      withExposure({ side: 'in', counterparty: '0xbb', path: [hop] }),
      { risk_detail: [expect.objectContaining({ side: 'in', counterparty: '0xbb', path: [hop] })] },
    ],
    [
      'fields of those names in which another API says something else',
      withExposure({ side: 'incoming', counterparty: { name: 'X' }, path: 'a > b' }),
      { risk_detail: [expect.objectContaining({ side: null, counterparty: null, path: null })] },
    ],
    ['illicit money received', withData({ illicit_usd: '1200.5' }), { illicit_usd: 1_200.5 }],
    ['a contradiction among its labels', withData({ contradictions: [contradiction] }), { contradictions: [contradiction] }],
    ['a contradiction that is none', withData({ contradictions: [{ standing: 'nobody' }] }), { contradictions: null }],
    ['a contribution without points', withData({ contributions: [{ key: 'base' }] }), { contributions: null }],
    ['a counterfactual of no level', withData({ counterfactuals: [{ without: 'base', score: 3 }] }), { counterfactuals: null }],
    ['illicit money that is no amount', withData({ illicit_usd: -1 }), { illicit_usd: null }],
    [
      'a type of risk that is not listed',
      withExposure({ risk_type: 'ransom_note' }),
      { risk_detail: [expect.objectContaining({ risk_type: 'ransom_note' })] },
    ],
  ];
  test.each(accepted)('accepts %s', async (_, behaviour, expected) => {
    expect(await ask(behaviour)).toMatchObject({ kind: 'scored', result: expected });
  });

  const unreadable: [string, Behaviour, string][] = [
    ['HTML from a proxy', answer(200, '<html>score 3 Low</html>', { 'content-type': 'text/html' }), 'the content type is not JSON'],
    ['JSON of another type', answer(200, whole, { 'content-type': 'text/plain' }), 'the content type is not JSON'],
    ['another charset', answer(200, whole, { 'content-type': 'application/json; charset=utf-16' }), 'the content type is not JSON'],
    ['no type', (response) => response.writeHead(200).end(whole), 'the content type is not JSON'],
    ['HTML that is called JSON', answer(200, '<html></html>'), 'the body is not JSON'],
    ['an empty body', answer(200, ''), 'the body is empty'],
    ['JSON that ends early', answer(200, whole.slice(0, -20)), 'the body is not JSON'],
    ['JSON and more', answer(200, `${whole}${whole}`), 'the body is not JSON'],
    [
      'a body that is not UTF-8',
      answer(200, Buffer.concat([Buffer.from(whole.slice(0, 40)), Buffer.from([0xff]), Buffer.from(whole.slice(40))])),
      'the body is not UTF-8',
    ],
    ['a mark before the text', answer(200, `\ufeff${whole}`), 'the body is not JSON'],
    ['gzip that is none', answer(200, whole, { 'content-encoding': 'gzip' }), 'the body was cut or is not what its encoding says'],
    ['gzip that ends early', answer(200, gzipSync(whole).subarray(0, 60), { 'content-encoding': 'gzip' }), 'the body is not JSON'],
    ['a body shorter than its length', cutBody(), 'the body was cut or is not what its encoding says'],
    ['a body over a megabyte', withData({ padding: 'x'.repeat(1_000_000) }), 'the body is larger than 1000000 bytes'],
    [
      'a megabyte packed small',
      answer(200, gzipSync(JSON.stringify({ ...envelope, padding: 'x'.repeat(1_000_000) })), { 'content-encoding': 'gzip' }),
      'the body is larger than 1000000 bytes',
    ],
    ['a body without end', endless, 'the body is larger than 1000000 bytes'],
    ['a field twice', answer(200, whole.replace('"score":80', '"score":3,"score":80')), 'a field stands there twice'],
    [
      'a field twice in other writing',
      answer(200, whole.replace('"score":80', '"sc\\u006fre":3,"score":80')),
      'a field stands there twice',
    ],
    ['null', json(null), 'the envelope is not understood'],
    ['a list', json([envelope]), 'the envelope is not understood'],
    ['success in a string', json({ ...envelope, success: 'true' }), 'the envelope is not understood'],
    ['no success', json({ ...envelope, success: undefined }), 'the envelope is not understood'],
    ['success 1', json({ ...envelope, success: 1 }), 'the envelope is not understood'],
    ['a message beside a result', json({ ...envelope, msg: 'Perhaps' }), 'msg is not understood'],
    ['a message that is none', json({ ...envelope, msg: 5 }), 'the envelope is not understood'],
    ['no data', json({ ...envelope, data: undefined }), 'data is missing or not understood'],
    ['data null', json({ ...envelope, data: null }), 'data is missing or not understood'],
    ['data a list', json({ ...envelope, data: [data] }), 'data is missing or not understood'],
    ['no score', without('score'), 'data.score is missing or not understood'],
    ['no level', without('risk_level'), 'data.risk_level is missing or not understood'],
    ['no details', without('detail_list'), 'data.detail_list is missing or not understood'],
    ['no exposures', without('risk_detail'), 'data.risk_detail is missing or not understood'],
    ['a score of null', withData({ score: null }), 'data.score is missing or not understood'],
    ['a level of null', withData({ risk_level: null }), 'data.risk_level is missing or not understood'],
    ['exposures of null', withData({ risk_detail: null }), 'data.risk_detail is missing or not understood'],
    ['a broken score', withData({ score: 80.5 }), 'data.score is missing or not understood'],
    ['a score beyond', withData({ score: 101, risk_level: 'Severe' }), 'data.score is missing or not understood'],
    ['a score below', withData({ score: -1, risk_level: 'Low' }), 'data.score is missing or not understood'],
    ['a score in words', withData({ score: 'eighty' }), 'data.score is missing or not understood'],
    ['a score with a sign', withData({ score: '+80' }), 'data.score is missing or not understood'],
    ['a score in hexadecimal', withData({ score: '0x50' }), 'data.score is missing or not understood'],
    ['an empty score', withData({ score: '', risk_level: 'Low' }), 'data.score is missing or not understood'],
    ['a false score', withData({ score: false, risk_level: 'Low' }), 'data.score is missing or not understood'],
    ['a score in a list', withData({ score: [80] }), 'data.score is missing or not understood'],
    ['a level in other letters', withData({ risk_level: 'high' }), 'data.risk_level is missing or not understood'],
    ['a level with space', withData({ risk_level: 'High ' }), 'data.risk_level is missing or not understood'],
    ['95 and Low', withData({ score: 95, risk_level: 'Low' }), 'score and risk_level contradict each other'],
    ['30 and Moderate', withData({ score: 30, risk_level: 'Moderate' }), 'score and risk_level contradict each other'],
    ['31 and Low', withData({ score: 31, risk_level: 'Low' }), 'score and risk_level contradict each other'],
    ['71 and Moderate', withData({ score: 71, risk_level: 'Moderate' }), 'score and risk_level contradict each other'],
    ['91 and High', withData({ score: 91, risk_level: 'High' }), 'score and risk_level contradict each other'],
    ['3 and Severe', withData({ score: 3, risk_level: 'Severe' }), 'score and risk_level contradict each other'],
    ['a time in milliseconds', withData({ scanned_ts: 1_700_000_000_000 }), 'data.scanned_ts is missing or not understood'],
    ['a time in words', withData({ scanned_ts: 'yesterday' }), 'data.scanned_ts is missing or not understood'],
    ['a coverage that is not known', withData({ coverage: 'None' }), 'data.coverage is missing or not understood'],
    ['an exposure that is a string', withData({ risk_detail: ['sanctioned_entity'] }), 'data.risk_detail.0 is missing or not understood'],
    ['an exposure that is null', withData({ risk_detail: [exposure, null] }), 'data.risk_detail.1 is missing or not understood'],
    ['an exposure without type', withExposure({ risk_type: undefined }), 'data.risk_detail.0.risk_type is missing or not understood'],
    ['an exposure of an empty type', withExposure({ risk_type: ' ' }), 'data.risk_detail.0.risk_type is missing or not understood'],
    [
      'an exposure that may be to sanctions',
      withExposure({ risk_type: 'Sanctioned Entity' }),
      'data.risk_detail.0.risk_type is missing or not understood',
    ],
    [
      'an exposure neither direct nor indirect',
      withExposure({ exposure_type: 'near' }),
      'data.risk_detail.0.exposure_type is missing or not understood',
    ],
    ['an exposure at no distance', withExposure({ hop_num: 0 }), 'data.risk_detail.0.hop_num is missing or not understood'],
    ['an exposure without distance', withExposure({ hop_num: null }), 'data.risk_detail.0.hop_num is missing or not understood'],
    ['a negative volume', withExposure({ volume: -1 }), 'data.risk_detail.0.volume is missing or not understood'],
    ['a volume in words', withExposure({ volume: 'much' }), 'data.risk_detail.0.volume is missing or not understood'],
    ['an infinite volume', answer(200, whole.replace('12.5', '1e999')), 'data.risk_detail.0.volume is missing or not understood'],
    ['a path that is none', withExposure({ hop_dic: { '1': '0xaa' } }), 'data.risk_detail.0.hop_dic is missing or not understood'],
    ['details that are no text', withData({ detail_list: [1] }), 'data.detail_list.0 is missing or not understood'],
    [
      'nothing known, yet a high level',
      withData({ ...low, coverage: 'none', score: 80, risk_level: 'High' }),
      'coverage none contradicts the rest',
    ],
    [
      'nothing known, yet an exposure',
      withData({ ...low, coverage: 'none', risk_detail: [exposure] }),
      'coverage none contradicts the rest',
    ],
    ['nothing known, yet a label', withData({ ...low, coverage: 'none', address_label: 'Exchange' }), 'coverage none contradicts the rest'],
    [
      'a token that is also a type of risk',
      withData({ risk_report_url: 'https://x/?t=sanctioned_entity', risk_detail: [{ ...exposure, risk_type: 'sanctioned_entity' }] }),
      'an access token stands where the assessment is',
    ],
  ];
  test.each(unreadable)('makes no level of %s', async (_, behaviour, detail) => {
    expect(await ask(behaviour, { timeoutMs: 5_000 })).toEqual({ kind: 'unavailable', reason: 'UNREADABLE', detail });
  });

  function cutBody(): Behaviour {
    return (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(whole.length + 100) });
      response.write(whole, () => response.destroy());
    };
  }

  function endless(response: Parameters<Behaviour>[0]): void {
    response.writeHead(200, { 'content-type': 'application/json' });
    const more = (): void => {
      while (!response.destroyed && response.write(' '.repeat(65_536)));
    };
    response.on('drain', more);
    more();
  }

  const created: [string, unknown, object][] = [
    ['a task', { task_id: 't', has_result: false, scanned_ts: 0 }, { kind: 'created', task_id: 't', has_result: false, scanned_ts: null }],
    ['a task that says little', { task_id: 't' }, { kind: 'created', task_id: 't', has_result: false, scanned_ts: null }],
    [
      'no id',
      { has_result: true, scanned_ts: 1 },
      { kind: 'unavailable', reason: 'UNREADABLE', detail: 'data.task_id is missing or not understood' },
    ],
    ['an empty id', { task_id: '' }, { kind: 'unavailable', reason: 'UNREADABLE' }],
    ['a number for an id', { task_id: 5 }, { kind: 'unavailable', reason: 'UNREADABLE' }],
    ['a result that may be', { task_id: 't', has_result: 'maybe' }, { kind: 'unavailable', reason: 'UNREADABLE' }],
    ['a garbled time', { task_id: 't', scanned_ts: {} }, { kind: 'unavailable', reason: 'UNREADABLE' }],
  ];
  test.each(created)('reads of a create %s', async (_, value, expected) => {
    server.behave(json({ success: true, msg: '', data: value }));
    expect(await clientOf(server, { fetch: fetchWith }).createTask({ coin: 'ETH', address: '0x1' })).toMatchObject(expected);
  });
});
