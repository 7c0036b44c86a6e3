// Made from schemas/*.avsc by `npm run generate`. Do not edit.

/** One field of an activity. */
export interface ActivityDetail {
  /** Such as text, assignee, due_at, sha256. */
  name: string;
  /** Null: taken away. */
  value: string | null;
}

/** A person worked on a review or a case, or changed the installation. Key: the subject, so that its activities stay in order. */
export interface ActivityRecorded {
  /** UUID of the activity. */
  activity_id: string;
  /** The act, such as note_added, assigned, policy_activated, key_created. */
  action: string;
  /** screening, case, policy, key, coin, webhooks, settings or erasure. */
  subject_type: string;
  /** Id of the subject, such as a screening_id or a policy hash. */
  subject: string;
  /** Role and id of the token, never the token; os:<name> for the command line, weir for Weir itself. */
  person_id: string;
  /** Name of the person. */
  person_name: string;
  /** The content of the activity. */
  details: readonly ActivityDetail[];
  /** When it happened. */
  recorded_at: number;
}

/** A deposit that the exchange has seen on chain. Key: deposit_id. */
export interface DepositDetected {
  /** The exchange's id, 1 to 128 characters. */
  deposit_id: string;
  /** Must fit the coin when given. */
  chain: string | null;
  /** E.g. ETH, USDT-ERC20; gives the chain. */
  coin: string;
  /** Transaction id; this or from_address is required. */
  txid: string | null;
  /** Sender. */
  from_address: string | null;
  /** The exchange's receiving address. */
  to_address: string;
  /** Decimal string in whole coins. */
  amount: string;
  /** Decimal string in USD. */
  usd_value: string | null;
  /** Opaque. */
  user_id: string | null;
  /** When the exchange saw it. */
  detected_at: number;
  /** Destination tag, memo or comment beside the receiver's address. */
  memo: string | null;
}

/** Labels were imported, ended or withdrawn. Key: labels, so that all changes stay in order. */
export interface LabelsChanged {
  /** Number of the change in its database, rising. */
  change_id: number;
  /** import: an import ended; snapshot: labels that a snapshot no longer has have ended; end or withdraw: by a person. */
  action: string;
  /** Labels that changed; of an import those that are new or corrected. */
  labels: number;
  /** The import that changed them, or whose labels were withdrawn. */
  import_key: string | null;
  /** Of the import. */
  file_name: string | null;
  /** The source of all of them; null where they may have several. */
  source: string | null;
  /** The category of all of them; null where they may have several. */
  category: string | null;
  /** The addresses of all of them; empty where they are not named. */
  addresses: readonly string[];
  /** From when on they no longer hold. */
  ended_at: number | null;
  /** Who decided or imported it; null where Weir did by itself. */
  person: string | null;
  /** Why, in the person's words. */
  reason: string | null;
  /** When, by the clock of the database. */
  changed_at: number;
}

/** What the exchange must do. */
export type Action = 'block' | 'review' | 'allow';

/** A person's resolution of a screening. Key: the transfer's id. */
export interface ReviewResolved {
  /** Which screening. */
  screening_id: string;
  /** The revision it resolves. */
  revision: number;
  /** allow or block; review: held again. */
  action: Action;
  /** Who resolved, by role and token id. */
  reviewer: string;
  /** Who approved, by role and token id; null where one person suffices. */
  approver: string | null;
  /** Why, in the reviewer's words. */
  reason: string;
  /** When. */
  resolved_at: number;
  /** Which resolution: applied once. */
  resolution_id: string;
  /** When it was approved. */
  approved_at: number | null;
}

/** What is screened. */
export type Kind = 'deposit' | 'withdrawal';

/** Typed result. */
export type Outcome = 'SCORED' | 'NO_DATA' | 'UNAVAILABLE' | 'UNSUPPORTED' | 'INVALID';

/** Level by band. */
export type RiskLevel = 'Low' | 'Moderate' | 'High' | 'Severe';

/** A transfer as the exchange told of it, normalised. */
export interface Transfer {
  /** Deposit or withdrawal. */
  kind: Kind;
  /** The exchange's own id: deposit_id or withdrawal_id, 1 to 128 characters. */
  source_id: string;
  /** Lower case, e.g. ethereum; empty when the coin is not known and the exchange named none. */
  chain: string;
  /** E.g. ETH, USDT-ERC20. */
  coin: string;
  /** Transaction id; a withdrawal has none yet. */
  txid: string | null;
  /** Sender, where known. */
  from_address: string | null;
  /** Receiver. */
  to_address: string;
  /** Decimal string in whole coins. */
  amount: string;
  /** Decimal string in USD; null when unknown, which is not zero. */
  usd_value: string | null;
  /** Opaque to us. */
  user_id: string | null;
  /** When the exchange detected the deposit or took the withdrawal request. */
  occurred_at: number;
  /** Destination tag, memo or comment beside the receiver's address, normalised; null where there is none. */
  memo: string | null;
}

/** What was known of earlier transfers when it was decided. */
export interface HistoryWindow {
  /** user, or user_counterparty. */
  of: string;
  /** Transfers of this kind; null: both. */
  kind: Kind | null;
  /** Length of the window, in milliseconds. */
  window_ms: number;
  /** Transfers in it, this one among them when it is of the kind. */
  count: number;
  /** Sum of the known values, decimal string in USD. */
  known_usd: string;
  /** How many have no known value. */
  unknown_count: number;
}

/** The effective decision of one revision. Key: the transfer's id. */
export interface ScreeningDecided {
  /** As requested. */
  screening_id: string;
  /** From 1. */
  revision: number;
  /** Deposit or withdrawal. */
  kind: Kind;
  /** block, review or allow. */
  action: Action;
  /** Why, strongest first. */
  reason_codes: readonly string[];
  /** The line of the policy that decided. */
  rule: string | null;
  /** SHA-256 (hex) of the policy in force. */
  policy_hash: string;
  /** What the candidate policy would have done. */
  shadow: Action | null;
  /** SHA-256 (hex) of the candidate policy, when one ran beside. */
  shadow_policy_hash: string | null;
  /** The revision before, or null. */
  supersedes: number | null;
  /** The outcome that was decided on. */
  outcome: Outcome;
  /** Of that result. */
  score: number | null;
  /** Of that result. */
  risk_level: RiskLevel | null;
  /** When screening began. */
  requested_at: number;
  /** When it was decided. */
  decided_at: number;
  /** The transfer itself. */
  transfer: Transfer;
  /** What the rules of the policy, and of the candidate, could see of history. */
  history: readonly HistoryWindow[];
  /** The resolution by people that this follows from; null where the policy decided. */
  resolution_id: string | null;
  /** Whether it was decided on a result that names a sanctioned entity, at any distance; null where an older version decided. */
  names_sanctioned: boolean | null;
}

/** What the risk API is asked about. */
export type SubjectType = 'txid' | 'address';

/** Which side of the transfer is scored. */
export type Direction = 'deposit' | 'withdraw';

/** Share of the rate budget. */
export type Lane = 'withdrawal' | 'deposit' | 'rescreen';

/** Why it cannot be asked. */
export type TransferFault = 'UNSUPPORTED_COIN' | 'INVALID_TRANSFER';

/** One transfer to be screened. Key: the transfer's id. */
export interface ScreeningRequested {
  /** UUIDv5 of kind and source id. */
  screening_id: string;
  /** 1, and one more for each later re-screening. */
  attempt: number;
  /** Deposit or withdrawal. */
  kind: Kind;
  /** Lower case. */
  chain: string;
  /** E.g. ETH. */
  coin: string;
  /** What subject is. */
  subject_type: SubjectType;
  /** Transaction id or address, normalised. */
  subject: string;
  /** Which side is scored. */
  direction: Direction;
  /** Share of the budget. */
  lane: Lane;
  /** Set when the transfer cannot be screened as it is; it is then held without a question. */
  fault: TransferFault | null;
  /** When screening began. */
  requested_at: number;
  /** Past this the transfer is held. */
  deadline_at: number;
  /** The transfer itself. */
  transfer: Transfer;
  /** Revision of the allow that a permit was asked for when it was too old, or when a local sanctions list names the receiver. Scoring gives such a request its next attempt; null for every other request. */
  renews_revision: number | null;
  /** Reason codes that a person should see and that hold nothing, e.g. CALLER_TIME_OUT_OF_BOUNDS. Scoring adds them to the reasons of each result. */
  warnings: readonly string[];
  /** Id of the token that posted the transfer. Its share of the day pays for the lookups; null for a transfer that came by topic, and for a re-screening. */
  token_id: string | null;
}

/** Directness. */
export type ExposureType = 'direct' | 'indirect';

/** Direction of the money, seen from the subject: received or sent. */
export type Side = 'in' | 'out';

/** One line of risk_detail. */
export interface Exposure {
  /** Name of the risk entity. */
  entity: string;
  /** E.g. sanctioned_entity, mixer. */
  risk_type: string;
  /** Direct or indirect. */
  exposure_type: ExposureType;
  /** Hops between target and entity, from 1. */
  hop_num: number;
  /** USD; null when unknown. */
  volume_usd: number | null;
  /** Share of all volume, 0 to 100. */
  percent: number | null;
  /** Null when unknown, or when both sides are in one line. */
  side: Side | null;
}

/** One question to the risk API and its answer. */
export interface Question {
  /** Transaction id or address. */
  subject: string;
  /** What subject is. */
  subject_type: SubjectType;
  /** What came out; UNAVAILABLE while it is not answered. */
  outcome: Outcome;
  /** Only with SCORED and NO_DATA. */
  score: number | null;
  /** Only with SCORED. */
  risk_level: RiskLevel | null;
  /** SHA-256 (hex) of the raw answer. */
  evidence_sha256: string | null;
}

/** What came of asking the risk API. Only SCORED has a level. Key: the transfer's id. */
export interface ScreeningScored {
  /** As requested. */
  screening_id: string;
  /** As requested. */
  attempt: number;
  /** 1 for the first result of this attempt; a result that comes after a hold has 2, and so on. */
  sequence: number;
  /** Deposit or withdrawal. */
  kind: Kind;
  /** What came out. */
  outcome: Outcome;
  /** Reason codes of an outcome without a level, e.g. UPSTREAM_UNAVAILABLE, BUDGET_EXHAUSTED, DEADLINE_PASSED. */
  reasons: readonly string[];
  /** 3 to 100; only with SCORED and NO_DATA. */
  score: number | null;
  /** Only with SCORED. */
  risk_level: RiskLevel | null;
  /** Risk descriptions. */
  detail_list: readonly string[];
  /** Every exposure. */
  risk_detail: readonly Exposure[];
  /** Illicit money that the subject received, directly or traced, in USD; null when the risk API does not say. */
  illicit_usd: number | null;
  /** Empty when none. */
  address_label: string;
  /** Empty when none. */
  hacking_event: string;
  /** Which risk API answered: the host of its address. */
  provider: string;
  /** Unix seconds when the result was computed. */
  scanned_ts: number | null;
  /** The raw answer, access token cut out. */
  evidence: string | null;
  /** SHA-256 (hex) of evidence. */
  evidence_sha256: string | null;
  /** When the risk API's answer was read; where there is none, when this result was made. */
  scored_at: number;
  /** Whether the answer was there before this screening asked for it. */
  reused: boolean;
  /** When this result was given to this screening; null from versions that did not say. */
  reported_at: number | null;
  /** What subject is. */
  subject_type: SubjectType;
  /** What was asked about. */
  subject: string;
  /** Which side was scored. */
  direction: Direction;
  /** As requested. */
  requested_at: number;
  /** As requested. */
  deadline_at: number;
  /** The transfer itself. */
  transfer: Transfer;
  /** As requested: the allow that this result renews. The result replaces it, whatever it is. */
  renews_revision: number | null;
  /** Where the risk API does not know the transaction: the question about it, then the one about the counterparty, whose answer is the result. Empty where one question was asked. */
  questions: readonly Question[];
  /** Price of one whole coin in USD that the risk API knew when this result was given; decimal string, null when unknown. */
  known_usd_price: string | null;
  /** UTC day of known_usd_price, such as 2026-01-31: the newest known up to the day of requested_at. */
  price_day: string | null;
}

/** A withdrawal that a customer asks for. Key: withdrawal_id. */
export interface WithdrawalRequested {
  /** The exchange's id, 1 to 128 characters. */
  withdrawal_id: string;
  /** Must fit the coin when given. */
  chain: string | null;
  /** E.g. ETH, USDT-ERC20; gives the chain. */
  coin: string;
  /** Where the money is to go. */
  to_address: string;
  /** Decimal string in whole coins. */
  amount: string;
  /** Decimal string in USD. */
  usd_value: string | null;
  /** Opaque. */
  user_id: string | null;
  /** When the customer asked. */
  requested_at: number;
  /** Destination tag, memo or comment beside the receiver's address. */
  memo: string | null;
}

/** The record type of each topic. */
export interface TopicRecords {
  'activities.recorded': ActivityRecorded;
  'deposits.detected': DepositDetected;
  'labels.changed': LabelsChanged;
  'reviews.resolved': ReviewResolved;
  'screenings.decided': ScreeningDecided;
  'screenings.requested': ScreeningRequested;
  'screenings.scored': ScreeningScored;
  'withdrawals.requested': WithdrawalRequested;
}

/** The Avro schema of each topic, as JSON. */
export const topicSchemas: Readonly<Record<keyof TopicRecords, string>> = {
  'activities.recorded':
    '{"type":"record","name":"ActivityRecorded","namespace":"weir","doc":"A person worked on a review or a case, or changed the installation. Key: the subject, so that its activities stay in order.","fields":[{"name":"activity_id","type":"string","doc":"UUID of the activity."},{"name":"action","type":"string","doc":"The act, such as note_added, assigned, policy_activated, key_created."},{"name":"subject_type","type":"string","doc":"screening, case, policy, key, coin, webhooks, settings or erasure."},{"name":"subject","type":"string","doc":"Id of the subject, such as a screening_id or a policy hash."},{"name":"person_id","type":"string","doc":"Role and id of the token, never the token; os:<name> for the command line, weir for Weir itself."},{"name":"person_name","type":"string","doc":"Name of the person."},{"name":"details","type":{"type":"array","items":{"type":"record","name":"ActivityDetail","namespace":"weir","doc":"One field of an activity.","fields":[{"name":"name","type":"string","doc":"Such as text, assignee, due_at, sha256."},{"name":"value","type":["null","string"],"doc":"Null: taken away.","default":null}]}},"doc":"The content of the activity.","default":[]},{"name":"recorded_at","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When it happened."}]}',
  'deposits.detected':
    '{"type":"record","name":"DepositDetected","namespace":"weir","doc":"A deposit that the exchange has seen on chain. Key: deposit_id.","fields":[{"name":"deposit_id","type":"string","doc":"The exchange\'s id, 1 to 128 characters."},{"name":"chain","type":["null","string"],"doc":"Must fit the coin when given.","default":null},{"name":"coin","type":"string","doc":"E.g. ETH, USDT-ERC20; gives the chain."},{"name":"txid","type":["null","string"],"doc":"Transaction id; this or from_address is required.","default":null},{"name":"from_address","type":["null","string"],"doc":"Sender.","default":null},{"name":"to_address","type":"string","doc":"The exchange\'s receiving address."},{"name":"amount","type":"string","doc":"Decimal string in whole coins."},{"name":"usd_value","type":["null","string"],"doc":"Decimal string in USD.","default":null},{"name":"user_id","type":["null","string"],"doc":"Opaque.","default":null},{"name":"detected_at","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When the exchange saw it."},{"name":"memo","type":["null","string"],"doc":"Destination tag, memo or comment beside the receiver\'s address.","default":null}]}',
  'labels.changed':
    '{"type":"record","name":"LabelsChanged","namespace":"weir","doc":"Labels were imported, ended or withdrawn. Key: labels, so that all changes stay in order.","fields":[{"name":"change_id","type":"long","doc":"Number of the change in its database, rising."},{"name":"action","type":"string","doc":"import: an import ended; snapshot: labels that a snapshot no longer has have ended; end or withdraw: by a person."},{"name":"labels","type":"long","doc":"Labels that changed; of an import those that are new or corrected."},{"name":"import_key","type":["null","string"],"doc":"The import that changed them, or whose labels were withdrawn.","default":null},{"name":"file_name","type":["null","string"],"doc":"Of the import.","default":null},{"name":"source","type":["null","string"],"doc":"The source of all of them; null where they may have several.","default":null},{"name":"category","type":["null","string"],"doc":"The category of all of them; null where they may have several.","default":null},{"name":"addresses","type":{"type":"array","items":"string"},"doc":"The addresses of all of them; empty where they are not named.","default":[]},{"name":"ended_at","type":["null",{"type":"long","logicalType":"timestamp-millis"}],"doc":"From when on they no longer hold.","default":null},{"name":"person","type":["null","string"],"doc":"Who decided or imported it; null where Weir did by itself.","default":null},{"name":"reason","type":["null","string"],"doc":"Why, in the person\'s words.","default":null},{"name":"changed_at","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When, by the clock of the database."}]}',
  'reviews.resolved':
    '{"type":"record","name":"ReviewResolved","namespace":"weir","doc":"A person\'s resolution of a screening. Key: the transfer\'s id.","fields":[{"name":"screening_id","type":"string","doc":"Which screening."},{"name":"revision","type":"int","doc":"The revision it resolves."},{"name":"action","type":{"type":"enum","name":"Action","namespace":"weir","doc":"What the exchange must do.","symbols":["block","review","allow"]},"doc":"allow or block; review: held again."},{"name":"reviewer","type":"string","doc":"Who resolved, by role and token id."},{"name":"approver","type":["null","string"],"doc":"Who approved, by role and token id; null where one person suffices.","default":null},{"name":"reason","type":"string","doc":"Why, in the reviewer\'s words."},{"name":"resolved_at","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When."},{"name":"resolution_id","type":"string","doc":"Which resolution: applied once.","default":""},{"name":"approved_at","type":["null",{"type":"long","logicalType":"timestamp-millis"}],"doc":"When it was approved.","default":null}]}',
  'screenings.decided':
    '{"type":"record","name":"ScreeningDecided","namespace":"weir","doc":"The effective decision of one revision. Key: the transfer\'s id.","fields":[{"name":"screening_id","type":"string","doc":"As requested."},{"name":"revision","type":"int","doc":"From 1."},{"name":"kind","type":{"type":"enum","name":"Kind","namespace":"weir","doc":"What is screened.","symbols":["deposit","withdrawal"]},"doc":"Deposit or withdrawal."},{"name":"action","type":{"type":"enum","name":"Action","namespace":"weir","doc":"What the exchange must do.","symbols":["block","review","allow"]},"doc":"block, review or allow."},{"name":"reason_codes","type":{"type":"array","items":"string"},"doc":"Why, strongest first."},{"name":"rule","type":["null","string"],"doc":"The line of the policy that decided.","default":null},{"name":"policy_hash","type":"string","doc":"SHA-256 (hex) of the policy in force."},{"name":"shadow","type":["null","weir.Action"],"doc":"What the candidate policy would have done.","default":null},{"name":"shadow_policy_hash","type":["null","string"],"doc":"SHA-256 (hex) of the candidate policy, when one ran beside.","default":null},{"name":"supersedes","type":["null","int"],"doc":"The revision before, or null.","default":null},{"name":"outcome","type":{"type":"enum","name":"Outcome","namespace":"weir","doc":"Typed result.","symbols":["SCORED","NO_DATA","UNAVAILABLE","UNSUPPORTED","INVALID"]},"doc":"The outcome that was decided on."},{"name":"score","type":["null","int"],"doc":"Of that result.","default":null},{"name":"risk_level","type":["null",{"type":"enum","name":"RiskLevel","namespace":"weir","doc":"Level by band.","symbols":["Low","Moderate","High","Severe"]}],"doc":"Of that result.","default":null},{"name":"requested_at","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When screening began."},{"name":"decided_at","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When it was decided."},{"name":"transfer","type":{"type":"record","name":"Transfer","namespace":"weir","doc":"A transfer as the exchange told of it, normalised.","fields":[{"name":"kind","type":"weir.Kind","doc":"Deposit or withdrawal."},{"name":"source_id","type":"string","doc":"The exchange\'s own id: deposit_id or withdrawal_id, 1 to 128 characters."},{"name":"chain","type":"string","doc":"Lower case, e.g. ethereum; empty when the coin is not known and the exchange named none."},{"name":"coin","type":"string","doc":"E.g. ETH, USDT-ERC20."},{"name":"txid","type":["null","string"],"doc":"Transaction id; a withdrawal has none yet.","default":null},{"name":"from_address","type":["null","string"],"doc":"Sender, where known.","default":null},{"name":"to_address","type":"string","doc":"Receiver."},{"name":"amount","type":"string","doc":"Decimal string in whole coins."},{"name":"usd_value","type":["null","string"],"doc":"Decimal string in USD; null when unknown, which is not zero.","default":null},{"name":"user_id","type":["null","string"],"doc":"Opaque to us.","default":null},{"name":"occurred_at","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When the exchange detected the deposit or took the withdrawal request."},{"name":"memo","type":["null","string"],"doc":"Destination tag, memo or comment beside the receiver\'s address, normalised; null where there is none.","default":null}]},"doc":"The transfer itself."},{"name":"history","type":{"type":"array","items":{"type":"record","name":"HistoryWindow","namespace":"weir","doc":"What was known of earlier transfers when it was decided.","fields":[{"name":"of","type":"string","doc":"user, or user_counterparty."},{"name":"kind","type":["null","weir.Kind"],"doc":"Transfers of this kind; null: both.","default":null},{"name":"window_ms","type":"long","doc":"Length of the window, in milliseconds."},{"name":"count","type":"int","doc":"Transfers in it, this one among them when it is of the kind."},{"name":"known_usd","type":"string","doc":"Sum of the known values, decimal string in USD."},{"name":"unknown_count","type":"int","doc":"How many have no known value."}]}},"doc":"What the rules of the policy, and of the candidate, could see of history.","default":[]},{"name":"resolution_id","type":["null","string"],"doc":"The resolution by people that this follows from; null where the policy decided.","default":null},{"name":"names_sanctioned","type":["null","boolean"],"doc":"Whether it was decided on a result that names a sanctioned entity, at any distance; null where an older version decided.","default":null}]}',
  'screenings.requested':
    '{"type":"record","name":"ScreeningRequested","namespace":"weir","doc":"One transfer to be screened. Key: the transfer\'s id.","fields":[{"name":"screening_id","type":"string","doc":"UUIDv5 of kind and source id."},{"name":"attempt","type":"int","doc":"1, and one more for each later re-screening."},{"name":"kind","type":{"type":"enum","name":"Kind","namespace":"weir","doc":"What is screened.","symbols":["deposit","withdrawal"]},"doc":"Deposit or withdrawal."},{"name":"chain","type":"string","doc":"Lower case."},{"name":"coin","type":"string","doc":"E.g. ETH."},{"name":"subject_type","type":{"type":"enum","name":"SubjectType","namespace":"weir","doc":"What the risk API is asked about.","symbols":["txid","address"]},"doc":"What subject is."},{"name":"subject","type":"string","doc":"Transaction id or address, normalised."},{"name":"direction","type":{"type":"enum","name":"Direction","namespace":"weir","doc":"Which side of the transfer is scored.","symbols":["deposit","withdraw"]},"doc":"Which side is scored."},{"name":"lane","type":{"type":"enum","name":"Lane","namespace":"weir","doc":"Share of the rate budget.","symbols":["withdrawal","deposit","rescreen"]},"doc":"Share of the budget."},{"name":"fault","type":["null",{"type":"enum","name":"TransferFault","namespace":"weir","doc":"Why it cannot be asked.","symbols":["UNSUPPORTED_COIN","INVALID_TRANSFER"]}],"doc":"Set when the transfer cannot be screened as it is; it is then held without a question.","default":null},{"name":"requested_at","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When screening began."},{"name":"deadline_at","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"Past this the transfer is held."},{"name":"transfer","type":{"type":"record","name":"Transfer","namespace":"weir","doc":"A transfer as the exchange told of it, normalised.","fields":[{"name":"kind","type":"weir.Kind","doc":"Deposit or withdrawal."},{"name":"source_id","type":"string","doc":"The exchange\'s own id: deposit_id or withdrawal_id, 1 to 128 characters."},{"name":"chain","type":"string","doc":"Lower case, e.g. ethereum; empty when the coin is not known and the exchange named none."},{"name":"coin","type":"string","doc":"E.g. ETH, USDT-ERC20."},{"name":"txid","type":["null","string"],"doc":"Transaction id; a withdrawal has none yet.","default":null},{"name":"from_address","type":["null","string"],"doc":"Sender, where known.","default":null},{"name":"to_address","type":"string","doc":"Receiver."},{"name":"amount","type":"string","doc":"Decimal string in whole coins."},{"name":"usd_value","type":["null","string"],"doc":"Decimal string in USD; null when unknown, which is not zero.","default":null},{"name":"user_id","type":["null","string"],"doc":"Opaque to us.","default":null},{"name":"occurred_at","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When the exchange detected the deposit or took the withdrawal request."},{"name":"memo","type":["null","string"],"doc":"Destination tag, memo or comment beside the receiver\'s address, normalised; null where there is none.","default":null}]},"doc":"The transfer itself."},{"name":"renews_revision","type":["null","int"],"doc":"Revision of the allow that a permit was asked for when it was too old, or when a local sanctions list names the receiver. Scoring gives such a request its next attempt; null for every other request.","default":null},{"name":"warnings","type":{"type":"array","items":"string"},"doc":"Reason codes that a person should see and that hold nothing, e.g. CALLER_TIME_OUT_OF_BOUNDS. Scoring adds them to the reasons of each result.","default":[]},{"name":"token_id","type":["null","string"],"doc":"Id of the token that posted the transfer. Its share of the day pays for the lookups; null for a transfer that came by topic, and for a re-screening.","default":null}]}',
  'screenings.scored':
    '{"type":"record","name":"ScreeningScored","namespace":"weir","doc":"What came of asking the risk API. Only SCORED has a level. Key: the transfer\'s id.","fields":[{"name":"screening_id","type":"string","doc":"As requested."},{"name":"attempt","type":"int","doc":"As requested."},{"name":"sequence","type":"int","doc":"1 for the first result of this attempt; a result that comes after a hold has 2, and so on."},{"name":"kind","type":{"type":"enum","name":"Kind","namespace":"weir","doc":"What is screened.","symbols":["deposit","withdrawal"]},"doc":"Deposit or withdrawal."},{"name":"outcome","type":{"type":"enum","name":"Outcome","namespace":"weir","doc":"Typed result.","symbols":["SCORED","NO_DATA","UNAVAILABLE","UNSUPPORTED","INVALID"]},"doc":"What came out."},{"name":"reasons","type":{"type":"array","items":"string"},"doc":"Reason codes of an outcome without a level, e.g. UPSTREAM_UNAVAILABLE, BUDGET_EXHAUSTED, DEADLINE_PASSED.","default":[]},{"name":"score","type":["null","int"],"doc":"3 to 100; only with SCORED and NO_DATA.","default":null},{"name":"risk_level","type":["null",{"type":"enum","name":"RiskLevel","namespace":"weir","doc":"Level by band.","symbols":["Low","Moderate","High","Severe"]}],"doc":"Only with SCORED.","default":null},{"name":"detail_list","type":{"type":"array","items":"string"},"doc":"Risk descriptions.","default":[]},{"name":"risk_detail","type":{"type":"array","items":{"type":"record","name":"Exposure","namespace":"weir","doc":"One line of risk_detail.","fields":[{"name":"entity","type":"string","doc":"Name of the risk entity."},{"name":"risk_type","type":"string","doc":"E.g. sanctioned_entity, mixer."},{"name":"exposure_type","type":{"type":"enum","name":"ExposureType","namespace":"weir","doc":"Directness.","symbols":["direct","indirect"]},"doc":"Direct or indirect."},{"name":"hop_num","type":"int","doc":"Hops between target and entity, from 1."},{"name":"volume_usd","type":["null","double"],"doc":"USD; null when unknown.","default":null},{"name":"percent","type":["null","double"],"doc":"Share of all volume, 0 to 100.","default":null},{"name":"side","type":["null",{"type":"enum","name":"Side","namespace":"weir","doc":"Direction of the money, seen from the subject: received or sent.","symbols":["in","out"]}],"doc":"Null when unknown, or when both sides are in one line.","default":null}]}},"doc":"Every exposure.","default":[]},{"name":"illicit_usd","type":["null","double"],"doc":"Illicit money that the subject received, directly or traced, in USD; null when the risk API does not say.","default":null},{"name":"address_label","type":"string","doc":"Empty when none.","default":""},{"name":"hacking_event","type":"string","doc":"Empty when none.","default":""},{"name":"provider","type":"string","doc":"Which risk API answered: the host of its address."},{"name":"scanned_ts","type":["null","long"],"doc":"Unix seconds when the result was computed.","default":null},{"name":"evidence","type":["null","string"],"doc":"The raw answer, access token cut out.","default":null},{"name":"evidence_sha256","type":["null","string"],"doc":"SHA-256 (hex) of evidence.","default":null},{"name":"scored_at","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When the risk API\'s answer was read; where there is none, when this result was made."},{"name":"reused","type":"boolean","doc":"Whether the answer was there before this screening asked for it.","default":false},{"name":"reported_at","type":["null",{"type":"long","logicalType":"timestamp-millis"}],"doc":"When this result was given to this screening; null from versions that did not say.","default":null},{"name":"subject_type","type":{"type":"enum","name":"SubjectType","namespace":"weir","doc":"What the risk API is asked about.","symbols":["txid","address"]},"doc":"What subject is."},{"name":"subject","type":"string","doc":"What was asked about."},{"name":"direction","type":{"type":"enum","name":"Direction","namespace":"weir","doc":"Which side of the transfer is scored.","symbols":["deposit","withdraw"]},"doc":"Which side was scored."},{"name":"requested_at","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"As requested."},{"name":"deadline_at","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"As requested."},{"name":"transfer","type":{"type":"record","name":"Transfer","namespace":"weir","doc":"A transfer as the exchange told of it, normalised.","fields":[{"name":"kind","type":"weir.Kind","doc":"Deposit or withdrawal."},{"name":"source_id","type":"string","doc":"The exchange\'s own id: deposit_id or withdrawal_id, 1 to 128 characters."},{"name":"chain","type":"string","doc":"Lower case, e.g. ethereum; empty when the coin is not known and the exchange named none."},{"name":"coin","type":"string","doc":"E.g. ETH, USDT-ERC20."},{"name":"txid","type":["null","string"],"doc":"Transaction id; a withdrawal has none yet.","default":null},{"name":"from_address","type":["null","string"],"doc":"Sender, where known.","default":null},{"name":"to_address","type":"string","doc":"Receiver."},{"name":"amount","type":"string","doc":"Decimal string in whole coins."},{"name":"usd_value","type":["null","string"],"doc":"Decimal string in USD; null when unknown, which is not zero.","default":null},{"name":"user_id","type":["null","string"],"doc":"Opaque to us.","default":null},{"name":"occurred_at","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When the exchange detected the deposit or took the withdrawal request."},{"name":"memo","type":["null","string"],"doc":"Destination tag, memo or comment beside the receiver\'s address, normalised; null where there is none.","default":null}]},"doc":"The transfer itself."},{"name":"renews_revision","type":["null","int"],"doc":"As requested: the allow that this result renews. The result replaces it, whatever it is.","default":null},{"name":"questions","type":{"type":"array","items":{"type":"record","name":"Question","namespace":"weir","doc":"One question to the risk API and its answer.","fields":[{"name":"subject","type":"string","doc":"Transaction id or address."},{"name":"subject_type","type":"weir.SubjectType","doc":"What subject is."},{"name":"outcome","type":"weir.Outcome","doc":"What came out; UNAVAILABLE while it is not answered."},{"name":"score","type":["null","int"],"doc":"Only with SCORED and NO_DATA.","default":null},{"name":"risk_level","type":["null","weir.RiskLevel"],"doc":"Only with SCORED.","default":null},{"name":"evidence_sha256","type":["null","string"],"doc":"SHA-256 (hex) of the raw answer.","default":null}]}},"doc":"Where the risk API does not know the transaction: the question about it, then the one about the counterparty, whose answer is the result. Empty where one question was asked.","default":[]},{"name":"known_usd_price","type":["null","string"],"doc":"Price of one whole coin in USD that the risk API knew when this result was given; decimal string, null when unknown.","default":null},{"name":"price_day","type":["null","string"],"doc":"UTC day of known_usd_price, such as 2026-01-31: the newest known up to the day of requested_at.","default":null}]}',
  'withdrawals.requested':
    '{"type":"record","name":"WithdrawalRequested","namespace":"weir","doc":"A withdrawal that a customer asks for. Key: withdrawal_id.","fields":[{"name":"withdrawal_id","type":"string","doc":"The exchange\'s id, 1 to 128 characters."},{"name":"chain","type":["null","string"],"doc":"Must fit the coin when given.","default":null},{"name":"coin","type":"string","doc":"E.g. ETH, USDT-ERC20; gives the chain."},{"name":"to_address","type":"string","doc":"Where the money is to go."},{"name":"amount","type":"string","doc":"Decimal string in whole coins."},{"name":"usd_value","type":["null","string"],"doc":"Decimal string in USD.","default":null},{"name":"user_id","type":["null","string"],"doc":"Opaque.","default":null},{"name":"requested_at","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When the customer asked."},{"name":"memo","type":["null","string"],"doc":"Destination tag, memo or comment beside the receiver\'s address.","default":null}]}',
};
