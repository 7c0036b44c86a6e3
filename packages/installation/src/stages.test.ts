import { loadConfig } from '@weir/service-kit/config';
import { expect, test } from 'vitest';
import { pipelineSchema } from './settings.ts';
import { chosenStages, stageNames } from './stages.ts';

const chosen = (text: string): readonly string[] => chosenStages(loadConfig(pipelineSchema, { WEIR_STAGES: text }).stages);

test.each([
  ['', stageNames],
  ['scoring', ['scoring']],
  ['deposit-ingest, scoring ,decision', ['decision', 'scoring', 'deposit-ingest']],
  ['scoring,scoring', ['scoring']],
])('WEIR_STAGES=%j chooses services, in the order of their start', (text, names) => {
  expect(chosen(text)).toEqual(names);
});

test.each(['risk-api', 'scoring,', 'scoring;decision'])('WEIR_STAGES=%j is refused with the services that there are', (text) => {
  expect(() => chosen(text)).toThrow(
    'setting WEIR_STAGES is wrong: must be services with commas: audit-writer, console, decision, scoring, withdrawal-gate, deposit-ingest',
  );
});
