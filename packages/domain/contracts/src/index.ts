export { type KafkaUser, type TopicAcl, topicAcls } from './access.ts';
export { Codec, memorySchemaIds, type SchemaIds, UndecodableRecord } from './codec.ts';
export type * from './generated/records.ts';
export { eventId, screeningId } from './ids.ts';
export type { ReasonCode } from './reasons.ts';
export { type ReviewFault, reviewFault } from './review-fault.ts';
export { type ScreeningFault, screeningFault } from './screening-fault.ts';
export { isRecordTime } from './times.ts';
export { deadLetterTopic, type Topic, type TopicContract, topicSpecs, topics } from './topics.ts';
