export { applyAcls, type AclChanges, type WantedAcl } from './acls.ts';
export { type ApplyOptions, applyTopics, type Replication, type TopicChange, type WantedTopic } from './apply.ts';
export { type KafkaLogOptions, openKafkaLog } from './log.ts';
export { type GroupState, type KafkaSurvey, openKafkaSurvey, type TopicState } from './survey.ts';
export type { KafkaConnection, KafkaSasl, KafkaTls, OAuthClient } from './security.ts';
