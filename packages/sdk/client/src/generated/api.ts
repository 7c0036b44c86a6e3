// Made by `npm run generate`. Do not edit.
export interface components {
    schemas: {
        /** @description Problem details (RFC 9457). `code` is for programs, `detail` for people. */
        readonly Problem: {
            /** @constant */
            readonly type: "about:blank";
            readonly title: string;
            readonly status: number;
            readonly code: string;
            readonly detail: string;
            /** @description The wrong field or parameter. */
            readonly field?: string;
            /** @description What may have been meant. */
            readonly hint?: string;
            /** @description Every problem of the input. */
            readonly errors?: readonly {
                /** @description The wrong field or parameter. */
                readonly field: string;
                readonly detail: string;
                readonly hint?: string;
            }[];
            /** @description The parameters that there are. */
            readonly known?: readonly string[];
        };
        readonly AuditEntry: {
            /** Format: uuid */
            readonly event_id: string;
            /** @description From 0, without gaps. */
            readonly index: number;
            readonly topic: string;
            readonly key: string;
            readonly headers: {
                readonly [key: string]: string;
            };
            /** @description The record's bytes. */
            readonly value_base64: string;
            /** @description The record; null where it was erased, or where the bytes cannot be read as a record of the topic now. */
            readonly data: unknown;
            readonly screening_id: string | null;
            /** @description The event of the act that erased key, headers, value, screening_id and salt, which are empty then; else null. */
            readonly erased_by: string | null;
            /** @description The earlier event with this id and other content. */
            readonly conflicts_with: string | null;
            readonly log_partition: number;
            /** @description Decimal. */
            readonly log_offset: string;
            readonly event_time: string;
            readonly recorded_at: string;
            /** @description 16 bytes; with key, headers, screening_id and value they give the commitment of the leaf. */
            readonly salt: string;
            /** @description The bytes of the leaf: one line of JSON. */
            readonly leaf: string;
            /** @description SHA-256 over a zero byte and the leaf (RFC 6962). */
            readonly leaf_hash: string;
            readonly tree_size: number;
            /** @description From the leaf up (RFC 6962), for a tree of tree_size leaves. */
            readonly inclusion_proof: readonly string[];
            /** @description The signed note over that tree. */
            readonly checkpoint: string;
        };
        readonly AuditAnchor: {
            /** @description Kind and place. */
            readonly name: string;
            /** @description Leaves of the last copy; 0 before the first. */
            readonly size: number;
            /** @description When the place took the last copy. */
            readonly anchored_at: string | null;
            /** @description Why the last attempt failed. */
            readonly error: string | null;
            /** @description The last copy, of a witness with its cosignature. */
            readonly note: string | null;
        };
        readonly Withdrawal: {
            readonly withdrawal_id: string;
            /** Format: uuid */
            readonly screening_id: string;
            /**
             * @description Only allowed lets it leave.
             * @enum {string}
             */
            readonly status: "pending" | "allowed" | "held" | "blocked";
            /** @description Of the decision in force. */
            readonly revision?: number;
            /** @description Why it has this status; empty while it is pending. */
            readonly reason_codes: readonly string[];
            /** @description The policy's rule that made the decision; null: its table, people, or no decision yet. */
            readonly rule: string | null;
            /** @description While it is allowed and none of its permits has been redeemed. A bearer secret, for machines alone. */
            readonly permit?: string;
            /** Format: date-time */
            readonly permit_expires_at?: string;
            /** @description Set once a permit was redeemed; no other will be issued. */
            readonly redeemed?: {
                /** Format: uuid */
                readonly permit_id: string;
                /** Format: date-time */
                readonly redeemed_at: string;
                /** @description From the redeeming caller, if given. */
                readonly redemption_id?: string;
            };
        };
        readonly PolicyCheck: {
            /** @description null: it cannot be used. */
            readonly policy_hash: string | null;
            /** @description In the order of the text. */
            readonly problems: readonly {
                readonly line: number;
                readonly column: number;
                /** @description In characters. */
                readonly length: number;
                readonly path: string;
                readonly message: string;
                readonly hint?: string;
            }[];
            /** @description How it decides differently from the policy in force. */
            readonly changes: readonly {
                readonly about: string;
                /** @description null: it is not there. */
                readonly from: string | null;
                /** @description null: it is not there. */
                readonly to: string | null;
                /** @description The three as one line. */
                readonly text: string;
            }[];
        };
        readonly Backtest: {
            /** @description SHA-256 of the text, in hex. */
            readonly policy_hash: string;
            /** @description Stored results that it was applied to: the last one of each transfer. */
            readonly results: number;
            readonly cells: readonly {
                /** @enum {string} */
                readonly was: "block" | "review" | "allow";
                /** @enum {string} */
                readonly would_be: "block" | "review" | "allow";
                readonly count: number;
            }[];
        };
        /** @description It is not in force. Another person approves it. */
        readonly PolicyProposal: {
            /** @description SHA-256 of the text, in hex. */
            readonly policy_hash: string;
            readonly proposed_by: {
                readonly id: string;
                readonly name: string;
            };
            /** Format: date-time */
            readonly proposed_at: string;
        };
        readonly PolicyChange: {
            /** @description From 1, without gaps. */
            readonly number: number;
            /** @description SHA-256 of the text, in hex. */
            readonly policy_hash: string;
            /**
             * @description command: people, in the console or on the command line.
             * @enum {string}
             */
            readonly set_by: "default" | "file" | "command";
            /** @description The candidate that runs beside it without effect. */
            readonly shadow_hash: string | null;
            /** Format: date-time */
            readonly changed_at: string;
        };
        readonly Velocity: {
            /** @description SHA-256 of the text, in hex. */
            readonly policy_hash: string;
            /** @description The windows of the policy in force. */
            readonly items: readonly {
                /** @description Its name in the policy. */
                readonly window: string;
                /**
                 * @description user_counterparty: of the counterparty with the highest value.
                 * @enum {string}
                 */
                readonly of: "user" | "user_counterparty";
                /** @description null: both. */
                readonly kind: ("deposit" | "withdrawal") | null;
                readonly window_ms: number;
                /** @description null: the customer has more than 20,000 transfers in this time, and the rules hold. */
                readonly count: number | null;
                /** @description Decimal: the sum of the known values. */
                readonly known_usd: string | null;
                /** @description Transfers whose value is unknown. */
                readonly unknown_count: number | null;
                /** @description Those that read the window. */
                readonly rules: readonly string[];
            }[];
        };
        readonly ShadowDisagreements: {
            /** @description The candidate; null: none runs, and the rest is empty. */
            readonly shadow_hash: string | null;
            /** Format: date-time */
            readonly since: string;
            /** @description Pairs that differ, the most frequent first. */
            readonly cells: readonly {
                /** @enum {string} */
                readonly action: "block" | "review" | "allow";
                /** @enum {string} */
                readonly shadow: "block" | "review" | "allow";
                readonly count: number;
            }[];
            /** @description The newest 100. */
            readonly items: readonly {
                /** Format: uuid */
                readonly screening_id: string;
                readonly revision: number;
                /** @enum {string} */
                readonly kind: "deposit" | "withdrawal";
                readonly coin: string;
                readonly amount: string;
                readonly usd_value: string | null;
                /** @enum {string} */
                readonly action: "block" | "review" | "allow";
                /**
                 * @description What the candidate would have decided.
                 * @enum {string}
                 */
                readonly shadow: "block" | "review" | "allow";
                /** @description Of the policy in force. */
                readonly rule: string | null;
                /** Format: date-time */
                readonly decided_at: string;
            }[];
        };
        readonly Policies: {
            /** @description The newest 100; the first is in force. */
            readonly items: readonly components["schemas"]["PolicyChange"][];
            /** @description null: none waits. */
            readonly proposal: components["schemas"]["PolicyProposal"] | null;
            /** @description The newest 20 proposals that were rejected or taken back. */
            readonly rejections: readonly components["schemas"]["PolicyRejection"][];
        };
        /** @description A proposal that was rejected, or taken back. */
        readonly PolicyRejection: {
            /** @description SHA-256 of the text, in hex. */
            readonly policy_hash: string;
            readonly proposed_by: {
                readonly id: string;
                readonly name: string;
            };
            /** Format: date-time */
            readonly proposed_at: string;
            /** @description The person who proposed it, if it was taken back. */
            readonly rejected_by: {
                readonly id: string;
                readonly name: string;
            };
            /** Format: date-time */
            readonly rejected_at: string;
            readonly reason: string;
        };
        readonly Policy: {
            /** @description SHA-256 of the text, in hex. */
            readonly policy_hash: string;
            /** @description YAML, byte for byte. */
            readonly text: string;
            readonly sanctioned_exposure: {
                /** @enum {string} */
                readonly deposit: "block" | "review" | "allow";
                /** @enum {string} */
                readonly withdrawal: "block" | "review" | "allow";
            };
            readonly table: readonly {
                /** @description A level, or why there is none. */
                readonly line: string;
                /** @description An action, or actions by value. */
                readonly deposit: ("block" | "review" | "allow") | {
                    readonly review_from_usd: string;
                    /** @enum {string} */
                    readonly below: "block" | "review" | "allow";
                    /** @enum {string} */
                    readonly unknown_value: "block" | "review";
                };
                /** @description An action, or actions by value. */
                readonly withdrawal: ("block" | "review" | "allow") | {
                    readonly review_from_usd: string;
                    /** @enum {string} */
                    readonly below: "block" | "review" | "allow";
                    /** @enum {string} */
                    readonly unknown_value: "block" | "review";
                };
            }[];
            /** @description Beside the table, with defaults. */
            readonly limits: readonly {
                readonly about: string;
                readonly value: string;
            }[];
            /** @description What rules know of the past. */
            readonly windows: readonly {
                readonly name: string;
                readonly counts: string;
            }[];
            readonly rules: readonly {
                readonly name: string;
                /** @description CEL. */
                readonly when: string;
                /** @description The condition in words; null: none are known for its form. */
                readonly words: string | null;
                /** @enum {string} */
                readonly action: "block" | "review" | "allow";
                readonly may_relax: boolean;
            }[];
        };
        readonly PolicyDifference: {
            /** @description SHA-256 of the text, in hex. */
            readonly from: string;
            /** @description SHA-256 of the text, in hex. */
            readonly to: string;
            /** @description How it decides differently; empty: it decides the same. */
            readonly changes: readonly {
                readonly about: string;
                /** @description null: it is not there. */
                readonly from: string | null;
                /** @description null: it is not there. */
                readonly to: string | null;
                /** @description The three as one line. */
                readonly text: string;
            }[];
        };
        readonly Session: {
            /** @description The person's. */
            readonly name: string;
            /** @enum {string} */
            readonly role: "reviewer" | "approver" | "auditor" | "admin";
            /** @description Null: the caller has a bearer token instead. */
            readonly ends_at: string | null;
            /** @description Null: the caller has a bearer token instead. */
            readonly idle: {
                /** @description A session without use for this time ends. */
                readonly limit_ms: number;
                /** @description What is left of it. A request of a person begins it again, at most once in a minute. */
                readonly left_ms: number;
            } | null;
            /** @description Null: the caller has a bearer token instead. */
            readonly absolute: {
                /** @description The session ends after this time, however it is used. */
                readonly limit_ms: number;
                /** @description What is left of it. */
                readonly left_ms: number;
            } | null;
        };
        readonly Screening: {
            /** Format: uuid */
            readonly screening_id: string;
            /** @enum {string} */
            readonly kind: "deposit" | "withdrawal";
            /**
             * @description open: there is no decision yet; else by the latest revision.
             * @enum {string}
             */
            readonly status: "open" | "allowed" | "held" | "blocked";
            readonly transfer: components["schemas"]["Transfer"];
            /** @description The address or transaction that is scored; null until the request is read. */
            readonly subject: string | null;
            readonly subject_type: ("txid" | "address") | null;
            readonly direction: ("deposit" | "withdraw") | null;
            /** @description The latest; null before the first. */
            readonly result: components["schemas"]["Result"] | null;
            /** @description Of one screening: every result, the first one first. Absent in lists. Of rows of older versions it has the latest. */
            readonly results?: readonly components["schemas"]["ResultSummary"][];
            /** @description By revision. */
            readonly decisions: readonly components["schemas"]["Decision"][];
            /** Format: date-time */
            readonly requested_at: string;
            readonly deadline_at: string | null;
            /**
             * @description Personal data was erased: ids, addresses, amounts, customer and findings are empty.
             * @constant
             */
            readonly erased?: true;
            /** @description Where its events are in the audit log. */
            readonly audit: readonly {
                /** Format: uuid */
                readonly event_id: string;
                /** @description From 0. */
                readonly index: number;
            }[];
        };
        readonly Transfer: {
            /** @description Of a deposit. */
            readonly deposit_id?: string;
            /** @description Of a withdrawal. */
            readonly withdrawal_id?: string;
            readonly chain: string;
            readonly coin: string;
            readonly txid: string | null;
            readonly from_address: string | null;
            readonly to_address: string;
            /** @description Decimal. */
            readonly amount: string;
            /** @description As declared; null: unknown. */
            readonly usd_value: string | null;
            readonly user_id: string | null;
            /** @description Destination tag, memo or comment; absent when there is none. */
            readonly memo?: string;
            /**
             * Format: date-time
             * @description Of a deposit.
             */
            readonly detected_at?: string;
            /**
             * Format: date-time
             * @description Of a withdrawal.
             */
            readonly requested_at?: string;
        };
        readonly Result: {
            /** @enum {string} */
            readonly outcome: "SCORED" | "NO_DATA" | "UNAVAILABLE" | "UNSUPPORTED" | "INVALID";
            /** @description Absent where the outcome has none. */
            readonly score?: number;
            /**
             * @description Absent where the outcome has none.
             * @enum {string}
             */
            readonly risk_level?: "Low" | "Moderate" | "High" | "Severe";
            /** @description Reason codes of an outcome without a level. */
            readonly reasons: readonly string[];
            readonly detail_list: readonly string[];
            readonly risk_detail: readonly components["schemas"]["Exposure"][];
            /** @description Of one screening. Absent in lists, and where the stored answer does not say. */
            readonly grounds?: components["schemas"]["ScoreGrounds"];
            readonly address_label: string;
            readonly hacking_event: string;
            /** @description Unix seconds, from the risk API. */
            readonly scanned_ts: number | null;
            readonly provider: string;
            /** @description SHA-256 (hex) of the stored answer. */
            readonly evidence_sha256: string | null;
            /**
             * Format: date-time
             * @description When the risk API's answer was read, else when the result was made. Absent in rows of older versions.
             */
            readonly scored_at?: string;
            /** @description Whether the answer existed before this screening asked. */
            readonly reused?: boolean;
            /**
             * Format: date-time
             * @description When this screening received the result. If absent, scored_at applies.
             */
            readonly reported_at?: string;
            /** @description If the risk API does not know the transaction: the question about it, then the one about the counterparty. */
            readonly questions?: readonly {
                readonly subject: string;
                /** @enum {string} */
                readonly subject_type: "txid" | "address";
                /** @enum {string} */
                readonly outcome: "SCORED" | "NO_DATA" | "UNAVAILABLE" | "UNSUPPORTED" | "INVALID";
                /** @description Absent where the outcome has none. */
                readonly score?: number;
                /** @enum {string} */
                readonly risk_level?: "Low" | "Moderate" | "High" | "Severe";
                /** @description SHA-256 (hex) of the stored answer. */
                readonly evidence_sha256: string | null;
            }[];
        };
        readonly Exposure: {
            readonly entity: string;
            readonly risk_type: string;
            /** @enum {string} */
            readonly exposure_type: "direct" | "indirect";
            readonly hop_num: number;
            /** @description USD; null: unknown. */
            readonly volume: number | null;
            /** @description 0 to 100. */
            readonly percent: number | null;
            /** @description in: the subject received the money; out: it sent the money; null: unknown. Absent in rows of older versions. */
            readonly side?: ("in" | "out") | null;
            /** @description The address next to the subject; null: unknown. Absent in lists, and where no stored answer has it. */
            readonly counterparty?: string | null;
            /** @description Of the labels that name the entity. Absent in lists, and where no stored answer has them. */
            readonly sources?: readonly string[];
            /** @description The transfers that carried most of the money, in the order of time; empty: the risk API gives none. Absent in lists, and where no stored answer has it. */
            readonly path?: readonly components["schemas"]["Hop"][];
        };
        readonly Hop: {
            readonly txid: string;
            /** Format: date-time */
            readonly time: string;
            readonly coin: string;
            /** @description In the coin, as decimal text; null: unknown. */
            readonly amount: string | null;
            /** @description At the time of the transfer; null: unknown. */
            readonly usd: number | null;
            readonly from: string;
            readonly to: string;
        };
        readonly ScoreGrounds: {
            /** @description They add up to the score. Of a transaction: of its worst address. */
            readonly contributions: readonly {
                /** @description base, own:<category>, <side>:direct:<category>, <side>:traced:<category>, <side>:floor:<rule> or <side>:cap:<rule>; a category of a suspicion ends with ?. */
                readonly key: string;
                /** @description Negative for a cap. */
                readonly points: number;
            }[];
            /** @description The findings without which the level would be another. Empty: no finding alone decides it. */
            readonly counterfactuals: readonly {
                /** @description The key of a contribution. */
                readonly without: string;
                readonly score: number;
                /** @enum {string} */
                readonly risk_level: "Low" | "Moderate" | "High" | "Severe";
            }[];
        };
        readonly ResultSummary: {
            /** @enum {string} */
            readonly outcome: "SCORED" | "NO_DATA" | "UNAVAILABLE" | "UNSUPPORTED" | "INVALID";
            readonly score: number | null;
            readonly risk_level: ("Low" | "Moderate" | "High" | "Severe") | null;
            readonly provider: string;
            /** @description When this screening received it. */
            readonly reported_at: string | null;
        };
        readonly Decision: {
            readonly revision: number;
            /** @enum {string} */
            readonly action: "block" | "review" | "allow";
            readonly reason_codes: readonly string[];
            /** @description The policy's rule that made it; null: its table, or people. */
            readonly rule: string | null;
            readonly policy_hash: string;
            /** Format: date-time */
            readonly decided_at: string;
            /** @description The revision before. */
            readonly supersedes: number | null;
            /** @description The people's resolution behind it; null for a decision by the policy. */
            readonly resolution_id: string | null;
        };
        readonly Review: {
            /** Format: uuid */
            readonly screening_id: string;
            /** @enum {string} */
            readonly kind: "deposit" | "withdrawal";
            /**
             * @description open: held or with an adverse update, waits for a resolution; pending_approval: waits for a second person; approved: decision has not applied it yet; resolved: decided by people; not_held: decided by the policy.
             * @enum {string}
             */
            readonly state: "open" | "pending_approval" | "approved" | "resolved" | "not_held";
            /** @description The latest, to which a resolution applies. */
            readonly revision: number;
            readonly action: ("block" | "review" | "allow") | null;
            readonly reason_codes: readonly string[];
            readonly transfer: components["schemas"]["Transfer"];
            readonly subject: string | null;
            /** @description The latest, even one after the people's decision. */
            readonly result: components["schemas"]["Result"] | null;
            /** @description A result came after the people's decision, or differs from the one that they knew. It changes nothing by itself. */
            readonly late_result: boolean;
            /** @description A result after an allow was worse. The policy has since blocked or held it; a transfer that people allowed stays allowed. */
            readonly adverse_update: boolean;
            /** Format: date-time */
            readonly requested_at: string;
            /** @description Start of the current hold; null when not held. */
            readonly held_since: string | null;
            readonly held_seconds: number | null;
            readonly assignee: string | null;
            /** @description Set by a person, else `WEIR_REVIEW_DUE_MS` after the review began to wait. Null: none, or it no longer waits. */
            readonly due_at: string | null;
            readonly overdue: boolean;
            /** @description The latest, in any state. */
            readonly resolution: components["schemas"]["Resolution"] | null;
        };
        readonly Resolution: {
            /** Format: uuid */
            readonly resolution_id: string;
            /** @description The revision that it resolves. */
            readonly revision: number;
            /**
             * @description review: held again.
             * @enum {string}
             */
            readonly action: "block" | "review" | "allow";
            readonly reason: string;
            /** @enum {string} */
            readonly state: "pending_approval" | "approved" | "rejected" | "applied" | "superseded";
            readonly resolved_by: components["schemas"]["Person"];
            /** Format: date-time */
            readonly resolved_at: string;
            readonly needs_approval: boolean;
            readonly answered_by: components["schemas"]["Person"] | null;
            readonly answer_reason: string | null;
            readonly answered_at: string | null;
        };
        readonly Person: {
            /** @description Role and id of the token. */
            readonly id: string;
            readonly name: string;
        };
        readonly ReviewDetail: {
            /** Format: uuid */
            readonly screening_id: string;
            /** @enum {string} */
            readonly kind: "deposit" | "withdrawal";
            /**
             * @description open: held or with an adverse update, waits for a resolution; pending_approval: waits for a second person; approved: decision has not applied it yet; resolved: decided by people; not_held: decided by the policy.
             * @enum {string}
             */
            readonly state: "open" | "pending_approval" | "approved" | "resolved" | "not_held";
            /** @description The latest, to which a resolution applies. */
            readonly revision: number;
            readonly action: ("block" | "review" | "allow") | null;
            readonly reason_codes: readonly string[];
            readonly transfer: components["schemas"]["Transfer"];
            readonly subject: string | null;
            /** @description The latest, even one after the people's decision. */
            readonly result: components["schemas"]["Result"] | null;
            /** @description A result came after the people's decision, or differs from the one that they knew. It changes nothing by itself. */
            readonly late_result: boolean;
            /** @description A result after an allow was worse. The policy has since blocked or held it; a transfer that people allowed stays allowed. */
            readonly adverse_update: boolean;
            /** Format: date-time */
            readonly requested_at: string;
            /** @description Start of the current hold; null when not held. */
            readonly held_since: string | null;
            readonly held_seconds: number | null;
            readonly assignee: string | null;
            /** @description Set by a person, else `WEIR_REVIEW_DUE_MS` after the review began to wait. Null: none, or it no longer waits. */
            readonly due_at: string | null;
            readonly overdue: boolean;
            /** @description The latest, in any state. */
            readonly resolution: components["schemas"]["Resolution"] | null;
            readonly decisions: readonly components["schemas"]["Decision"][];
            readonly resolutions: readonly components["schemas"]["Resolution"][];
            readonly notes: readonly components["schemas"]["Note"][];
            /** @description Of assignee and due time; those of an erased review are gone. */
            readonly plan_changes: readonly components["schemas"]["PlanChange"][];
            readonly attachments: readonly components["schemas"]["Attachment"][];
            /** @description The latest case that it is in; null until it has one. */
            readonly case_id: string | null;
        };
        readonly Note: {
            /** Format: uuid */
            readonly note_id: string;
            readonly text: string;
            readonly written_by: components["schemas"]["Person"];
            /** Format: date-time */
            readonly written_at: string;
        };
        readonly PlanChange: {
            /** @enum {string} */
            readonly field: "assignee" | "due_at";
            /** @description The assignee, or the due time; null: taken away. */
            readonly value: string | null;
            readonly changed_by: components["schemas"]["Person"];
            /** Format: date-time */
            readonly changed_at: string;
        };
        readonly Attachment: {
            /** Format: uuid */
            readonly attachment_id: string;
            readonly name: string;
            /**
             * @description By its content.
             * @enum {string}
             */
            readonly type: "application/pdf" | "image/png" | "image/jpeg" | "text/plain";
            readonly bytes: number;
            /** @description Of the content, in hex. */
            readonly sha256: string;
            readonly attached_by: components["schemas"]["Person"];
            /** Format: date-time */
            readonly attached_at: string;
        };
        readonly User: {
            readonly user_id: string;
            readonly kinds: readonly {
                /** @enum {string} */
                readonly kind: "deposit" | "withdrawal";
                readonly count: number;
                /** @description Decimal: the sum of the declared values; null: no value is known. */
                readonly usd: string | null;
                /** @description Screenings whose value is unknown; usd leaves them out. */
                readonly unknown_usd: number;
            }[];
            readonly actions: readonly {
                /** @description Of the latest revision; null: there is no decision yet. */
                readonly action: ("block" | "review" | "allow") | null;
                readonly count: number;
                /** @description Decimal: the sum of the declared values; null: no value is known. */
                readonly usd: string | null;
                /** @description Screenings whose value is unknown; usd leaves them out. */
                readonly unknown_usd: number;
            }[];
            readonly levels: readonly {
                /** @description Of the latest result; null: it has none. */
                readonly level: ("Low" | "Moderate" | "High" | "Severe") | null;
                readonly count: number;
                /** @description Decimal: the sum of the declared values; null: no value is known. */
                readonly usd: string | null;
                /** @description Screenings whose value is unknown; usd leaves them out. */
                readonly unknown_usd: number;
            }[];
            /** @description Transfers held now. */
            readonly held: {
                readonly count: number;
                /** @description Decimal: the sum of the declared values; null: no value is known. */
                readonly usd: string | null;
                /** @description Screenings whose value is unknown; usd leaves them out. */
                readonly unknown_usd: number;
            };
            /** @description Of the newest 1,000 transfers, those with the most first, 20 at most. */
            readonly counterparties: readonly {
                /** @description null: not known. */
                readonly address: string | null;
                readonly count: number;
                /** @description Decimal: the sum of the declared values; null: no value is known. */
                readonly usd: string | null;
                /** @description Screenings whose value is unknown; usd leaves them out. */
                readonly unknown_usd: number;
            }[];
            /** @description Reviews for people: held, or with an adverse update. */
            readonly open_reviews: number;
            /** Format: date-time */
            readonly first_requested_at: string;
            /** Format: date-time */
            readonly last_requested_at: string;
        };
        readonly Address: {
            readonly address: string;
            /** @description With the address on either side, the newest 1,000 at most. */
            readonly transfers: {
                readonly count: number;
                /** @description Decimal: the sum of the declared values; null: no value is known. */
                readonly usd: string | null;
                /** @description Screenings whose value is unknown; usd leaves them out. */
                readonly unknown_usd: number;
            };
            /** @description Whether these are all transfers with the address. */
            readonly is_complete: boolean;
            /** @description Transfers from the address, and to it. */
            readonly sides: readonly {
                /**
                 * @description The side that the address is on; from, where it is on both.
                 * @enum {string}
                 */
                readonly side: "from" | "to";
                readonly count: number;
                /** @description Decimal: the sum of the declared values; null: no value is known. */
                readonly usd: string | null;
                /** @description Screenings whose value is unknown; usd leaves them out. */
                readonly unknown_usd: number;
            }[];
            /** @description The addresses on the other side, those with the most transfers first, 20 at most. */
            readonly counterparties: readonly {
                /** @description null: not known. */
                readonly address: string | null;
                readonly count: number;
                /** @description Decimal: the sum of the declared values; null: no value is known. */
                readonly usd: string | null;
                /** @description Screenings whose value is unknown; usd leaves them out. */
                readonly unknown_usd: number;
            }[];
            /** @description Your customers, those with the most transfers first, 20 at most. */
            readonly customers: readonly {
                /** @description null: not given. */
                readonly user_id: string | null;
                readonly count: number;
                /** @description Decimal: the sum of the declared values; null: no value is known. */
                readonly usd: string | null;
                /** @description Screenings whose value is unknown; usd leaves them out. */
                readonly unknown_usd: number;
            }[];
            readonly actions: readonly {
                /** @description Of the latest revision; null: there is no decision yet. */
                readonly action: ("block" | "review" | "allow") | null;
                readonly count: number;
                /** @description Decimal: the sum of the declared values; null: no value is known. */
                readonly usd: string | null;
                /** @description Screenings whose value is unknown; usd leaves them out. */
                readonly unknown_usd: number;
            }[];
            readonly levels: readonly {
                /** @description Of the latest result; null: it has none. */
                readonly level: ("Low" | "Moderate" | "High" | "Severe") | null;
                readonly count: number;
                /** @description Decimal: the sum of the declared values; null: no value is known. */
                readonly usd: string | null;
                /** @description Screenings whose value is unknown; usd leaves them out. */
                readonly unknown_usd: number;
            }[];
            /** @description Results over time. */
            readonly days: readonly {
                /**
                 * Format: date
                 * @description UTC.
                 */
                readonly day: string;
                readonly levels: readonly {
                    /** @description Of the latest result; null: it has none. */
                    readonly level: ("Low" | "Moderate" | "High" | "Severe") | null;
                    readonly count: number;
                    /** @description Decimal: the sum of the declared values; null: no value is known. */
                    readonly usd: string | null;
                    /** @description Screenings whose value is unknown; usd leaves them out. */
                    readonly unknown_usd: number;
                }[];
            }[];
            /**
             * Format: date-time
             * @description Of these transfers.
             */
            readonly first_requested_at: string;
            /** Format: date-time */
            readonly last_requested_at: string;
        };
        readonly Statistics: {
            /** Format: date-time */
            readonly since: string;
            /** Format: date-time */
            readonly until: string;
            readonly days: readonly {
                /**
                 * Format: date
                 * @description UTC.
                 */
                readonly day: string;
                readonly count: number;
                /** @description Decimal: the sum of the declared values; null: no value is known. */
                readonly usd: string | null;
                /** @description Screenings whose value is unknown; usd leaves them out. */
                readonly unknown_usd: number;
                /** @description Of the count, by latest revision. */
                readonly allow: number;
                readonly review: number;
                readonly block: number;
                readonly undecided: number;
            }[];
            readonly actions: readonly {
                /** @description Of the latest revision; null: there is no decision yet. */
                readonly action: ("block" | "review" | "allow") | null;
                readonly count: number;
                /** @description Decimal: the sum of the declared values; null: no value is known. */
                readonly usd: string | null;
                /** @description Screenings whose value is unknown; usd leaves them out. */
                readonly unknown_usd: number;
            }[];
            readonly levels: readonly {
                /** @description Of the latest result; null: it has none. */
                readonly level: ("Low" | "Moderate" | "High" | "Severe") | null;
                readonly count: number;
                /** @description Decimal: the sum of the declared values; null: no value is known. */
                readonly usd: string | null;
                /** @description Screenings whose value is unknown; usd leaves them out. */
                readonly unknown_usd: number;
            }[];
            readonly rules: readonly {
                /** @description null: no rule made a revision. */
                readonly rule: string | null;
                readonly count: number;
                /** @description Decimal: the sum of the declared values; null: no value is known. */
                readonly usd: string | null;
                /** @description Screenings whose value is unknown; usd leaves them out. */
                readonly unknown_usd: number;
            }[];
            readonly coins: readonly {
                readonly coin: string;
                readonly count: number;
                /** @description Decimal: the sum of the declared values; null: no value is known. */
                readonly usd: string | null;
                /** @description Screenings whose value is unknown; usd leaves them out. */
                readonly unknown_usd: number;
            }[];
            /** @description Of the screenings requested in this time. From the first decision that held to the first one after it that did not; each length is right to a fifth. */
            readonly holds: {
                /** @description Held, then allowed or blocked. */
                readonly ended: number;
                /** @description Of these screenings, held until now. */
                readonly open: number;
                /** @description Null: no hold has ended. */
                readonly median_seconds: number | null;
                /** @description Null: no hold has ended. */
                readonly p95_seconds: number | null;
                /** @description Null: no hold has ended. */
                readonly longest_seconds: number | null;
            };
            readonly held_by: readonly {
                /** @description null: the policy's table. */
                readonly rule: string | null;
                readonly held: number;
                /** @description Of these, people allowed or blocked. */
                readonly decided: number;
                readonly allowed: number;
                /** @description allowed / decided; null: people decided none. */
                readonly false_positive_rate: number | null;
            }[];
        };
        readonly Case: {
            /** Format: uuid */
            readonly case_id: string;
            /**
             * @description closed: it has an outcome. Further related holds open another case.
             * @enum {string}
             */
            readonly state: "open" | "closed";
            /** Format: date-time */
            readonly opened_at: string;
            /** @description What related holds share with the first one: user:, counterparty:, rescreened: (the subject) or entity:, each with its value. */
            readonly keys: readonly string[];
            /** @description Screenings in it, at most 200. */
            readonly holds: number;
            /** @description Those that still wait for people. */
            readonly waiting: number;
            /** @description Sum of the declared values, decimal; null where none is known. */
            readonly usd: string | null;
            /** @description Screenings whose value is unknown; they are not in the sum. */
            readonly unknown_usd: number;
            readonly assignee: string | null;
            readonly due_at: string | null;
            /** @description When it was found open past its due time. */
            readonly escalated_at: string | null;
            readonly outcome: ("true_positive" | "false_positive" | "filed") | null;
            readonly outcome_reason: string | null;
            readonly outcome_by: components["schemas"]["Person"] | null;
            readonly outcome_at: string | null;
        };
        readonly CaseDetail: {
            /** Format: uuid */
            readonly case_id: string;
            /**
             * @description closed: it has an outcome. Further related holds open another case.
             * @enum {string}
             */
            readonly state: "open" | "closed";
            /** Format: date-time */
            readonly opened_at: string;
            /** @description What related holds share with the first one: user:, counterparty:, rescreened: (the subject) or entity:, each with its value. */
            readonly keys: readonly string[];
            /** @description Screenings in it, at most 200. */
            readonly holds: number;
            /** @description Those that still wait for people. */
            readonly waiting: number;
            /** @description Sum of the declared values, decimal; null where none is known. */
            readonly usd: string | null;
            /** @description Screenings whose value is unknown; they are not in the sum. */
            readonly unknown_usd: number;
            readonly assignee: string | null;
            readonly due_at: string | null;
            /** @description When it was found open past its due time. */
            readonly escalated_at: string | null;
            readonly outcome: ("true_positive" | "false_positive" | "filed") | null;
            readonly outcome_reason: string | null;
            readonly outcome_by: components["schemas"]["Person"] | null;
            readonly outcome_at: string | null;
            /** @description Oldest first. */
            readonly screenings: readonly {
                /** Format: uuid */
                readonly screening_id: string;
                /** @enum {string} */
                readonly kind: "deposit" | "withdrawal";
                readonly action: ("block" | "review" | "allow") | null;
                readonly level: ("Low" | "Moderate" | "High" | "Severe") | null;
                readonly coin: string;
                readonly amount: string;
                readonly usd_value: string | null;
                readonly user_id: string | null;
                readonly counterparty: string | null;
                /** Format: date-time */
                readonly requested_at: string;
                /** Format: date-time */
                readonly added_at: string;
            }[];
            readonly notes: readonly {
                /** Format: uuid */
                readonly note_id: string;
                readonly text: string;
                readonly written_by: components["schemas"]["Person"];
                /** Format: date-time */
                readonly written_at: string;
            }[];
            readonly attachments: readonly components["schemas"]["Attachment"][];
        };
        readonly SavedView: {
            /** @enum {string} */
            readonly list: "reviews" | "screenings" | "cases";
            readonly name: string;
            /** @description Parameters of the list. */
            readonly filter: {
                readonly [key: string]: string;
            };
        };
        readonly Label: {
            readonly chain: string;
            readonly address: string;
            readonly name: string;
            readonly category: string;
            readonly source: string;
            /** @description authority, owner, curated or crawl. */
            readonly source_kind: string;
            readonly confidence: number;
            readonly valid_from: string | null;
            /** @description From then on it does not hold. */
            readonly valid_to: string | null;
        };
        readonly LabelSources: {
            readonly sources: readonly components["schemas"]["LabelSource"][];
            /** @description Published lists that are kept fresh. */
            readonly lists: readonly components["schemas"]["LabelList"][];
            /** @description Addresses whose labels contradict each other. */
            readonly conflicts: readonly components["schemas"]["LabelConflict"][];
            /**
             * Format: date-time
             * @description All labels are read once a minute at most.
             */
            readonly read_at: string;
        };
        readonly LabelSource: {
            readonly source: string;
            readonly source_kind: string;
            readonly labels: number;
            /** @description Those that hold now. */
            readonly in_force: number;
            /** @description The latest import that gave one of them. */
            readonly imported_at: string | null;
        };
        readonly LabelList: {
            readonly name: string;
            readonly labels: number;
            /** @description The last successful check. */
            readonly checked_at: string | null;
            readonly changed_at: string | null;
            /** Format: date-time */
            readonly next_at: string;
            /** @description Since the last success. */
            readonly failures: number;
            readonly error: string | null;
        };
        readonly LabelConflict: {
            readonly chain: string;
            readonly address: string;
            /**
             * @description The claim that counts.
             * @enum {string}
             */
            readonly standing: "service" | "accusation";
            readonly service: {
                readonly categories: readonly string[];
                readonly sources: readonly string[];
            };
            readonly accusation: {
                readonly categories: readonly string[];
                readonly sources: readonly string[];
            };
        };
        readonly LabelChange: {
            readonly change_id: number;
            /**
             * @description snapshot: labels that an import no longer had have ended.
             * @enum {string}
             */
            readonly action: "import" | "snapshot" | "end" | "withdraw";
            readonly labels: number;
            readonly source: string | null;
            readonly addresses: readonly string[];
            readonly category: string | null;
            /** @description Name of the import. */
            readonly import: string | null;
            readonly person: string | null;
            readonly reason: string | null;
            /** Format: date-time */
            readonly changed_at: string;
        };
        readonly ChainFreshness: {
            readonly chain: string;
            readonly labels: number;
            /** @description Since the last import of labels; null: it has none. */
            readonly labels_age_seconds: number | null;
            readonly transfers: number;
            /** @description Since the newest transfer; null: it has none. */
            readonly transfers_age_seconds: number | null;
            /** @description null: the chain is not followed. */
            readonly lag: {
                /** @description That the nodes have and the store has not; null: before the first. */
                readonly blocks: number | null;
                /** @description Of the last stored block; null: before the first. */
                readonly age_seconds: number | null;
            } | null;
        };
        readonly LabelRequest: {
            /** Format: uuid */
            readonly request_id: string;
            /** @enum {string} */
            readonly action: "add" | "end" | "withdraw";
            /**
             * @description approved: the process that may store labels has not applied it yet.
             * @enum {string}
             */
            readonly state: "waiting" | "approved" | "rejected" | "applied" | "failed";
            readonly chain: string | null;
            readonly address: string | null;
            readonly name: string | null;
            readonly category: string | null;
            readonly source: string | null;
            readonly ended_at: string | null;
            readonly reason: string;
            /** @description Name of the person. */
            readonly requested_by: string;
            /** Format: date-time */
            readonly requested_at: string;
            readonly answered_by: string | null;
            readonly answered_at: string | null;
            readonly settled_at: string | null;
            /** @description How many changed. */
            readonly labels: number | null;
            readonly failure: string | null;
        };
        readonly DeadLetter: {
            /** @description The topic that the record came from. */
            readonly topic: string;
            /** @description In the dead letter topic; `PARTITION:OFFSET` in a partition other than 0. */
            readonly offset: string;
            /** @description A code. */
            readonly reason: string;
            readonly detail: string;
            readonly key: string;
            /**
             * Format: date-time
             * @description When it became a dead letter.
             */
            readonly at: string;
            readonly bytes: number;
        };
        readonly DeadLetterDetail: {
            /** @description The topic that the record came from. */
            readonly topic: string;
            /** @description In the dead letter topic; `PARTITION:OFFSET` in a partition other than 0. */
            readonly offset: string;
            /** @description A code. */
            readonly reason: string;
            readonly detail: string;
            readonly key: string;
            /**
             * Format: date-time
             * @description When it became a dead letter.
             */
            readonly at: string;
            readonly bytes: number;
            /** @description The place in its topic; null where it is not known. */
            readonly came_from: {
                readonly partition: number | null;
                readonly offset: number | null;
            };
            /** @description As the record had them. */
            readonly headers: {
                readonly [key: string]: string;
            };
            /** @description Its bytes. */
            readonly value_base64: string;
            /** @description The record; null where the bytes cannot be read as a record of the topic. */
            readonly data: unknown;
        };
        readonly ReplayedDeadLetter: {
            /** @description The topic that the record came from. */
            readonly topic: string;
            /** @description In the dead letter topic; `PARTITION:OFFSET` in a partition other than 0. */
            readonly offset: string;
        };
        readonly KnownPerson: {
            /** @description Role and id, as the audit log names whoever acts. */
            readonly person_id: string;
            readonly name: string;
            /** @description null: by the command line, as an account of the operating system. */
            readonly role: ("approver" | "reviewer" | "admin" | "auditor") | null;
            /**
             * @description provider: or by a token that is revoked.
             * @enum {string}
             */
            readonly signs_in_by: "token" | "provider" | "command_line";
            /**
             * Format: date-time
             * @description The last act, use of a session, or making of the token.
             */
            readonly last_seen_at: string;
            /** @description Resolutions, answers, notes, changes and whatever else the audit log has of the person. */
            readonly acts: number;
            /** @description Whether it is the caller. */
            readonly is_own: boolean;
        };
        readonly Assignee: {
            readonly name: string;
        };
        readonly Act: {
            /**
             * Format: uuid
             * @description Also the id of its event in the audit log.
             */
            readonly activity_id: string;
            /** @enum {string} */
            readonly action: "database_restored" | "note_added" | "assigned" | "due_set" | "outcome_set" | "attachment_added" | "case_escalated" | "policy_proposed" | "policy_rejected" | "policy_activated" | "policy_shadowed" | "key_created" | "key_revoked" | "session_ended" | "coin_added" | "coin_removed" | "addresses_watched" | "addresses_unwatched" | "webhook_retried" | "webhooks_ended" | "settings_changed" | "label_change_requested" | "label_change_answered" | "dead_letters_replayed" | "gap_passed" | "records_rebuilt" | "transfers_imported" | "erasure_proposed" | "personal_data_erased";
            /** @description What it was done to: screening, case, policy, key and others. */
            readonly subject_type: string;
            readonly subject: string;
            readonly person: {
                readonly id: string;
                readonly name: string;
            };
            /** @description null: taken away. */
            readonly details: readonly {
                readonly name: string;
                readonly value: string | null;
            }[];
            /** Format: date-time */
            readonly recorded_at: string;
        };
        readonly Token: {
            /** @description The first 16 hex digits of its SHA-256. The token itself is kept by its holder alone. */
            readonly token_id: string;
            /** @enum {string} */
            readonly role: "ingest" | "gate" | "reviewer" | "approver" | "auditor" | "admin";
            /** @description The machine's, or the person's. */
            readonly name: string;
            /** Format: date-time */
            readonly created_at: string;
            readonly revoked_at: string | null;
            /** @description Requests a second in one process; null: the default. */
            readonly per_second: number | null;
            /** @description Lookups in a UTC day; null: the default. */
            readonly per_day: number | null;
            /** @description Whether it is the caller's. */
            readonly is_own: boolean;
        };
        readonly LiveSession: {
            /** @description The first 16 hex digits of the SHA-256 of its secret. */
            readonly session_id: string;
            /** @enum {string} */
            readonly role: "ingest" | "gate" | "reviewer" | "approver" | "auditor" | "admin";
            /** @description The person's. */
            readonly name: string;
            /** Format: date-time */
            readonly begun_at: string;
            /**
             * Format: date-time
             * @description At most a minute earlier than its last request.
             */
            readonly used_at: string;
            /** Format: date-time */
            readonly ends_at: string;
            /** @description Whether it is the caller's. */
            readonly is_own: boolean;
        };
        readonly GroupRoles: {
            /** @description Where the provider’s tokens hold a person’s groups; null: people sign in by tokens of Weir alone. */
            readonly claim: string | null;
            /** @description Whoever is in several groups has the first of their roles. */
            readonly items: readonly {
                readonly group: string;
                /** @enum {string} */
                readonly role: "ingest" | "gate" | "reviewer" | "approver" | "auditor" | "admin";
            }[];
        };
        readonly ProcessSettings: {
            /** @description A service, or `weir` where all are one process. */
            readonly process: string;
            /**
             * Format: date-time
             * @description The first start with these settings.
             */
            readonly since: string;
            /** @description Those that are not the default. Secrets are masked. */
            readonly settings: readonly {
                readonly name: string;
                readonly value: string;
            }[];
        };
        readonly PartHealth: {
            /** @description `weir` where all services are one process. */
            readonly service: string;
            /**
             * @description away: it gives no answer of `/readyz`.
             * @enum {string}
             */
            readonly state: "ready" | "not_ready" | "away";
            /** @description Dependencies that it needs and cannot reach. */
            readonly unavailable: readonly string[];
            /** @description Unreachable dependencies that it can do without. */
            readonly degraded: readonly string[];
            /** @description Problems that do not affect its work. */
            readonly warnings: readonly string[];
        };
        readonly Delivery: {
            /**
             * Format: uuid
             * @description The decision's event id, and the webhook's.
             */
            readonly event_id: string;
            /** Format: uuid */
            readonly screening_id: string;
            readonly revision: number;
            /**
             * @description failed: given up.
             * @enum {string}
             */
            readonly state: "pending" | "delivered" | "failed";
            /** @description Since it was stored, or since a person's retry. */
            readonly attempts: number;
            /** Format: date-time */
            readonly created_at: string;
            /** @description Of a pending delivery. A revision also waits for earlier ones, and all wait during an outage. */
            readonly next_at: string | null;
            readonly attempted_at: string | null;
            /** @description When it succeeded or was given up. */
            readonly settled_at: string | null;
            /** @description Of the last attempt; null without a response. */
            readonly last_status: number | null;
            /** @description Of the last attempt: a fault, with the system's error code if any. */
            readonly last_error: string | null;
        };
        readonly DeliveryDetail: {
            /**
             * Format: uuid
             * @description The decision's event id, and the webhook's.
             */
            readonly event_id: string;
            /** Format: uuid */
            readonly screening_id: string;
            readonly revision: number;
            /**
             * @description failed: given up.
             * @enum {string}
             */
            readonly state: "pending" | "delivered" | "failed";
            /** @description Since it was stored, or since a person's retry. */
            readonly attempts: number;
            /** Format: date-time */
            readonly created_at: string;
            /** @description Of a pending delivery. A revision also waits for earlier ones, and all wait during an outage. */
            readonly next_at: string | null;
            readonly attempted_at: string | null;
            /** @description When it succeeded or was given up. */
            readonly settled_at: string | null;
            /** @description Of the last attempt; null without a response. */
            readonly last_status: number | null;
            /** @description Of the last attempt: a fault, with the system's error code if any. */
            readonly last_error: string | null;
            /** @description The payload as text. */
            readonly body: string;
        };
        readonly AnalysableChain: {
            readonly chain: string;
            /** @description Its native coin. */
            readonly coin: string;
        };
        readonly AnalysedScore: {
            /** @constant */
            readonly state: "running";
            readonly task_id: string;
        } | {
            /** @constant */
            readonly state: "done";
            /** @enum {string} */
            readonly outcome: "SCORED" | "NO_DATA";
            /** @description Null without data. */
            readonly score: number | null;
            readonly risk_level: ("Low" | "Moderate" | "High" | "Severe") | null;
            readonly detail_list: readonly string[];
            readonly risk_detail: readonly components["schemas"]["Exposure"][];
            /** @description Null: the provider does not say. */
            readonly grounds: components["schemas"]["ScoreGrounds"] | null;
            /** @description USD of illicit money that the address received; null: the provider does not say. */
            readonly illicit_usd: number | null;
            /** @description Empty: none. */
            readonly address_label: string;
            /** @description Empty: none. */
            readonly hacking_event: string;
            readonly scanned_at: string | null;
            readonly provider: string;
        };
        readonly AddressProfile: {
            /** @description Null, as of other parts: the provider did not answer. */
            readonly labels: readonly string[] | null;
            /** @description Empty: unclassified. */
            readonly label_type: ("exchange" | "defi" | "mixer" | "nft" | "") | null;
            /** @description Null, too: the provider has no such answer. */
            readonly overview: {
                /** @description In the native coin, like the other amounts; negative when incoming transfers are unknown. */
                readonly balance: number;
                readonly total_received: number;
                readonly total_spent: number;
                readonly received_txs: number;
                readonly spent_txs: number;
                readonly first_seen_at: string | null;
                readonly last_seen_at: string | null;
            } | null;
            /** @description By entity, the largest first. */
            readonly counterparties: readonly {
                readonly name: string;
                /** @description USD. */
                readonly amount: number;
                readonly percent: number;
            }[] | null;
            /** @description What brought its money. */
            readonly received: readonly {
                readonly action: string;
                readonly count: number;
                readonly percent: number;
            }[] | null;
            /** @description What its money was used for. */
            readonly spent: readonly {
                readonly action: string;
                readonly count: number;
                readonly percent: number;
            }[] | null;
        };
        readonly AddressTransfers: {
            readonly items: readonly {
                /** @enum {string} */
                readonly side: "in" | "out";
                readonly address: string;
                /** @enum {string} */
                readonly kind: "plain" | "malicious" | "entity" | "contract";
                /** @description Empty: none. */
                readonly label: string;
                /** @description In the coin, of all its transfers on this page. */
                readonly amount: number;
                readonly txids: readonly string[];
            }[];
            readonly page: number;
            readonly total_pages: number;
        };
        readonly AddressTrace: {
            /** @enum {string} */
            readonly direction: "forward" | "backward";
            /** @description Of all values: USD, or a coin. */
            readonly unit: string;
            /** @description What was traced. */
            readonly value: number;
            readonly transfers: number;
            readonly read: {
                readonly addresses: number;
                readonly transfers: number;
            };
            /** @description Where it went or came from, the largest first. */
            readonly ends: readonly {
                /** @description Such as service, held or hub. */
                readonly kind: string;
                /** @description Empty: unknown. */
                readonly entity: string;
                readonly category: string;
                readonly address: string;
                readonly addresses: number;
                readonly value: {
                    readonly haircut?: number;
                    readonly fifo?: number;
                    readonly poison?: number;
                };
                readonly hops: number;
                /** @description In the order of time. */
                readonly path: readonly {
                    readonly txid: string;
                    readonly time: string;
                    readonly coin: string;
                    readonly amount: string | null;
                    readonly usd: number | null;
                    readonly from: string;
                    readonly to: string;
                    /** @description The part of it that is traced. */
                    readonly traced: number;
                    readonly coin_join: boolean;
                }[];
            }[];
            /** @description Further ends. */
            readonly others: {
                readonly ends: number;
                readonly value: {
                    readonly haircut?: number;
                    readonly fifo?: number;
                    readonly poison?: number;
                };
            };
            /** @description Money that was not followed to an end. */
            readonly not_followed: {
                readonly addresses: number;
                readonly value: {
                    readonly haircut?: number;
                    readonly fifo?: number;
                    readonly poison?: number;
                };
            };
        };
        readonly Budget: {
            /** @description The host of its API. */
            readonly provider: string;
            readonly per_second: number;
            readonly per_day: number;
            /** @description Assessments since midnight UTC. */
            readonly used_today: number;
            /** @description For each kind of lookup, if the others took none. A part of the day is kept for withdrawals and for deposits. */
            readonly left_today: {
                readonly withdrawal: number;
                readonly deposit: number;
                readonly rescreen: number;
            };
            /** @description Assessments that can be asked for without a wait. */
            readonly left_now: number;
            /** @description The provider has asked for a pause. */
            readonly paused_until: string | null;
            /** @description Assessments by the end of the day, at the pace until now; null in its first hour. */
            readonly forecast: number | null;
        };
        readonly Providers: {
            /** @description The deciding one first. */
            readonly items: readonly {
                /**
                 * @description fallback: while the deciding one is away; shadow: it is only compared.
                 * @enum {string}
                 */
                readonly role: "deciding" | "fallback" | "shadow";
                /** @description The host of its API. */
                readonly name: string;
                /** @enum {string} */
                readonly kind: "specified" | "misttrack" | "chainalysis" | "elliptic";
            }[];
            /** Format: date-time */
            readonly since: string;
            /** @description Results that both gave. */
            readonly compared: number;
            /** @description Results that the one in shadow did not give. */
            readonly unanswered: number;
            readonly same_level: number;
            /** @description The largest first. */
            readonly levels: readonly {
                /** @description The level, else the outcome. */
                readonly first: string;
                /** @description The level, else the outcome. */
                readonly second: string;
                readonly count: number;
            }[];
            /** @description Of each risk type, how many results name it. */
            readonly categories: readonly {
                readonly category: string;
                readonly both: number;
                readonly first_only: number;
                readonly second_only: number;
            }[];
            /** @description The newest 100 in which level or categories differ. */
            readonly disagreements: readonly {
                /** Format: uuid */
                readonly screening_id: string;
                /** Format: date-time */
                readonly asked_at: string;
                readonly first: {
                    /** @description The level, else the outcome. */
                    readonly standing: string;
                    readonly score: number | null;
                    readonly categories: readonly string[];
                };
                readonly second: {
                    /** @description The level, else the outcome. */
                    readonly standing: string;
                    readonly score: number | null;
                    readonly categories: readonly string[];
                };
            }[];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export interface operations {
    readonly get_checkpoint: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The note. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example weir-audit-example
                     *     1
                     *     Qo/PtA4cPJ2MQKSpa3m3kgZ/fWd/Mh3aFjDQxY5lASQ=
                     *
                     *     — weir-audit-example iKfIVAAnDOzNEeK6nMifAxu6B4DJoN36aAhH4AOFtQANcUQezptKc4/pM9NF6zweC9PuJ+gUs8mkRxQOtU6l1Eyevg4=
                     */
                    readonly "text/plain": string;
                };
            };
        };
    };
    readonly get_tlog_checkpoint: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The note. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example weir-audit-example
                     *     1
                     *     Qo/PtA4cPJ2MQKSpa3m3kgZ/fWd/Mh3aFjDQxY5lASQ=
                     *
                     *     — weir-audit-example iKfIVAAnDOzNEeK6nMifAxu6B4DJoN36aAhH4AOFtQANcUQezptKc4/pM9NF6zweC9PuJ+gUs8mkRxQOtU6l1Eyevg4=
                     */
                    readonly "text/plain": string;
                };
            };
        };
    };
    readonly get_audit_key: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Verifier keys. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /** @example weir-audit-example+88a7c854+AepKbGPinFIKvvVQexMuxfmVR3auvr57kkIe6mkURtIs */
                    readonly "text/plain": string;
                };
            };
        };
    };
    readonly get_audit_entry: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description Of the event.
                 * @example 16fd2706-8baf-533b-a82b-bb81c2b3ee25
                 */
                readonly event_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The entry. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "event_id": "16fd2706-8baf-533b-a82b-bb81c2b3ee25",
                     *       "index": 0,
                     *       "topic": "screenings.decided",
                     *       "key": "d-1",
                     *       "headers": {
                     *         "ce_id": "16fd2706-8baf-533b-a82b-bb81c2b3ee25"
                     *       },
                     *       "value_base64": "ZXZlbnQ=",
                     *       "data": null,
                     *       "screening_id": "5c1a4a0e-9a1f-5f0e-8f59-5b1d2a7c9e10",
                     *       "erased_by": null,
                     *       "conflicts_with": null,
                     *       "log_partition": 1,
                     *       "log_offset": "42",
                     *       "event_time": "2026-01-31T09:12:24.100000Z",
                     *       "recorded_at": "2026-01-31T09:12:24.351207Z",
                     *       "salt": "CQkJCQkJCQkJCQkJCQkJCQ==",
                     *       "leaf": "{\"version\":1,\"event_id\":\"16fd2706-8baf-533b-a82b-bb81c2b3ee25\",\"conflicts_with\":null,\"topic\":\"screenings.decided\",\"log_partition\":1,\"log_offset\":\"42\",\"event_time\":\"2026-01-31T09:12:24.100000Z\",\"recorded_at\":\"2026-01-31T09:12:24.351207Z\",\"commitment\":\"99b0f0fc131334d0f28286f63125488e2e152b197a427eb99d3ea21fb8c6118f\"}",
                     *       "leaf_hash": "Qo/PtA4cPJ2MQKSpa3m3kgZ/fWd/Mh3aFjDQxY5lASQ=",
                     *       "tree_size": 1,
                     *       "inclusion_proof": [],
                     *       "checkpoint": "weir-audit-example\n1\nQo/PtA4cPJ2MQKSpa3m3kgZ/fWd/Mh3aFjDQxY5lASQ=\n\n— weir-audit-example iKfIVAAnDOzNEeK6nMifAxu6B4DJoN36aAhH4AOFtQANcUQezptKc4/pM9NF6zweC9PuJ+gUs8mkRxQOtU6l1Eyevg4=\n"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["AuditEntry"];
                };
            };
        };
    };
    readonly get_tile: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description 0 to 63, or `entries`.
                 * @example 0
                 */
                readonly level: string;
                /**
                 * @description Index, and the width of a partial tile.
                 * @example 000.p/1
                 */
                readonly tile: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The tile. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /** @example  */
                    readonly "application/octet-stream": string;
                };
            };
        };
    };
    readonly list_audit_anchors: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Places of `WEIR_AUDIT_ANCHORS`, and those that once were. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "name": "webhook:notary.example",
                     *           "size": 1,
                     *           "anchored_at": "2026-01-31T09:20:00.000Z",
                     *           "error": null,
                     *           "note": "weir-audit-example\n1\nQo/PtA4cPJ2MQKSpa3m3kgZ/fWd/Mh3aFjDQxY5lASQ=\n\n— weir-audit-example iKfIVAAnDOzNEeK6nMifAxu6B4DJoN36aAhH4AOFtQANcUQezptKc4/pM9NF6zweC9PuJ+gUs8mkRxQOtU6l1Eyevg4=\n"
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["AuditAnchor"][];
                    };
                };
            };
        };
    };
    readonly add_checkpoint: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example old 0
                 *
                 *     weir-audit-example
                 *     1
                 *     Qo/PtA4cPJ2MQKSpa3m3kgZ/fWd/Mh3aFjDQxY5lASQ=
                 *
                 *     — weir-audit-example iKfIVAAnDOzNEeK6nMifAxu6B4DJoN36aAhH4AOFtQANcUQezptKc4/pM9NF6zweC9PuJ+gUs8mkRxQOtU6l1Eyevg4=
                 */
                readonly "text/plain": string;
            };
        };
        readonly responses: {
            /** @description The cosignature, a line for the note. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /** @example — weir-audit-example iKfIVAAnDOzNEeK6nMifAxu6B4DJoN36aAhH4AOFtQANcUQezptKc4/pM9NF6zweC9PuJ+gUs8mkRxQOtU6l1Eyevg4= */
                    readonly "text/plain": string;
                };
            };
        };
    };
    readonly get_witness_key: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A verifier key. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /** @example weir-audit-example+88a7c854+AepKbGPinFIKvvVQexMuxfmVR3auvr57kkIe6mkURtIs */
                    readonly "text/plain": string;
                };
            };
        };
    };
    readonly post_deposit: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "deposit_id": "d-1",
                 *       "coin": "ETH",
                 *       "txid": "0x37d411e434f6a5124a5e615f767dcbfc668d68355f8baac2ec5fd7ff4050ee94",
                 *       "from_address": "0xd90e2f925da726b50c4ed8d0fb90ad053324f31b",
                 *       "to_address": "0x28C6c06298d514Db089934071355E5743bf21d60",
                 *       "amount": "1.5",
                 *       "usd_value": "4000",
                 *       "user_id": "u-1",
                 *       "detected_at": "2026-01-31T09:12:23Z"
                 *     }
                 */
                readonly "application/json": {
                    /** @description Your id of the deposit. */
                    readonly deposit_id: string;
                    /**
                     * @description Left out: the coin gives it.
                     * @default null
                     */
                    readonly chain?: string | null;
                    /** @description Symbol of a coin; it names the chain. In any case; with other names of its chain, too (USDT-TRON). */
                    readonly coin: string;
                    /** @description The receiver, on the chain of the coin. */
                    readonly to_address: string;
                    /** @description In whole coins. */
                    readonly amount: string;
                    /**
                     * @description The declared value. Left out or null: unknown.
                     * @default null
                     */
                    readonly usd_value?: string | null;
                    /**
                     * @description Destination tag, memo or comment beside the address, where the chain has one. Empty or left out: none.
                     * @default null
                     */
                    readonly memo?: string | null;
                    /**
                     * @description Your customer, opaque to Weir.
                     * @default null
                     */
                    readonly user_id?: string | null;
                    /**
                     * @description The transaction. Either this or from_address is required.
                     * @default null
                     */
                    readonly txid?: string | null;
                    /**
                     * @description The sender. Either this or txid is required.
                     * @default null
                     */
                    readonly from_address?: string | null;
                    /**
                     * @description RFC 3339. Left out: now.
                     * @default null
                     */
                    readonly detected_at?: string | null;
                };
            };
        };
        readonly responses: {
            /** @description It was posted before. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "screening_id": "5c1a4a0e-9a1f-5f0e-8f59-5b1d2a7c9e10"
                     *     }
                     */
                    readonly "application/json": {
                        /** Format: uuid */
                        readonly screening_id: string;
                        /** @description The coin is not known, so the deposit is held; known coins with similar names. */
                        readonly hint?: string;
                    };
                };
            };
            /** @description It is stored and will be screened. */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "screening_id": "5c1a4a0e-9a1f-5f0e-8f59-5b1d2a7c9e10"
                     *     }
                     */
                    readonly "application/json": {
                        /** Format: uuid */
                        readonly screening_id: string;
                        /** @description The coin is not known, so the deposit is held; known coins with similar names. */
                        readonly hint?: string;
                    };
                };
            };
        };
    };
    readonly list_watched_addresses: {
        readonly parameters: {
            readonly query?: {
                readonly chain?: "ethereum" | "bsc" | "polygon" | "arbitrum" | "optimism" | "base" | "avalanche" | "ethereum-classic" | "zksync" | "linea" | "scroll" | "mantle" | "opbnb" | "sonic" | "merlin" | "hashkey" | "iotex" | "tron" | "bitcoin" | "litecoin" | "dogecoin" | "bitcoin-cash" | "solana" | "ripple" | "stellar" | "ton" | "polkadot" | "cardano" | "cosmos" | "near" | "aptos" | "sui";
                /** @description The next_cursor of an earlier answer. Left out: the first page. */
                readonly cursor?: string;
                /** @description Items in the answer. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "chain": "ethereum",
                     *           "address": "0x28C6c06298d514Db089934071355E5743bf21d60",
                     *           "user_id": "u-1",
                     *           "since": "2026-01-31T09:12:23.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    readonly "application/json": {
                        readonly items: readonly {
                            /** @enum {string} */
                            readonly chain: "ethereum" | "bsc" | "polygon" | "arbitrum" | "optimism" | "base" | "avalanche" | "ethereum-classic" | "zksync" | "linea" | "scroll" | "mantle" | "opbnb" | "sonic" | "merlin" | "hashkey" | "iotex" | "tron" | "bitcoin" | "litecoin" | "dogecoin" | "bitcoin-cash" | "solana" | "ripple" | "stellar" | "ton" | "polkadot" | "cardano" | "cosmos" | "near" | "aptos" | "sui";
                            readonly address: string;
                            readonly user_id: string | null;
                            /** Format: date-time */
                            readonly since: string;
                        }[];
                        readonly next_cursor: string | null;
                    };
                };
            };
        };
    };
    readonly watch_addresses: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "chain": "ethereum",
                 *       "addresses": [
                 *         {
                 *           "address": "0x28C6c06298d514Db089934071355E5743bf21d60",
                 *           "user_id": "u-1"
                 *         }
                 *       ]
                 *     }
                 */
                readonly "application/json": {
                    /** @enum {string} */
                    readonly chain: "ethereum" | "bsc" | "polygon" | "arbitrum" | "optimism" | "base" | "avalanche" | "ethereum-classic" | "zksync" | "linea" | "scroll" | "mantle" | "opbnb" | "sonic" | "merlin" | "hashkey" | "iotex" | "tron" | "bitcoin" | "litecoin" | "dogecoin" | "bitcoin-cash" | "solana" | "ripple" | "stellar" | "ton" | "polkadot" | "cardano" | "cosmos" | "near" | "aptos" | "sui";
                    readonly addresses: readonly {
                        readonly address: string;
                        /**
                         * @description The customer whose deposits it receives.
                         * @default null
                         */
                        readonly user_id?: string | null;
                    }[];
                    /**
                     * Format: date-time
                     * @description RFC 3339. Blocks before do not count. Left out: now.
                     */
                    readonly since?: string;
                };
            };
        };
        readonly responses: {
            /** @description They are watched. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "given": 1,
                     *       "added": 1,
                     *       "is_followed": true
                     *     }
                     */
                    readonly "application/json": {
                        /** @description Addresses of the body. */
                        readonly given: number;
                        /** @description Those that were not watched before. */
                        readonly added: number;
                        /** @description False: nobody follows this chain yet, so nothing is detected. */
                        readonly is_followed: boolean;
                    };
                };
            };
        };
    };
    readonly unwatch_address: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description Name of the chain.
                 * @example ethereum
                 */
                readonly chain: string;
                /**
                 * @description In any form that the chain has.
                 * @example 0x28C6c06298d514Db089934071355E5743bf21d60
                 */
                readonly address: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It is watched no longer. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "removed": 1
                     *     }
                     */
                    readonly "application/json": {
                        readonly removed: number;
                    };
                };
            };
        };
    };
    readonly post_withdrawal: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description `wait=SECONDS` (RFC 7240): how long to wait for the decision, 10 unless given and 60 at most.
                 * @example wait=5
                 */
                readonly Prefer?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "withdrawal_id": "w-1",
                 *       "coin": "USDT-ERC20",
                 *       "to_address": "0x28C6c06298d514Db089934071355E5743bf21d60",
                 *       "amount": "100",
                 *       "usd_value": "100",
                 *       "user_id": "u-1"
                 *     }
                 */
                readonly "application/json": {
                    /** @description Your id of the withdrawal. */
                    readonly withdrawal_id: string;
                    /**
                     * @description Left out: the coin gives it.
                     * @default null
                     */
                    readonly chain?: string | null;
                    /** @description Symbol of a coin; it names the chain. In any case; with other names of its chain, too (USDT-TRON). */
                    readonly coin: string;
                    /** @description The receiver, on the chain of the coin. */
                    readonly to_address: string;
                    /** @description In whole coins. */
                    readonly amount: string;
                    /**
                     * @description The declared value. Left out or null: unknown.
                     * @default null
                     */
                    readonly usd_value?: string | null;
                    /**
                     * @description Destination tag, memo or comment beside the address, where the chain has one. Empty or left out: none.
                     * @default null
                     */
                    readonly memo?: string | null;
                    /**
                     * @description Your customer, opaque to Weir.
                     * @default null
                     */
                    readonly user_id?: string | null;
                    /**
                     * @description RFC 3339. Left out: now.
                     * @default null
                     */
                    readonly requested_at?: string | null;
                };
            };
        };
        readonly responses: {
            /** @description Decided. */
            readonly 200: {
                headers: {
                    /** @description The wait that applied, if one was asked. */
                    readonly "Preference-Applied"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "withdrawal_id": "w-1",
                     *       "screening_id": "9b2f7c1e-3d4a-5e6f-8a7b-1c2d3e4f5a6b",
                     *       "status": "held",
                     *       "revision": 1,
                     *       "reason_codes": [
                     *         "LEVEL_HIGH"
                     *       ],
                     *       "rule": null
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Withdrawal"];
                };
            };
            /** @description The wait ended before the decision. */
            readonly 202: {
                headers: {
                    /** @description The wait that applied, if one was asked. */
                    readonly "Preference-Applied"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "withdrawal_id": "w-1",
                     *       "screening_id": "9b2f7c1e-3d4a-5e6f-8a7b-1c2d3e4f5a6b",
                     *       "status": "pending",
                     *       "reason_codes": [],
                     *       "rule": null
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Withdrawal"];
                };
            };
        };
    };
    readonly get_withdrawal: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @example w-1 */
                readonly withdrawal_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Its present state. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "withdrawal_id": "w-1",
                     *       "screening_id": "9b2f7c1e-3d4a-5e6f-8a7b-1c2d3e4f5a6b",
                     *       "status": "held",
                     *       "revision": 1,
                     *       "reason_codes": [
                     *         "LEVEL_HIGH"
                     *       ],
                     *       "rule": null
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Withdrawal"];
                };
            };
        };
    };
    readonly redeem_permit: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "permit": "eyJhbGciOiJFZERTQSJ9.e30.c2lnbmF0dXJl",
                 *       "chain": "ethereum",
                 *       "coin": "ETH",
                 *       "to_address": "0x28c6c06298d514db089934071355e5743bf21d60",
                 *       "amount": "1.5",
                 *       "redemption_id": "attempt-1"
                 *     }
                 */
                readonly "application/json": {
                    readonly permit: string;
                    readonly chain: string;
                    readonly coin: string;
                    readonly to_address: string;
                    readonly amount: string;
                    /** @description Of the transaction, where the chain has one. */
                    readonly memo?: string | null;
                    readonly redemption_id?: string | null;
                };
            };
        };
        readonly responses: {
            /** @description The withdrawal may leave. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "withdrawal_id": "w-1",
                     *       "screening_id": "9b2f7c1e-3d4a-5e6f-8a7b-1c2d3e4f5a6b",
                     *       "revision": 1,
                     *       "permit_id": "2f1e0d9c-8b7a-4655-9443-221100ffeedd",
                     *       "redeemed_at": "2026-01-31T09:13:00.000Z",
                     *       "redemption_id": "attempt-1"
                     *     }
                     */
                    readonly "application/json": {
                        readonly withdrawal_id: string;
                        /** Format: uuid */
                        readonly screening_id: string;
                        readonly revision: number;
                        /** Format: uuid */
                        readonly permit_id: string;
                        /** Format: date-time */
                        readonly redeemed_at: string;
                        /** @description From the redeeming caller, if given. */
                        readonly redemption_id?: string;
                    };
                };
            };
        };
    };
    readonly get_permit_keys: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A JWK set. Keep it as long as Cache-Control says. */
            readonly 200: {
                headers: {
                    /** @description public, max-age=SECONDS */
                    readonly "Cache-Control"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "keys": [
                     *         {
                     *           "kty": "OKP",
                     *           "crv": "Ed25519",
                     *           "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
                     *           "kid": "key-1",
                     *           "alg": "EdDSA",
                     *           "use": "sig"
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/jwk-set+json": {
                        readonly keys: readonly ({
                            /** @constant */
                            readonly kty: "OKP";
                            /** @constant */
                            readonly crv: "Ed25519";
                            readonly x: string;
                            readonly kid: string;
                        } & {
                            readonly [key: string]: unknown;
                        })[];
                    };
                };
            };
        };
    };
    readonly check_policy: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "text": "version: 1\n"
                 *     }
                 */
                readonly "application/json": {
                    readonly text: string;
                };
            };
        };
        readonly responses: {
            /** @description Every problem, or how it decides differently. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "policy_hash": "a3f5c1d2e4b60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90",
                     *       "problems": [],
                     *       "changes": [
                     *         {
                     *           "about": "Moderate deposits",
                     *           "from": "review",
                     *           "to": "block",
                     *           "text": "Moderate deposits: review → block"
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["PolicyCheck"];
                };
            };
        };
    };
    readonly backtest_policy: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "text": "version: 1\n",
                 *       "since": "2026-01-31T00:00:00Z"
                 *     }
                 */
                readonly "application/json": {
                    readonly text: string;
                    /** Format: date-time */
                    readonly since: string;
                    /**
                     * Format: date-time
                     * @description Decided before this time. Left out: until now.
                     */
                    readonly until?: string;
                };
            };
        };
        readonly responses: {
            /** @description Pairs that did not occur are left out. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "policy_hash": "a3f5c1d2e4b60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90",
                     *       "results": 1,
                     *       "cells": [
                     *         {
                     *           "was": "review",
                     *           "would_be": "allow",
                     *           "count": 1
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Backtest"];
                };
            };
        };
    };
    readonly propose_policy: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "text": "version: 1\n"
                 *     }
                 */
                readonly "application/json": {
                    readonly text: string;
                };
            };
        };
        readonly responses: {
            /** @description Stored. It is not in force. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "policy_hash": "a3f5c1d2e4b60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90",
                     *       "proposed_by": {
                     *         "id": "reviewer:0f1e2d3c4b5a6978",
                     *         "name": "Reviewer"
                     *       },
                     *       "proposed_at": "2026-01-31T08:00:00.000Z"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["PolicyProposal"];
                };
            };
        };
    };
    readonly approve_policy: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "policy_hash": "a3f5c1d2e4b60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90"
                 *     }
                 */
                readonly "application/json": {
                    /**
                     * @description SHA-256 of the text, in hex.
                     * @example a3f5c1d2e4b60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90
                     */
                    readonly policy_hash: string;
                };
            };
        };
        readonly responses: {
            /** @description In force. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "number": 2,
                     *       "policy_hash": "a3f5c1d2e4b60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90",
                     *       "set_by": "command",
                     *       "shadow_hash": null,
                     *       "changed_at": "2026-01-31T09:12:24.000Z"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["PolicyChange"];
                };
            };
        };
    };
    readonly reject_policy: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "policy_hash": "a3f5c1d2e4b60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90",
                 *       "reason": "The limit is too high."
                 *     }
                 */
                readonly "application/json": {
                    /**
                     * @description SHA-256 of the text, in hex.
                     * @example a3f5c1d2e4b60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90
                     */
                    readonly policy_hash: string;
                    readonly reason: string;
                };
            };
        };
        readonly responses: {
            /** @description What was proposed. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "policy_hash": "a3f5c1d2e4b60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90",
                     *       "proposed_by": {
                     *         "id": "reviewer:0f1e2d3c4b5a6978",
                     *         "name": "Reviewer"
                     *       },
                     *       "proposed_at": "2026-01-31T08:00:00.000Z"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["PolicyProposal"];
                };
            };
        };
    };
    readonly get_velocity: {
        readonly parameters: {
            readonly query: {
                /**
                 * @description As in your transfers.
                 * @example u-1
                 */
                readonly user_id: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A customer without transfers has zeros. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "policy_hash": "a3f5c1d2e4b60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90",
                     *       "items": [
                     *         {
                     *           "window": "deposits_1d",
                     *           "of": "user",
                     *           "kind": "deposit",
                     *           "window_ms": 86400000,
                     *           "count": 2,
                     *           "known_usd": "1500.5",
                     *           "unknown_count": 0,
                     *           "rules": [
                     *             "many_deposits"
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Velocity"];
                };
            };
        };
    };
    readonly list_disagreements: {
        readonly parameters: {
            readonly query?: {
                /** @description Decided at this time (RFC 3339) or later. Left out: 7 days ago. */
                readonly since?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Counts, and the newest. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "shadow_hash": "0718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90a3f5c1d2e4b6",
                     *       "since": "2026-01-24T09:12:24.000Z",
                     *       "cells": [
                     *         {
                     *           "action": "review",
                     *           "shadow": "block",
                     *           "count": 1
                     *         }
                     *       ],
                     *       "items": [
                     *         {
                     *           "screening_id": "3f2b6a0e-6a1d-5c7e-9b43-2d8e4f5a6b7c",
                     *           "revision": 1,
                     *           "kind": "deposit",
                     *           "coin": "ETH",
                     *           "amount": "0.5",
                     *           "usd_value": "1500.5",
                     *           "action": "review",
                     *           "shadow": "block",
                     *           "rule": null,
                     *           "decided_at": "2026-01-31T09:12:24.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["ShadowDisagreements"];
                };
            };
        };
    };
    readonly export_policy_disagreements: {
        readonly parameters: {
            readonly query?: {
                /** @description Decided at this time (RFC 3339) or later. Left out: 7 days ago. */
                readonly since?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One line for each. */
            readonly 200: {
                headers: {
                    /** @description `true` if there are more than 10,000. */
                    readonly "X-Weir-Cut"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    /** @example screening_id,revision,kind,coin,amount,usd_value,action,shadow,rule,decided_at */
                    readonly "text/csv": string;
                };
            };
        };
    };
    readonly list_policies: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The changes and proposals. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "number": 2,
                     *           "policy_hash": "a3f5c1d2e4b60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90",
                     *           "set_by": "command",
                     *           "shadow_hash": null,
                     *           "changed_at": "2026-01-31T09:12:24.000Z"
                     *         }
                     *       ],
                     *       "proposal": {
                     *         "policy_hash": "a3f5c1d2e4b60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90",
                     *         "proposed_by": {
                     *           "id": "reviewer:0f1e2d3c4b5a6978",
                     *           "name": "Reviewer"
                     *         },
                     *         "proposed_at": "2026-01-31T08:00:00.000Z"
                     *       },
                     *       "rejections": [
                     *         {
                     *           "policy_hash": "a3f5c1d2e4b60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90",
                     *           "proposed_by": {
                     *             "id": "reviewer:0f1e2d3c4b5a6978",
                     *             "name": "Reviewer"
                     *           },
                     *           "proposed_at": "2026-01-31T08:00:00.000Z",
                     *           "rejected_by": {
                     *             "id": "approver:5a69780f1e2d3c4b",
                     *             "name": "Approver"
                     *           },
                     *           "rejected_at": "2026-01-31T08:30:00.000Z",
                     *           "reason": "The limit is too high."
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Policies"];
                };
            };
        };
    };
    readonly get_policy: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description SHA-256 of the text, in hex.
                 * @example a3f5c1d2e4b60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90
                 */
                readonly policy_hash: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The policy. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "policy_hash": "a3f5c1d2e4b60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90",
                     *       "text": "version: 1\n",
                     *       "sanctioned_exposure": {
                     *         "deposit": "block",
                     *         "withdrawal": "block"
                     *       },
                     *       "table": [
                     *         {
                     *           "line": "Low",
                     *           "deposit": {
                     *             "review_from_usd": "10000",
                     *             "below": "allow",
                     *             "unknown_value": "review"
                     *           },
                     *           "withdrawal": "allow"
                     *         }
                     *       ],
                     *       "limits": [
                     *         {
                     *           "about": "Days that a known price may be old (price_max_age_days)",
                     *           "value": "2"
                     *         }
                     *       ],
                     *       "windows": [
                     *         {
                     *           "name": "deposits_1d",
                     *           "counts": "deposits of the same user in 24h"
                     *         }
                     *       ],
                     *       "rules": [
                     *         {
                     *           "name": "large",
                     *           "when": "usd_value >= decimal('50000')",
                     *           "words": "the value in USD is at least 50,000",
                     *           "action": "review",
                     *           "may_relax": false
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Policy"];
                };
            };
        };
    };
    readonly compare_policies: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description The policy before. Left out: the one in force.
                 * @example a3f5c1d2e4b60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90
                 */
                readonly from?: string;
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description SHA-256 of the text, in hex.
                 * @example a3f5c1d2e4b60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90
                 */
                readonly policy_hash: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The difference. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "from": "0718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90a3f5c1d2e4b6",
                     *       "to": "a3f5c1d2e4b60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90",
                     *       "changes": [
                     *         {
                     *           "about": "Moderate deposits",
                     *           "from": "review",
                     *           "to": "block",
                     *           "text": "Moderate deposits: review → block"
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["PolicyDifference"];
                };
            };
        };
    };
    readonly get_session: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The caller. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "Reviewer",
                     *       "role": "reviewer",
                     *       "ends_at": "2026-02-01T21:00:00.000Z",
                     *       "idle": {
                     *         "limit_ms": 1800000,
                     *         "left_ms": 1795000
                     *       },
                     *       "absolute": {
                     *         "limit_ms": 43200000,
                     *         "left_ms": 43195000
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    readonly begin_session: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "link": null
                 *     }
                 */
                readonly "application/json": {
                    /** @description The secret of a sign-in link, in place of a bearer token. */
                    readonly link?: string | null;
                };
            };
        };
        readonly responses: {
            /** @description Signed in. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "Reviewer",
                     *       "role": "reviewer",
                     *       "ends_at": "2026-02-01T21:00:00.000Z",
                     *       "idle": {
                     *         "limit_ms": 1800000,
                     *         "left_ms": 1795000
                     *       },
                     *       "absolute": {
                     *         "limit_ms": 43200000,
                     *         "left_ms": 43195000
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    readonly end_session: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description There is no session any more. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /** @example {} */
                    readonly "application/json": Record<string, never>;
                };
            };
        };
    };
    readonly list_screenings: {
        readonly parameters: {
            readonly query?: {
                readonly kind?: "deposit" | "withdrawal";
                /** @description Of the latest revision. */
                readonly action?: "block" | "review" | "allow";
                /** @description Of the latest result. */
                readonly level?: "Low" | "Moderate" | "High" | "Severe";
                /** @description The address or transaction that was scored. */
                readonly subject?: string;
                /** @description Either side of the transfer, in any form of its chain. */
                readonly address?: string;
                readonly user_id?: string;
                /** @description The deposit_id or withdrawal_id. */
                readonly source_id?: string;
                readonly txid?: string;
                readonly chain?: "ethereum" | "bsc" | "polygon" | "arbitrum" | "optimism" | "base" | "avalanche" | "ethereum-classic" | "zksync" | "linea" | "scroll" | "mantle" | "opbnb" | "sonic" | "merlin" | "hashkey" | "iotex" | "tron" | "bitcoin" | "litecoin" | "dogecoin" | "bitcoin-cash" | "solana" | "ripple" | "stellar" | "ton" | "polkadot" | "cardano" | "cosmos" | "near" | "aptos" | "sui";
                readonly coin?: string;
                /** @description The policy's rule that last made a revision. */
                readonly rule?: string;
                /** @description A reason code of the latest revision. */
                readonly reason?: string;
                /** @description Requested at this time (RFC 3339) or later. */
                readonly since?: string;
                /** @description Requested before this time (RFC 3339). */
                readonly until?: string;
                /** @description The declared value is at least this. A transfer of unknown value is left out. */
                readonly min_usd?: string;
                /** @description The declared value is at most this. A transfer of unknown value is left out. */
                readonly max_usd?: string;
                /** @description true: there is no decision yet. */
                readonly open?: "true";
                /** @description value: the largest first, unknown values last. */
                readonly sort?: "newest" | "oldest" | "value";
                /** @description The next_cursor of an earlier answer of the same sort. Left out: the first page. */
                readonly cursor?: string;
                /** @description Items in the answer; more than 200 are not given at once. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "screening_id": "5c1a4a0e-9a1f-5f0e-8f59-5b1d2a7c9e10",
                     *           "kind": "deposit",
                     *           "status": "held",
                     *           "transfer": {
                     *             "deposit_id": "d-1",
                     *             "chain": "ethereum",
                     *             "coin": "ETH",
                     *             "txid": "0x37d411e434f6a5124a5e615f767dcbfc668d68355f8baac2ec5fd7ff4050ee94",
                     *             "from_address": "0xd90e2f925da726b50c4ed8d0fb90ad053324f31b",
                     *             "to_address": "0x28c6c06298d514db089934071355e5743bf21d60",
                     *             "amount": "1.5",
                     *             "usd_value": null,
                     *             "user_id": "u-1",
                     *             "detected_at": "2026-01-31T09:12:23.000Z"
                     *           },
                     *           "subject": "0x37d411e434f6a5124a5e615f767dcbfc668d68355f8baac2ec5fd7ff4050ee94",
                     *           "subject_type": "txid",
                     *           "direction": "deposit",
                     *           "result": {
                     *             "outcome": "SCORED",
                     *             "score": 80,
                     *             "risk_level": "High",
                     *             "reasons": [],
                     *             "detail_list": [
                     *               "Mixer"
                     *             ],
                     *             "risk_detail": [
                     *               {
                     *                 "entity": "Tornado.Cash",
                     *                 "risk_type": "mixer",
                     *                 "exposure_type": "direct",
                     *                 "hop_num": 1,
                     *                 "volume": 3000,
                     *                 "percent": 40,
                     *                 "side": "in",
                     *                 "counterparty": "0xd90e2f925da726b50c4ed8d0fb90ad053324f31b",
                     *                 "path": [
                     *                   {
                     *                     "txid": "0x0d5a1f3c7e9b2d4f6a8c0e1b3d5f7a9c2e4b6d8f0a1c3e5b7d9f1a3c5e7b9d0f",
                     *                     "time": "2026-01-30T22:41:11.000Z",
                     *                     "coin": "ETH",
                     *                     "amount": "1",
                     *                     "usd": 3000,
                     *                     "from": "0xd90e2f925da726b50c4ed8d0fb90ad053324f31b",
                     *                     "to": "0x098b716b8aaf21512996dc57eb0615e2383e2f96"
                     *                   }
                     *                 ]
                     *               }
                     *             ],
                     *             "address_label": "",
                     *             "hacking_event": "",
                     *             "scanned_ts": 1769850743,
                     *             "provider": "risk.example",
                     *             "evidence_sha256": "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
                     *             "scored_at": "2026-01-31T09:12:24.000Z",
                     *             "reused": false
                     *           },
                     *           "decisions": [
                     *             {
                     *               "revision": 1,
                     *               "action": "review",
                     *               "reason_codes": [
                     *                 "LEVEL_HIGH"
                     *               ],
                     *               "rule": null,
                     *               "policy_hash": "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9",
                     *               "decided_at": "2026-01-31T09:12:24.100Z",
                     *               "supersedes": null,
                     *               "resolution_id": null
                     *             }
                     *           ],
                     *           "requested_at": "2026-01-31T09:12:23.000Z",
                     *           "deadline_at": "2026-01-31T09:22:23.000Z",
                     *           "audit": [
                     *             {
                     *               "event_id": "16fd2706-8baf-533b-a82b-bb81c2b3ee25",
                     *               "index": 41
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["Screening"][];
                        /** @description Null on the last page. Any other page may be short, or empty. */
                        readonly next_cursor: string | null;
                    };
                };
            };
        };
    };
    readonly get_screening: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description UUID.
                 * @example 5c1a4a0e-9a1f-5f0e-8f59-5b1d2a7c9e10
                 */
                readonly screening_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The screening. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "screening_id": "5c1a4a0e-9a1f-5f0e-8f59-5b1d2a7c9e10",
                     *       "kind": "deposit",
                     *       "status": "held",
                     *       "transfer": {
                     *         "deposit_id": "d-1",
                     *         "chain": "ethereum",
                     *         "coin": "ETH",
                     *         "txid": "0x37d411e434f6a5124a5e615f767dcbfc668d68355f8baac2ec5fd7ff4050ee94",
                     *         "from_address": "0xd90e2f925da726b50c4ed8d0fb90ad053324f31b",
                     *         "to_address": "0x28c6c06298d514db089934071355e5743bf21d60",
                     *         "amount": "1.5",
                     *         "usd_value": null,
                     *         "user_id": "u-1",
                     *         "detected_at": "2026-01-31T09:12:23.000Z"
                     *       },
                     *       "subject": "0x37d411e434f6a5124a5e615f767dcbfc668d68355f8baac2ec5fd7ff4050ee94",
                     *       "subject_type": "txid",
                     *       "direction": "deposit",
                     *       "result": {
                     *         "outcome": "SCORED",
                     *         "score": 80,
                     *         "risk_level": "High",
                     *         "reasons": [],
                     *         "detail_list": [
                     *           "Mixer"
                     *         ],
                     *         "risk_detail": [
                     *           {
                     *             "entity": "Tornado.Cash",
                     *             "risk_type": "mixer",
                     *             "exposure_type": "direct",
                     *             "hop_num": 1,
                     *             "volume": 3000,
                     *             "percent": 40,
                     *             "side": "in",
                     *             "counterparty": "0xd90e2f925da726b50c4ed8d0fb90ad053324f31b",
                     *             "path": [
                     *               {
                     *                 "txid": "0x0d5a1f3c7e9b2d4f6a8c0e1b3d5f7a9c2e4b6d8f0a1c3e5b7d9f1a3c5e7b9d0f",
                     *                 "time": "2026-01-30T22:41:11.000Z",
                     *                 "coin": "ETH",
                     *                 "amount": "1",
                     *                 "usd": 3000,
                     *                 "from": "0xd90e2f925da726b50c4ed8d0fb90ad053324f31b",
                     *                 "to": "0x098b716b8aaf21512996dc57eb0615e2383e2f96"
                     *               }
                     *             ]
                     *           }
                     *         ],
                     *         "address_label": "",
                     *         "hacking_event": "",
                     *         "scanned_ts": 1769850743,
                     *         "provider": "risk.example",
                     *         "evidence_sha256": "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
                     *         "scored_at": "2026-01-31T09:12:24.000Z",
                     *         "reused": false
                     *       },
                     *       "decisions": [
                     *         {
                     *           "revision": 1,
                     *           "action": "review",
                     *           "reason_codes": [
                     *             "LEVEL_HIGH"
                     *           ],
                     *           "rule": null,
                     *           "policy_hash": "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9",
                     *           "decided_at": "2026-01-31T09:12:24.100Z",
                     *           "supersedes": null,
                     *           "resolution_id": null
                     *         }
                     *       ],
                     *       "requested_at": "2026-01-31T09:12:23.000Z",
                     *       "deadline_at": "2026-01-31T09:22:23.000Z",
                     *       "audit": [
                     *         {
                     *           "event_id": "16fd2706-8baf-533b-a82b-bb81c2b3ee25",
                     *           "index": 41
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Screening"];
                };
            };
        };
    };
    readonly export_screenings: {
        readonly parameters: {
            readonly query?: {
                readonly kind?: "deposit" | "withdrawal";
                /** @description Of the latest revision. */
                readonly action?: "block" | "review" | "allow";
                /** @description Of the latest result. */
                readonly level?: "Low" | "Moderate" | "High" | "Severe";
                /** @description The address or transaction that was scored. */
                readonly subject?: string;
                /** @description Either side of the transfer, in any form of its chain. */
                readonly address?: string;
                readonly user_id?: string;
                /** @description The deposit_id or withdrawal_id. */
                readonly source_id?: string;
                readonly txid?: string;
                readonly chain?: "ethereum" | "bsc" | "polygon" | "arbitrum" | "optimism" | "base" | "avalanche" | "ethereum-classic" | "zksync" | "linea" | "scroll" | "mantle" | "opbnb" | "sonic" | "merlin" | "hashkey" | "iotex" | "tron" | "bitcoin" | "litecoin" | "dogecoin" | "bitcoin-cash" | "solana" | "ripple" | "stellar" | "ton" | "polkadot" | "cardano" | "cosmos" | "near" | "aptos" | "sui";
                readonly coin?: string;
                /** @description The policy's rule that last made a revision. */
                readonly rule?: string;
                /** @description A reason code of the latest revision. */
                readonly reason?: string;
                /** @description Requested at this time (RFC 3339) or later. */
                readonly since?: string;
                /** @description Requested before this time (RFC 3339). */
                readonly until?: string;
                /** @description The declared value is at least this. A transfer of unknown value is left out. */
                readonly min_usd?: string;
                /** @description The declared value is at most this. A transfer of unknown value is left out. */
                readonly max_usd?: string;
                /** @description true: there is no decision yet. */
                readonly open?: "true";
                /** @description value: the largest first, unknown values last. */
                readonly sort?: "newest" | "oldest" | "value";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One line for each. */
            readonly 200: {
                headers: {
                    /** @description `true` if there are more than 10,000. */
                    readonly "X-Weir-Cut"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    /** @example screening_id,requested_at */
                    readonly "text/csv": string;
                };
            };
        };
    };
    readonly list_reviews: {
        readonly parameters: {
            readonly query?: {
                readonly state?: "open" | "pending_approval" | "approved" | "resolved";
                readonly kind?: "deposit" | "withdrawal";
                /** @description Of the latest revision. */
                readonly action?: "block" | "review" | "allow";
                /** @description Of the latest result. */
                readonly level?: "Low" | "Moderate" | "High" | "Severe";
                /** @description The address or transaction that was scored. */
                readonly subject?: string;
                /** @description Either side of the transfer, in any form of its chain. */
                readonly address?: string;
                readonly user_id?: string;
                /** @description The deposit_id or withdrawal_id. */
                readonly source_id?: string;
                readonly txid?: string;
                readonly chain?: "ethereum" | "bsc" | "polygon" | "arbitrum" | "optimism" | "base" | "avalanche" | "ethereum-classic" | "zksync" | "linea" | "scroll" | "mantle" | "opbnb" | "sonic" | "merlin" | "hashkey" | "iotex" | "tron" | "bitcoin" | "litecoin" | "dogecoin" | "bitcoin-cash" | "solana" | "ripple" | "stellar" | "ton" | "polkadot" | "cardano" | "cosmos" | "near" | "aptos" | "sui";
                readonly coin?: string;
                /** @description The policy's rule that last made a revision. */
                readonly rule?: string;
                /** @description A reason code of the latest revision. */
                readonly reason?: string;
                /** @description Requested at this time (RFC 3339) or later. */
                readonly since?: string;
                /** @description Requested before this time (RFC 3339). */
                readonly until?: string;
                /** @description The declared value is at least this. A transfer of unknown value is left out. */
                readonly min_usd?: string;
                /** @description The declared value is at most this. A transfer of unknown value is left out. */
                readonly max_usd?: string;
                /** @description A name, or none. */
                readonly assignee?: string;
                /** @description overdue, or a time (RFC 3339) before which it is due. */
                readonly due?: "overdue" | string;
                /** @description true: a result came after the decision of people. */
                readonly late?: "true";
                /** @description due: by due time, those without one last; value: the largest first, unknown values last. */
                readonly sort?: "oldest" | "newest" | "due" | "value";
                /** @description The next_cursor of an earlier answer of the same sort. Left out: the first page. */
                readonly cursor?: string;
                /** @description Items in the answer; more than 200 are not given at once. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "screening_id": "5c1a4a0e-9a1f-5f0e-8f59-5b1d2a7c9e10",
                     *           "kind": "deposit",
                     *           "state": "pending_approval",
                     *           "revision": 1,
                     *           "action": "review",
                     *           "reason_codes": [
                     *             "LEVEL_HIGH"
                     *           ],
                     *           "transfer": {
                     *             "deposit_id": "d-1",
                     *             "chain": "ethereum",
                     *             "coin": "ETH",
                     *             "txid": "0x37d411e434f6a5124a5e615f767dcbfc668d68355f8baac2ec5fd7ff4050ee94",
                     *             "from_address": "0xd90e2f925da726b50c4ed8d0fb90ad053324f31b",
                     *             "to_address": "0x28c6c06298d514db089934071355e5743bf21d60",
                     *             "amount": "1.5",
                     *             "usd_value": null,
                     *             "user_id": "u-1",
                     *             "detected_at": "2026-01-31T09:12:23.000Z"
                     *           },
                     *           "subject": "0x37d411e434f6a5124a5e615f767dcbfc668d68355f8baac2ec5fd7ff4050ee94",
                     *           "result": {
                     *             "outcome": "SCORED",
                     *             "score": 80,
                     *             "risk_level": "High",
                     *             "reasons": [],
                     *             "detail_list": [
                     *               "Mixer"
                     *             ],
                     *             "risk_detail": [
                     *               {
                     *                 "entity": "Tornado.Cash",
                     *                 "risk_type": "mixer",
                     *                 "exposure_type": "direct",
                     *                 "hop_num": 1,
                     *                 "volume": 3000,
                     *                 "percent": 40,
                     *                 "side": "in",
                     *                 "counterparty": "0xd90e2f925da726b50c4ed8d0fb90ad053324f31b",
                     *                 "path": [
                     *                   {
                     *                     "txid": "0x0d5a1f3c7e9b2d4f6a8c0e1b3d5f7a9c2e4b6d8f0a1c3e5b7d9f1a3c5e7b9d0f",
                     *                     "time": "2026-01-30T22:41:11.000Z",
                     *                     "coin": "ETH",
                     *                     "amount": "1",
                     *                     "usd": 3000,
                     *                     "from": "0xd90e2f925da726b50c4ed8d0fb90ad053324f31b",
                     *                     "to": "0x098b716b8aaf21512996dc57eb0615e2383e2f96"
                     *                   }
                     *                 ]
                     *               }
                     *             ],
                     *             "address_label": "",
                     *             "hacking_event": "",
                     *             "scanned_ts": 1769850743,
                     *             "provider": "risk.example",
                     *             "evidence_sha256": "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
                     *             "scored_at": "2026-01-31T09:12:24.000Z",
                     *             "reused": false
                     *           },
                     *           "late_result": false,
                     *           "adverse_update": false,
                     *           "requested_at": "2026-01-31T09:12:23.000Z",
                     *           "held_since": "2026-01-31T09:12:24.100Z",
                     *           "held_seconds": 2856,
                     *           "assignee": null,
                     *           "due_at": null,
                     *           "overdue": false,
                     *           "resolution": {
                     *             "resolution_id": "7d0a6d0c-4f0e-5f3b-8a53-0f3f5d9a1c22",
                     *             "revision": 1,
                     *             "action": "allow",
                     *             "reason": "The sender proved the source of the money.",
                     *             "state": "pending_approval",
                     *             "resolved_by": {
                     *               "id": "reviewer:1f2e3d4c5b6a7980",
                     *               "name": "Reviewer"
                     *             },
                     *             "resolved_at": "2026-01-31T10:00:00.000Z",
                     *             "needs_approval": true,
                     *             "answered_by": null,
                     *             "answer_reason": null,
                     *             "answered_at": null
                     *           }
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["Review"][];
                        /** @description Null on the last page. Any other page may be short, or empty. */
                        readonly next_cursor: string | null;
                    };
                };
            };
        };
    };
    readonly get_review: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description UUID.
                 * @example 5c1a4a0e-9a1f-5f0e-8f59-5b1d2a7c9e10
                 */
                readonly screening_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The review. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "screening_id": "5c1a4a0e-9a1f-5f0e-8f59-5b1d2a7c9e10",
                     *       "kind": "deposit",
                     *       "state": "pending_approval",
                     *       "revision": 1,
                     *       "action": "review",
                     *       "reason_codes": [
                     *         "LEVEL_HIGH"
                     *       ],
                     *       "transfer": {
                     *         "deposit_id": "d-1",
                     *         "chain": "ethereum",
                     *         "coin": "ETH",
                     *         "txid": "0x37d411e434f6a5124a5e615f767dcbfc668d68355f8baac2ec5fd7ff4050ee94",
                     *         "from_address": "0xd90e2f925da726b50c4ed8d0fb90ad053324f31b",
                     *         "to_address": "0x28c6c06298d514db089934071355e5743bf21d60",
                     *         "amount": "1.5",
                     *         "usd_value": null,
                     *         "user_id": "u-1",
                     *         "detected_at": "2026-01-31T09:12:23.000Z"
                     *       },
                     *       "subject": "0x37d411e434f6a5124a5e615f767dcbfc668d68355f8baac2ec5fd7ff4050ee94",
                     *       "result": {
                     *         "outcome": "SCORED",
                     *         "score": 80,
                     *         "risk_level": "High",
                     *         "reasons": [],
                     *         "detail_list": [
                     *           "Mixer"
                     *         ],
                     *         "risk_detail": [
                     *           {
                     *             "entity": "Tornado.Cash",
                     *             "risk_type": "mixer",
                     *             "exposure_type": "direct",
                     *             "hop_num": 1,
                     *             "volume": 3000,
                     *             "percent": 40,
                     *             "side": "in",
                     *             "counterparty": "0xd90e2f925da726b50c4ed8d0fb90ad053324f31b",
                     *             "path": [
                     *               {
                     *                 "txid": "0x0d5a1f3c7e9b2d4f6a8c0e1b3d5f7a9c2e4b6d8f0a1c3e5b7d9f1a3c5e7b9d0f",
                     *                 "time": "2026-01-30T22:41:11.000Z",
                     *                 "coin": "ETH",
                     *                 "amount": "1",
                     *                 "usd": 3000,
                     *                 "from": "0xd90e2f925da726b50c4ed8d0fb90ad053324f31b",
                     *                 "to": "0x098b716b8aaf21512996dc57eb0615e2383e2f96"
                     *               }
                     *             ]
                     *           }
                     *         ],
                     *         "address_label": "",
                     *         "hacking_event": "",
                     *         "scanned_ts": 1769850743,
                     *         "provider": "risk.example",
                     *         "evidence_sha256": "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
                     *         "scored_at": "2026-01-31T09:12:24.000Z",
                     *         "reused": false
                     *       },
                     *       "late_result": false,
                     *       "adverse_update": false,
                     *       "requested_at": "2026-01-31T09:12:23.000Z",
                     *       "held_since": "2026-01-31T09:12:24.100Z",
                     *       "held_seconds": 2856,
                     *       "assignee": null,
                     *       "due_at": null,
                     *       "overdue": false,
                     *       "resolution": {
                     *         "resolution_id": "7d0a6d0c-4f0e-5f3b-8a53-0f3f5d9a1c22",
                     *         "revision": 1,
                     *         "action": "allow",
                     *         "reason": "The sender proved the source of the money.",
                     *         "state": "pending_approval",
                     *         "resolved_by": {
                     *           "id": "reviewer:1f2e3d4c5b6a7980",
                     *           "name": "Reviewer"
                     *         },
                     *         "resolved_at": "2026-01-31T10:00:00.000Z",
                     *         "needs_approval": true,
                     *         "answered_by": null,
                     *         "answer_reason": null,
                     *         "answered_at": null
                     *       },
                     *       "decisions": [
                     *         {
                     *           "revision": 1,
                     *           "action": "review",
                     *           "reason_codes": [
                     *             "LEVEL_HIGH"
                     *           ],
                     *           "rule": null,
                     *           "policy_hash": "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9",
                     *           "decided_at": "2026-01-31T09:12:24.100Z",
                     *           "supersedes": null,
                     *           "resolution_id": null
                     *         }
                     *       ],
                     *       "resolutions": [
                     *         {
                     *           "resolution_id": "7d0a6d0c-4f0e-5f3b-8a53-0f3f5d9a1c22",
                     *           "revision": 1,
                     *           "action": "allow",
                     *           "reason": "The sender proved the source of the money.",
                     *           "state": "pending_approval",
                     *           "resolved_by": {
                     *             "id": "reviewer:1f2e3d4c5b6a7980",
                     *             "name": "Reviewer"
                     *           },
                     *           "resolved_at": "2026-01-31T10:00:00.000Z",
                     *           "needs_approval": true,
                     *           "answered_by": null,
                     *           "answer_reason": null,
                     *           "answered_at": null
                     *         }
                     *       ],
                     *       "notes": [],
                     *       "plan_changes": [
                     *         {
                     *           "field": "assignee",
                     *           "value": null,
                     *           "changed_by": {
                     *             "id": "reviewer:1f2e3d4c5b6a7980",
                     *             "name": "Reviewer"
                     *           },
                     *           "changed_at": "2026-01-31T09:50:00.000Z"
                     *         }
                     *       ],
                     *       "attachments": [
                     *         {
                     *           "attachment_id": "6f3a4c1e-2b7d-5e90-8c14-9d2e7b5a1f36",
                     *           "name": "statement.pdf",
                     *           "type": "application/pdf",
                     *           "bytes": 48211,
                     *           "sha256": "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9",
                     *           "attached_by": {
                     *             "id": "reviewer:1f2e3d4c5b6a7980",
                     *             "name": "Reviewer"
                     *           },
                     *           "attached_at": "2026-01-31T10:05:00.000Z"
                     *         }
                     *       ],
                     *       "case_id": "0b7e3a52-5d0c-4a55-9a0e-6a6d1d0f3c11"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["ReviewDetail"];
                };
            };
        };
    };
    readonly export_reviews: {
        readonly parameters: {
            readonly query?: {
                readonly state?: "open" | "pending_approval" | "approved" | "resolved";
                readonly kind?: "deposit" | "withdrawal";
                /** @description Of the latest revision. */
                readonly action?: "block" | "review" | "allow";
                /** @description Of the latest result. */
                readonly level?: "Low" | "Moderate" | "High" | "Severe";
                /** @description The address or transaction that was scored. */
                readonly subject?: string;
                /** @description Either side of the transfer, in any form of its chain. */
                readonly address?: string;
                readonly user_id?: string;
                /** @description The deposit_id or withdrawal_id. */
                readonly source_id?: string;
                readonly txid?: string;
                readonly chain?: "ethereum" | "bsc" | "polygon" | "arbitrum" | "optimism" | "base" | "avalanche" | "ethereum-classic" | "zksync" | "linea" | "scroll" | "mantle" | "opbnb" | "sonic" | "merlin" | "hashkey" | "iotex" | "tron" | "bitcoin" | "litecoin" | "dogecoin" | "bitcoin-cash" | "solana" | "ripple" | "stellar" | "ton" | "polkadot" | "cardano" | "cosmos" | "near" | "aptos" | "sui";
                readonly coin?: string;
                /** @description The policy's rule that last made a revision. */
                readonly rule?: string;
                /** @description A reason code of the latest revision. */
                readonly reason?: string;
                /** @description Requested at this time (RFC 3339) or later. */
                readonly since?: string;
                /** @description Requested before this time (RFC 3339). */
                readonly until?: string;
                /** @description The declared value is at least this. A transfer of unknown value is left out. */
                readonly min_usd?: string;
                /** @description The declared value is at most this. A transfer of unknown value is left out. */
                readonly max_usd?: string;
                /** @description A name, or none. */
                readonly assignee?: string;
                /** @description overdue, or a time (RFC 3339) before which it is due. */
                readonly due?: "overdue" | string;
                /** @description true: a result came after the decision of people. */
                readonly late?: "true";
                /** @description due: by due time, those without one last; value: the largest first, unknown values last. */
                readonly sort?: "oldest" | "newest" | "due" | "value";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One line for each. */
            readonly 200: {
                headers: {
                    /** @description `true` if there are more than 10,000. */
                    readonly "X-Weir-Cut"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    /** @example screening_id,requested_at */
                    readonly "text/csv": string;
                };
            };
        };
    };
    readonly resolve_review: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description UUID.
                 * @example 5c1a4a0e-9a1f-5f0e-8f59-5b1d2a7c9e10
                 */
                readonly screening_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "action": "allow",
                 *       "reason": "The sender proved the source of the money."
                 *     }
                 */
                readonly "application/json": {
                    /** @enum {string} */
                    readonly action: "allow" | "block";
                    readonly reason: string;
                    readonly revision?: number;
                };
            };
        };
        readonly responses: {
            /** @description Stored; another person approves it. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "resolution_id": "7d0a6d0c-4f0e-5f3b-8a53-0f3f5d9a1c22",
                     *       "state": "pending_approval"
                     *     }
                     */
                    readonly "application/json": {
                        /** Format: uuid */
                        readonly resolution_id: string;
                        /** @enum {string} */
                        readonly state: "pending_approval" | "approved" | "rejected" | "applied" | "superseded";
                    };
                };
            };
        };
    };
    readonly answer_resolution: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description UUID.
                 * @example 5c1a4a0e-9a1f-5f0e-8f59-5b1d2a7c9e10
                 */
                readonly screening_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "resolution_id": "7d0a6d0c-4f0e-5f3b-8a53-0f3f5d9a1c22",
                 *       "approve": true
                 *     }
                 */
                readonly "application/json": {
                    /** Format: uuid */
                    readonly resolution_id: string;
                    readonly approve: boolean;
                    readonly reason?: string | null;
                };
            };
        };
        readonly responses: {
            /** @description Answered. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "resolution_id": "7d0a6d0c-4f0e-5f3b-8a53-0f3f5d9a1c22",
                     *       "state": "approved"
                     *     }
                     */
                    readonly "application/json": {
                        /** Format: uuid */
                        readonly resolution_id: string;
                        /** @enum {string} */
                        readonly state: "pending_approval" | "approved" | "rejected" | "applied" | "superseded";
                    };
                };
            };
        };
    };
    readonly reopen_review: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description UUID.
                 * @example 5c1a4a0e-9a1f-5f0e-8f59-5b1d2a7c9e10
                 */
                readonly screening_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "reason": "A new report names the sender."
                 *     }
                 */
                readonly "application/json": {
                    readonly reason: string;
                    readonly revision?: number;
                };
            };
        };
        readonly responses: {
            /** @description Stored. It needs no approval. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "resolution_id": "7d0a6d0c-4f0e-5f3b-8a53-0f3f5d9a1c22",
                     *       "state": "approved"
                     *     }
                     */
                    readonly "application/json": {
                        /** Format: uuid */
                        readonly resolution_id: string;
                        /** @enum {string} */
                        readonly state: "pending_approval" | "approved" | "rejected" | "applied" | "superseded";
                    };
                };
            };
        };
    };
    readonly add_note: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description UUID.
                 * @example 5c1a4a0e-9a1f-5f0e-8f59-5b1d2a7c9e10
                 */
                readonly screening_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "text": "Asked the customer for a statement."
                 *     }
                 */
                readonly "application/json": {
                    readonly text: string;
                };
            };
        };
        readonly responses: {
            /** @description The same person has written the same before. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "note_id": "3f2b6a0e-6a1d-5c7e-9b43-2d8e4f5a6b7c"
                     *     }
                     */
                    readonly "application/json": {
                        /** Format: uuid */
                        readonly note_id: string;
                    };
                };
            };
            /** @description Added. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "note_id": "3f2b6a0e-6a1d-5c7e-9b43-2d8e4f5a6b7c"
                     *     }
                     */
                    readonly "application/json": {
                        /** Format: uuid */
                        readonly note_id: string;
                    };
                };
            };
        };
    };
    readonly set_assignee: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description UUID.
                 * @example 5c1a4a0e-9a1f-5f0e-8f59-5b1d2a7c9e10
                 */
                readonly screening_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "assignee": "Reviewer"
                 *     }
                 */
                readonly "application/json": {
                    readonly assignee: string | null;
                    /** @description Who has it as far as the caller knows. Left out: whoever it is. */
                    readonly expected_assignee?: string | null;
                };
            };
        };
        readonly responses: {
            /** @description The plan as it is now. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "assignee": "Reviewer",
                     *       "due_at": "2026-02-01T09:00:00.000Z"
                     *     }
                     */
                    readonly "application/json": {
                        readonly assignee: string | null;
                        readonly due_at: string | null;
                    };
                };
            };
        };
    };
    readonly set_due: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description UUID.
                 * @example 5c1a4a0e-9a1f-5f0e-8f59-5b1d2a7c9e10
                 */
                readonly screening_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "due_at": "2026-02-01T09:00:00Z"
                 *     }
                 */
                readonly "application/json": {
                    readonly due_at: string | null;
                };
            };
        };
        readonly responses: {
            /** @description The plan as it is now. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "assignee": "Reviewer",
                     *       "due_at": "2026-02-01T09:00:00.000Z"
                     *     }
                     */
                    readonly "application/json": {
                        readonly assignee: string | null;
                        readonly due_at: string | null;
                    };
                };
            };
        };
    };
    readonly add_review_attachment: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description UUID.
                 * @example 5c1a4a0e-9a1f-5f0e-8f59-5b1d2a7c9e10
                 */
                readonly screening_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "name": "statement.txt",
                 *       "content_base64": "U3RhdGVtZW50IG9mIHRoZSBjdXN0b21lci4K"
                 *     }
                 */
                readonly "application/json": {
                    readonly name: string;
                    /** Format: base64 */
                    readonly content_base64: string;
                };
            };
        };
        readonly responses: {
            /** @description The review has this content already. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "attachment_id": "6f3a4c1e-2b7d-5e90-8c14-9d2e7b5a1f36",
                     *       "name": "statement.pdf",
                     *       "type": "application/pdf",
                     *       "bytes": 48211,
                     *       "sha256": "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9",
                     *       "attached_by": {
                     *         "id": "reviewer:1f2e3d4c5b6a7980",
                     *         "name": "Reviewer"
                     *       },
                     *       "attached_at": "2026-01-31T10:05:00.000Z"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Attachment"];
                };
            };
            /** @description Attached. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "attachment_id": "6f3a4c1e-2b7d-5e90-8c14-9d2e7b5a1f36",
                     *       "name": "statement.pdf",
                     *       "type": "application/pdf",
                     *       "bytes": 48211,
                     *       "sha256": "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9",
                     *       "attached_by": {
                     *         "id": "reviewer:1f2e3d4c5b6a7980",
                     *         "name": "Reviewer"
                     *       },
                     *       "attached_at": "2026-01-31T10:05:00.000Z"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Attachment"];
                };
            };
        };
    };
    readonly get_review_attachment: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description UUID.
                 * @example 5c1a4a0e-9a1f-5f0e-8f59-5b1d2a7c9e10
                 */
                readonly screening_id: string;
                /**
                 * @description UUID.
                 * @example 6f3a4c1e-2b7d-5e90-8c14-9d2e7b5a1f36
                 */
                readonly attachment_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The bytes, to be saved. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /** @example Statement of the customer. */
                    readonly "application/octet-stream": string;
                };
            };
        };
    };
    readonly get_user: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description As in your transfers.
                 * @example u-1
                 */
                readonly user_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The customer. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "user_id": "u-1",
                     *       "kinds": [
                     *         {
                     *           "kind": "deposit",
                     *           "count": 2,
                     *           "usd": "1500.5",
                     *           "unknown_usd": 0
                     *         }
                     *       ],
                     *       "actions": [
                     *         {
                     *           "action": "allow",
                     *           "count": 1,
                     *           "usd": "1500.5",
                     *           "unknown_usd": 0
                     *         },
                     *         {
                     *           "action": "review",
                     *           "count": 1,
                     *           "usd": null,
                     *           "unknown_usd": 1
                     *         }
                     *       ],
                     *       "levels": [
                     *         {
                     *           "level": "Low",
                     *           "count": 2,
                     *           "usd": "1500.5",
                     *           "unknown_usd": 0
                     *         }
                     *       ],
                     *       "held": {
                     *         "count": 1,
                     *         "usd": null,
                     *         "unknown_usd": 1
                     *       },
                     *       "counterparties": [
                     *         {
                     *           "address": "0x28c6c06298d514db089934071355e5743bf21d60",
                     *           "count": 2,
                     *           "usd": "1500.5",
                     *           "unknown_usd": 0
                     *         }
                     *       ],
                     *       "open_reviews": 1,
                     *       "first_requested_at": "2026-01-30T09:12:23.000Z",
                     *       "last_requested_at": "2026-01-31T09:12:23.000Z"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    readonly get_address: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description In any form of its chain.
                 * @example 0x098b716b8aaf21512996dc57eb0615e2383e2f96
                 */
                readonly address: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The address. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "address": "0x098b716b8aaf21512996dc57eb0615e2383e2f96",
                     *       "transfers": {
                     *         "count": 2,
                     *         "usd": "1500.5",
                     *         "unknown_usd": 0
                     *       },
                     *       "is_complete": true,
                     *       "sides": [
                     *         {
                     *           "side": "from",
                     *           "count": 2,
                     *           "usd": "1500.5",
                     *           "unknown_usd": 0
                     *         }
                     *       ],
                     *       "counterparties": [
                     *         {
                     *           "address": "0x28c6c06298d514db089934071355e5743bf21d60",
                     *           "count": 2,
                     *           "usd": "1500.5",
                     *           "unknown_usd": 0
                     *         }
                     *       ],
                     *       "customers": [
                     *         {
                     *           "user_id": "u-1",
                     *           "count": 2,
                     *           "usd": "1500.5",
                     *           "unknown_usd": 0
                     *         }
                     *       ],
                     *       "actions": [
                     *         {
                     *           "action": "allow",
                     *           "count": 2,
                     *           "usd": "1500.5",
                     *           "unknown_usd": 0
                     *         }
                     *       ],
                     *       "levels": [
                     *         {
                     *           "level": "Low",
                     *           "count": 2,
                     *           "usd": "1500.5",
                     *           "unknown_usd": 0
                     *         }
                     *       ],
                     *       "days": [
                     *         {
                     *           "day": "2026-01-31",
                     *           "levels": [
                     *             {
                     *               "level": "Low",
                     *               "count": 2,
                     *               "usd": "1500.5",
                     *               "unknown_usd": 0
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "first_requested_at": "2026-01-31T09:12:23.000Z",
                     *       "last_requested_at": "2026-01-31T10:12:23.000Z"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Address"];
                };
            };
        };
    };
    readonly get_statistics: {
        readonly parameters: {
            readonly query?: {
                /** @description Requested at this time (RFC 3339) or later. Left out: the hour 7 days before until. */
                readonly since?: string;
                /** @description Requested before this time (RFC 3339). Left out: now. */
                readonly until?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Largest groups first, days in order. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "since": "2026-01-31T00:00:00.000Z",
                     *       "until": "2026-02-01T00:00:00.000Z",
                     *       "days": [
                     *         {
                     *           "day": "2026-01-31",
                     *           "count": 2,
                     *           "usd": "1500.5",
                     *           "unknown_usd": 0,
                     *           "allow": 2,
                     *           "review": 0,
                     *           "block": 0,
                     *           "undecided": 0
                     *         }
                     *       ],
                     *       "actions": [
                     *         {
                     *           "action": "allow",
                     *           "count": 2,
                     *           "usd": "1500.5",
                     *           "unknown_usd": 0
                     *         }
                     *       ],
                     *       "levels": [
                     *         {
                     *           "level": "Low",
                     *           "count": 2,
                     *           "usd": "1500.5",
                     *           "unknown_usd": 0
                     *         }
                     *       ],
                     *       "rules": [
                     *         {
                     *           "rule": null,
                     *           "count": 2,
                     *           "usd": "1500.5",
                     *           "unknown_usd": 0
                     *         }
                     *       ],
                     *       "coins": [
                     *         {
                     *           "coin": "ETH",
                     *           "count": 2,
                     *           "usd": "1500.5",
                     *           "unknown_usd": 0
                     *         }
                     *       ],
                     *       "holds": {
                     *         "ended": 1,
                     *         "open": 0,
                     *         "median_seconds": 600,
                     *         "p95_seconds": 600,
                     *         "longest_seconds": 600
                     *       },
                     *       "held_by": [
                     *         {
                     *           "rule": "large",
                     *           "held": 1,
                     *           "decided": 1,
                     *           "allowed": 1,
                     *           "false_positive_rate": 1
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Statistics"];
                };
            };
        };
    };
    readonly export_statistics: {
        readonly parameters: {
            readonly query?: {
                /** @description Requested at this time (RFC 3339) or later. Left out: the hour 7 days before until. */
                readonly since?: string;
                /** @description Requested before this time (RFC 3339). Left out: now. */
                readonly until?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One line for each. */
            readonly 200: {
                headers: {
                    /** @description `true` if there are more than 10,000. */
                    readonly "X-Weir-Cut"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    /** @example day,count,usd,unknown_usd,allow,review,block,undecided */
                    readonly "text/csv": string;
                };
            };
        };
    };
    readonly export_held_by: {
        readonly parameters: {
            readonly query?: {
                /** @description Requested at this time (RFC 3339) or later. Left out: the hour 7 days before until. */
                readonly since?: string;
                /** @description Requested before this time (RFC 3339). Left out: now. */
                readonly until?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One line for each. */
            readonly 200: {
                headers: {
                    /** @description `true` if there are more than 10,000. */
                    readonly "X-Weir-Cut"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    /** @example rule,held,decided,allowed,false_positive_rate */
                    readonly "text/csv": string;
                };
            };
        };
    };
    readonly list_cases: {
        readonly parameters: {
            readonly query?: {
                readonly state?: "open" | "closed";
                /** @description A name, or none. */
                readonly assignee?: string;
                /** @description filed: reported to the authority. */
                readonly outcome?: "true_positive" | "false_positive" | "filed";
                /** @description true: found open past its due time. */
                readonly escalated?: "true";
                /** @description overdue, or a time (RFC 3339) before which it is due. */
                readonly due?: "overdue" | string;
                /** @description The next_cursor of an earlier answer. Left out: the first page. */
                readonly cursor?: string;
                /** @description Items in the answer; more than 200 are not given at once. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "case_id": "0b7e3a52-5d0c-4a55-9a0e-6a6d1d0f3c11",
                     *           "state": "open",
                     *           "opened_at": "2026-01-31T09:12:25.000Z",
                     *           "keys": [
                     *             "user:u-1",
                     *             "counterparty:0xd90e2f925da726b50c4ed8d0fb90ad053324f31b",
                     *             "entity:Tornado.Cash"
                     *           ],
                     *           "holds": 1,
                     *           "waiting": 1,
                     *           "usd": "0",
                     *           "unknown_usd": 1,
                     *           "assignee": "Reviewer",
                     *           "due_at": "2026-02-01T09:12:25.000Z",
                     *           "escalated_at": null,
                     *           "outcome": null,
                     *           "outcome_reason": null,
                     *           "outcome_by": null,
                     *           "outcome_at": null
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["Case"][];
                        /** @description Null on the last page. Any other page may be short, or empty. */
                        readonly next_cursor: string | null;
                    };
                };
            };
        };
    };
    readonly get_case: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description UUID.
                 * @example 0b7e3a52-5d0c-4a55-9a0e-6a6d1d0f3c11
                 */
                readonly case_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The case. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "case_id": "0b7e3a52-5d0c-4a55-9a0e-6a6d1d0f3c11",
                     *       "state": "open",
                     *       "opened_at": "2026-01-31T09:12:25.000Z",
                     *       "keys": [
                     *         "user:u-1",
                     *         "counterparty:0xd90e2f925da726b50c4ed8d0fb90ad053324f31b",
                     *         "entity:Tornado.Cash"
                     *       ],
                     *       "holds": 1,
                     *       "waiting": 1,
                     *       "usd": "0",
                     *       "unknown_usd": 1,
                     *       "assignee": "Reviewer",
                     *       "due_at": "2026-02-01T09:12:25.000Z",
                     *       "escalated_at": null,
                     *       "outcome": null,
                     *       "outcome_reason": null,
                     *       "outcome_by": null,
                     *       "outcome_at": null,
                     *       "screenings": [
                     *         {
                     *           "screening_id": "5c1a4a0e-9a1f-5f0e-8f59-5b1d2a7c9e10",
                     *           "kind": "deposit",
                     *           "action": "review",
                     *           "level": "High",
                     *           "coin": "ETH",
                     *           "amount": "1.5",
                     *           "usd_value": null,
                     *           "user_id": "u-1",
                     *           "counterparty": "0xd90e2f925da726b50c4ed8d0fb90ad053324f31b",
                     *           "requested_at": "2026-01-31T09:12:23.000Z",
                     *           "added_at": "2026-01-31T09:12:25.000Z"
                     *         }
                     *       ],
                     *       "notes": [],
                     *       "attachments": [
                     *         {
                     *           "attachment_id": "6f3a4c1e-2b7d-5e90-8c14-9d2e7b5a1f36",
                     *           "name": "statement.pdf",
                     *           "type": "application/pdf",
                     *           "bytes": 48211,
                     *           "sha256": "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9",
                     *           "attached_by": {
                     *             "id": "reviewer:1f2e3d4c5b6a7980",
                     *             "name": "Reviewer"
                     *           },
                     *           "attached_at": "2026-01-31T10:05:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["CaseDetail"];
                };
            };
        };
    };
    readonly export_cases: {
        readonly parameters: {
            readonly query?: {
                readonly state?: "open" | "closed";
                /** @description A name, or none. */
                readonly assignee?: string;
                /** @description filed: reported to the authority. */
                readonly outcome?: "true_positive" | "false_positive" | "filed";
                /** @description true: found open past its due time. */
                readonly escalated?: "true";
                /** @description overdue, or a time (RFC 3339) before which it is due. */
                readonly due?: "overdue" | string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One line for each. */
            readonly 200: {
                headers: {
                    /** @description `true` if there are more than 10,000. */
                    readonly "X-Weir-Cut"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    /** @example case_id,state */
                    readonly "text/csv": string;
                };
            };
        };
    };
    readonly add_case_note: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description UUID.
                 * @example 0b7e3a52-5d0c-4a55-9a0e-6a6d1d0f3c11
                 */
                readonly case_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "text": "All of them come from one exchange."
                 *     }
                 */
                readonly "application/json": {
                    readonly text: string;
                };
            };
        };
        readonly responses: {
            /** @description The same person has written the same before. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "note_id": "3f2b6a0e-6a1d-5c7e-9b43-2d8e4f5a6b7c"
                     *     }
                     */
                    readonly "application/json": {
                        /** Format: uuid */
                        readonly note_id: string;
                    };
                };
            };
            /** @description Added. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "note_id": "3f2b6a0e-6a1d-5c7e-9b43-2d8e4f5a6b7c"
                     *     }
                     */
                    readonly "application/json": {
                        /** Format: uuid */
                        readonly note_id: string;
                    };
                };
            };
        };
    };
    readonly set_case_assignee: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description UUID.
                 * @example 0b7e3a52-5d0c-4a55-9a0e-6a6d1d0f3c11
                 */
                readonly case_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "assignee": "Reviewer"
                 *     }
                 */
                readonly "application/json": {
                    readonly assignee: string | null;
                    /** @description Who has it as far as the caller knows. Left out: whoever it is. */
                    readonly expected_assignee?: string | null;
                };
            };
        };
        readonly responses: {
            /** @description The case as it is now. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "case_id": "0b7e3a52-5d0c-4a55-9a0e-6a6d1d0f3c11",
                     *       "state": "open",
                     *       "opened_at": "2026-01-31T09:12:25.000Z",
                     *       "keys": [
                     *         "user:u-1",
                     *         "counterparty:0xd90e2f925da726b50c4ed8d0fb90ad053324f31b",
                     *         "entity:Tornado.Cash"
                     *       ],
                     *       "holds": 1,
                     *       "waiting": 1,
                     *       "usd": "0",
                     *       "unknown_usd": 1,
                     *       "assignee": "Reviewer",
                     *       "due_at": "2026-02-01T09:12:25.000Z",
                     *       "escalated_at": null,
                     *       "outcome": null,
                     *       "outcome_reason": null,
                     *       "outcome_by": null,
                     *       "outcome_at": null
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Case"];
                };
            };
        };
    };
    readonly set_case_due: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description UUID.
                 * @example 0b7e3a52-5d0c-4a55-9a0e-6a6d1d0f3c11
                 */
                readonly case_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "due_at": "2026-02-02T09:00:00Z"
                 *     }
                 */
                readonly "application/json": {
                    readonly due_at: string | null;
                };
            };
        };
        readonly responses: {
            /** @description The case as it is now. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "case_id": "0b7e3a52-5d0c-4a55-9a0e-6a6d1d0f3c11",
                     *       "state": "open",
                     *       "opened_at": "2026-01-31T09:12:25.000Z",
                     *       "keys": [
                     *         "user:u-1",
                     *         "counterparty:0xd90e2f925da726b50c4ed8d0fb90ad053324f31b",
                     *         "entity:Tornado.Cash"
                     *       ],
                     *       "holds": 1,
                     *       "waiting": 1,
                     *       "usd": "0",
                     *       "unknown_usd": 1,
                     *       "assignee": "Reviewer",
                     *       "due_at": "2026-02-01T09:12:25.000Z",
                     *       "escalated_at": null,
                     *       "outcome": null,
                     *       "outcome_reason": null,
                     *       "outcome_by": null,
                     *       "outcome_at": null
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Case"];
                };
            };
        };
    };
    readonly set_case_outcome: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description UUID.
                 * @example 0b7e3a52-5d0c-4a55-9a0e-6a6d1d0f3c11
                 */
                readonly case_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "outcome": "false_positive",
                 *       "reason": "The label was of another address."
                 *     }
                 */
                readonly "application/json": {
                    readonly outcome: ("true_positive" | "false_positive" | "filed") | null;
                    readonly reason: string;
                };
            };
        };
        readonly responses: {
            /** @description The case as it is now. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "case_id": "0b7e3a52-5d0c-4a55-9a0e-6a6d1d0f3c11",
                     *       "state": "open",
                     *       "opened_at": "2026-01-31T09:12:25.000Z",
                     *       "keys": [
                     *         "user:u-1",
                     *         "counterparty:0xd90e2f925da726b50c4ed8d0fb90ad053324f31b",
                     *         "entity:Tornado.Cash"
                     *       ],
                     *       "holds": 1,
                     *       "waiting": 1,
                     *       "usd": "0",
                     *       "unknown_usd": 1,
                     *       "assignee": "Reviewer",
                     *       "due_at": "2026-02-01T09:12:25.000Z",
                     *       "escalated_at": null,
                     *       "outcome": null,
                     *       "outcome_reason": null,
                     *       "outcome_by": null,
                     *       "outcome_at": null
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Case"];
                };
            };
        };
    };
    readonly add_attachment: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description UUID.
                 * @example 0b7e3a52-5d0c-4a55-9a0e-6a6d1d0f3c11
                 */
                readonly case_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "name": "statement.txt",
                 *       "content_base64": "U3RhdGVtZW50IG9mIHRoZSBjdXN0b21lci4K"
                 *     }
                 */
                readonly "application/json": {
                    readonly name: string;
                    /** Format: base64 */
                    readonly content_base64: string;
                };
            };
        };
        readonly responses: {
            /** @description The case has this content already. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "attachment_id": "6f3a4c1e-2b7d-5e90-8c14-9d2e7b5a1f36",
                     *       "name": "statement.pdf",
                     *       "type": "application/pdf",
                     *       "bytes": 48211,
                     *       "sha256": "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9",
                     *       "attached_by": {
                     *         "id": "reviewer:1f2e3d4c5b6a7980",
                     *         "name": "Reviewer"
                     *       },
                     *       "attached_at": "2026-01-31T10:05:00.000Z"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Attachment"];
                };
            };
            /** @description Attached. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "attachment_id": "6f3a4c1e-2b7d-5e90-8c14-9d2e7b5a1f36",
                     *       "name": "statement.pdf",
                     *       "type": "application/pdf",
                     *       "bytes": 48211,
                     *       "sha256": "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9",
                     *       "attached_by": {
                     *         "id": "reviewer:1f2e3d4c5b6a7980",
                     *         "name": "Reviewer"
                     *       },
                     *       "attached_at": "2026-01-31T10:05:00.000Z"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Attachment"];
                };
            };
        };
    };
    readonly get_attachment: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description UUID.
                 * @example 0b7e3a52-5d0c-4a55-9a0e-6a6d1d0f3c11
                 */
                readonly case_id: string;
                /**
                 * @description UUID.
                 * @example 6f3a4c1e-2b7d-5e90-8c14-9d2e7b5a1f36
                 */
                readonly attachment_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The bytes, to be saved. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /** @example Statement of the customer. */
                    readonly "application/octet-stream": string;
                };
            };
        };
    };
    readonly list_saved_views: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description By list and name. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "list": "reviews",
                     *           "name": "Large, mine",
                     *           "filter": {
                     *             "assignee": "Reviewer",
                     *             "min_usd": "10000"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["SavedView"][];
                    };
                };
            };
        };
    };
    readonly save_view: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The list that is filtered.
                 * @example reviews
                 */
                readonly list: "reviews" | "screenings" | "cases";
                /**
                 * @description The name of the view.
                 * @example Large, mine
                 */
                readonly name: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "filter": {
                 *         "assignee": "Reviewer",
                 *         "min_usd": "10000"
                 *       }
                 *     }
                 */
                readonly "application/json": {
                    /** @description Parameters of the list. */
                    readonly filter: {
                        readonly [key: string]: string;
                    };
                };
            };
        };
        readonly responses: {
            /** @description Kept. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "list": "reviews",
                     *       "name": "Large, mine",
                     *       "filter": {
                     *         "assignee": "Reviewer",
                     *         "min_usd": "10000"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["SavedView"];
                };
            };
        };
    };
    readonly remove_saved_view: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The list that is filtered.
                 * @example reviews
                 */
                readonly list: "reviews" | "screenings" | "cases";
                /**
                 * @description The name of the view.
                 * @example Large, mine
                 */
                readonly name: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The view as it was. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "list": "reviews",
                     *       "name": "Large, mine",
                     *       "filter": {
                     *         "assignee": "Reviewer",
                     *         "min_usd": "10000"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["SavedView"];
                };
            };
        };
    };
    readonly get_screening_report: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description UUID.
                 * @example 5c1a4a0e-9a1f-5f0e-8f59-5b1d2a7c9e10
                 */
                readonly screening_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The report. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /** @example %PDF-1.3 */
                    readonly "application/pdf": string;
                };
            };
        };
    };
    readonly export_review: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description UUID.
                 * @example 5c1a4a0e-9a1f-5f0e-8f59-5b1d2a7c9e10
                 */
                readonly screening_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The case file. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /** @example PK */
                    readonly "application/zip": string;
                };
            };
        };
    };
    readonly list_labels: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description On whatever chain.
                 * @example 0x098b716b8aaf21512996dc57eb0615e2383e2f96
                 */
                readonly address?: string;
                /**
                 * @description The name of a source.
                 * @example our own research
                 */
                readonly source?: string;
                /** @description Items in the answer; more than 200 are not given at once. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description By chain and address. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "chain": "ethereum",
                     *           "address": "0x098b716b8aaf21512996dc57eb0615e2383e2f96",
                     *           "name": "Lazarus Group",
                     *           "category": "sanctioned",
                     *           "source": "our own research",
                     *           "source_kind": "curated",
                     *           "confidence": 0.9,
                     *           "valid_from": null,
                     *           "valid_to": null
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["Label"][];
                    };
                };
            };
        };
    };
    readonly export_labels: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description On whatever chain.
                 * @example 0x098b716b8aaf21512996dc57eb0615e2383e2f96
                 */
                readonly address?: string;
                /**
                 * @description The name of a source.
                 * @example our own research
                 */
                readonly source?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One line for each. */
            readonly 200: {
                headers: {
                    /** @description `true` if there are more than 10,000. */
                    readonly "X-Weir-Cut"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    /** @example chain,address */
                    readonly "text/csv": string;
                };
            };
        };
    };
    readonly list_label_sources: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The largest source first. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sources": [
                     *         {
                     *           "source": "our own research",
                     *           "source_kind": "curated",
                     *           "labels": 12,
                     *           "in_force": 11,
                     *           "imported_at": "2026-01-30T08:00:00.000Z"
                     *         }
                     *       ],
                     *       "lists": [
                     *         {
                     *           "name": "ofac-sdn",
                     *           "labels": 700,
                     *           "checked_at": "2026-01-31T06:00:00.000Z",
                     *           "changed_at": "2026-01-28T06:00:00.000Z",
                     *           "next_at": "2026-01-31T12:00:00.000Z",
                     *           "failures": 0,
                     *           "error": null
                     *         }
                     *       ],
                     *       "conflicts": [
                     *         {
                     *           "chain": "ethereum",
                     *           "address": "0x098b716b8aaf21512996dc57eb0615e2383e2f96",
                     *           "standing": "accusation",
                     *           "service": {
                     *             "categories": [
                     *               "exchange"
                     *             ],
                     *             "sources": [
                     *               "a crawl"
                     *             ]
                     *           },
                     *           "accusation": {
                     *             "categories": [
                     *               "sanctioned"
                     *             ],
                     *             "sources": [
                     *               "OFAC SDN"
                     *             ]
                     *           }
                     *         }
                     *       ],
                     *       "read_at": "2026-01-31T09:12:00.000Z"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["LabelSources"];
                };
            };
        };
    };
    readonly list_label_changes: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Newest first. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "change_id": 7,
                     *           "action": "end",
                     *           "labels": 1,
                     *           "source": "our own research",
                     *           "addresses": [
                     *             "0x098b716b8aaf21512996dc57eb0615e2383e2f96"
                     *           ],
                     *           "category": null,
                     *           "import": null,
                     *           "person": "Ann",
                     *           "reason": "The listing was lifted.",
                     *           "changed_at": "2026-01-31T09:12:30.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["LabelChange"][];
                    };
                };
            };
        };
    };
    readonly export_label_changes: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One line for each. */
            readonly 200: {
                headers: {
                    /** @description `true` if there are more than 10,000. */
                    readonly "X-Weir-Cut"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    /** @example change_id,action */
                    readonly "text/csv": string;
                };
            };
        };
    };
    readonly list_chain_freshness: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description By chain. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "chain": "ethereum",
                     *           "labels": 700,
                     *           "labels_age_seconds": 10800,
                     *           "transfers": 120000,
                     *           "transfers_age_seconds": 24,
                     *           "lag": {
                     *             "blocks": 0,
                     *             "age_seconds": 12
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["ChainFreshness"][];
                    };
                };
            };
        };
    };
    readonly list_label_requests: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Newest first. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "request_id": "7d0f2f3e-0f5c-4a35-9c6b-2f3a1f6f7a10",
                     *           "action": "end",
                     *           "state": "waiting",
                     *           "chain": null,
                     *           "address": "0x098b716b8aaf21512996dc57eb0615e2383e2f96",
                     *           "name": null,
                     *           "category": null,
                     *           "source": "our own research",
                     *           "ended_at": null,
                     *           "reason": "The listing was lifted.",
                     *           "requested_by": "Ann",
                     *           "requested_at": "2026-01-31T09:12:00.000Z",
                     *           "answered_by": null,
                     *           "answered_at": null,
                     *           "settled_at": null,
                     *           "labels": null,
                     *           "failure": null
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["LabelRequest"][];
                    };
                };
            };
        };
    };
    readonly request_label_change: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "action": "end",
                 *       "address": "0x098b716b8aaf21512996dc57eb0615e2383e2f96",
                 *       "source": "our own research",
                 *       "reason": "The listing was lifted."
                 *     }
                 */
                readonly "application/json": {
                    /** @constant */
                    readonly action: "add";
                    /** @enum {string} */
                    readonly chain: "ethereum" | "bsc" | "polygon" | "arbitrum" | "optimism" | "base" | "avalanche" | "ethereum-classic" | "zksync" | "linea" | "scroll" | "mantle" | "opbnb" | "sonic" | "merlin" | "hashkey" | "iotex" | "tron" | "bitcoin" | "litecoin" | "dogecoin" | "bitcoin-cash" | "solana" | "ripple" | "stellar" | "ton" | "polkadot" | "cardano" | "cosmos" | "near" | "aptos" | "sui";
                    readonly address: string;
                    readonly name: string;
                    /** @enum {string} */
                    readonly category: "sanctioned" | "terrorism" | "theft" | "ransom" | "phishing" | "darknet" | "scam" | "illicit" | "mixer" | "risk_exchange" | "gambling" | "bridge" | "exchange" | "defi" | "nft" | "service" | "token" | "ordinary";
                    readonly source: string;
                    readonly reason: string;
                } | {
                    /** @constant */
                    readonly action: "end";
                    readonly address: string;
                    readonly source: string;
                    /** @enum {string} */
                    readonly category?: "sanctioned" | "terrorism" | "theft" | "ransom" | "phishing" | "darknet" | "scam" | "illicit" | "mixer" | "risk_exchange" | "gambling" | "bridge" | "exchange" | "defi" | "nft" | "service" | "token" | "ordinary";
                    /** Format: date-time */
                    readonly ended_at?: string;
                    readonly reason: string;
                } | {
                    /** @constant */
                    readonly action: "withdraw";
                    readonly source: string;
                    readonly reason: string;
                };
            };
        };
        readonly responses: {
            /** @description Stored. It waits for another person. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "request_id": "7d0f2f3e-0f5c-4a35-9c6b-2f3a1f6f7a10",
                     *       "action": "end",
                     *       "state": "waiting",
                     *       "chain": null,
                     *       "address": "0x098b716b8aaf21512996dc57eb0615e2383e2f96",
                     *       "name": null,
                     *       "category": null,
                     *       "source": "our own research",
                     *       "ended_at": null,
                     *       "reason": "The listing was lifted.",
                     *       "requested_by": "Ann",
                     *       "requested_at": "2026-01-31T09:12:00.000Z",
                     *       "answered_by": null,
                     *       "answered_at": null,
                     *       "settled_at": null,
                     *       "labels": null,
                     *       "failure": null
                     *     }
                     */
                    readonly "application/json": components["schemas"]["LabelRequest"];
                };
            };
        };
    };
    readonly answer_label_request: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description UUID.
                 * @example 7d0f2f3e-0f5c-4a35-9c6b-2f3a1f6f7a10
                 */
                readonly request_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "approve": true
                 *     }
                 */
                readonly "application/json": {
                    readonly approve: boolean;
                };
            };
        };
        readonly responses: {
            /** @description Answered. An approved change is applied within seconds. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "request_id": "7d0f2f3e-0f5c-4a35-9c6b-2f3a1f6f7a10",
                     *       "action": "end",
                     *       "state": "approved",
                     *       "chain": null,
                     *       "address": "0x098b716b8aaf21512996dc57eb0615e2383e2f96",
                     *       "name": null,
                     *       "category": null,
                     *       "source": "our own research",
                     *       "ended_at": null,
                     *       "reason": "The listing was lifted.",
                     *       "requested_by": "Ann",
                     *       "requested_at": "2026-01-31T09:12:00.000Z",
                     *       "answered_by": "Ben",
                     *       "answered_at": "2026-01-31T09:12:20.000Z",
                     *       "settled_at": null,
                     *       "labels": null,
                     *       "failure": null
                     *     }
                     */
                    readonly "application/json": components["schemas"]["LabelRequest"];
                };
            };
        };
    };
    readonly list_dead_letters: {
        readonly parameters: {
            readonly query?: {
                /** @description Left out: every topic. */
                readonly topic?: "deposits.detected" | "withdrawals.requested" | "screenings.requested" | "screenings.scored" | "reviews.resolved" | "screenings.decided" | "labels.changed" | "activities.recorded";
                /** @description The next_cursor of an earlier answer. Left out: the first page. */
                readonly cursor?: string;
                /** @description Items in the answer; more than 200 are not given at once. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "topic": "deposits.detected",
                     *           "offset": "0",
                     *           "reason": "UNDECODABLE",
                     *           "detail": "the record has no schema number",
                     *           "key": "deposit-1",
                     *           "at": "2026-01-31T09:12:24.100Z",
                     *           "bytes": 2
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["DeadLetter"][];
                        /** @description Null on the last page. Any other page may be short, or empty. */
                        readonly next_cursor: string | null;
                    };
                };
            };
        };
    };
    readonly export_dead_letters: {
        readonly parameters: {
            readonly query?: {
                /** @description Left out: every topic. */
                readonly topic?: "deposits.detected" | "withdrawals.requested" | "screenings.requested" | "screenings.scored" | "reviews.resolved" | "screenings.decided" | "labels.changed" | "activities.recorded";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One line for each. */
            readonly 200: {
                headers: {
                    /** @description `true` if there are more than 10,000. */
                    readonly "X-Weir-Cut"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    /** @example topic,offset */
                    readonly "text/csv": string;
                };
            };
        };
    };
    readonly get_dead_letter: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The topic that the record came from.
                 * @example deposits.detected
                 */
                readonly topic: string;
                /**
                 * @description In the dead letter topic; `PARTITION:OFFSET` in a partition other than 0.
                 * @example 0
                 */
                readonly offset: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The dead letter. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "topic": "deposits.detected",
                     *       "offset": "0",
                     *       "reason": "UNDECODABLE",
                     *       "detail": "the record has no schema number",
                     *       "key": "deposit-1",
                     *       "at": "2026-01-31T09:12:24.100Z",
                     *       "bytes": 2,
                     *       "came_from": {
                     *         "partition": 1,
                     *         "offset": 17
                     *       },
                     *       "headers": {
                     *         "ce_type": "deposits.detected"
                     *       },
                     *       "value_base64": "e30=",
                     *       "data": null
                     *     }
                     */
                    readonly "application/json": components["schemas"]["DeadLetterDetail"];
                };
            };
        };
    };
    readonly replay_dead_letter: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The topic that the record came from.
                 * @example deposits.detected
                 */
                readonly topic: string;
                /**
                 * @description In the dead letter topic; `PARTITION:OFFSET` in a partition other than 0.
                 * @example 0
                 */
                readonly offset: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Published. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "topic": "deposits.detected",
                     *       "offset": "0"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["ReplayedDeadLetter"];
                };
            };
        };
    };
    readonly list_people: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The last seen first. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "person_id": "reviewer:8796a5b4c3d2e1f0",
                     *           "name": "Reviewer",
                     *           "role": "reviewer",
                     *           "signs_in_by": "token",
                     *           "last_seen_at": "2026-01-31T09:12:00.000Z",
                     *           "acts": 12,
                     *           "is_own": false
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["KnownPerson"][];
                    };
                };
            };
        };
    };
    readonly list_assignees: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description By name. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "name": "Reviewer"
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["Assignee"][];
                    };
                };
            };
        };
    };
    readonly list_acts: {
        readonly parameters: {
            readonly query?: {
                /** @description Items in the answer; more than 200 are not given at once. */
                readonly limit?: number;
                /** @description The next_cursor of an earlier answer. Left out: the first page. */
                readonly cursor?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The newest first. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "activity_id": "0c6f1d7e-6a34-4f0c-9d1c-2f6f0b1f4a55",
                     *           "action": "key_revoked",
                     *           "subject_type": "key",
                     *           "subject": "0f1e2d3c4b5a6978",
                     *           "person": {
                     *             "id": "admin:0a1b2c3d4e5f6071",
                     *             "name": "Administrator"
                     *           },
                     *           "details": [
                     *             {
                     *               "name": "reason",
                     *               "value": "lost"
                     *             }
                     *           ],
                     *           "recorded_at": "2026-01-31T09:12:24.100Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["Act"][];
                        /** @description Null on the last page. Any other page may be short, or empty. */
                        readonly next_cursor: string | null;
                    };
                };
            };
        };
    };
    readonly export_activities: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One line for each. */
            readonly 200: {
                headers: {
                    /** @description `true` if there are more than 10,000. */
                    readonly "X-Weir-Cut"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    /** @example recorded_at,person_id,person_name,action,subject_type,subject,details,activity_id */
                    readonly "text/csv": string;
                };
            };
        };
    };
    readonly list_tokens: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The oldest first. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "token_id": "0f1e2d3c4b5a6978",
                     *           "role": "ingest",
                     *           "name": "deposit watcher",
                     *           "created_at": "2026-01-31T09:12:24.100Z",
                     *           "revoked_at": null,
                     *           "per_second": null,
                     *           "per_day": null,
                     *           "is_own": false
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["Token"][];
                    };
                };
            };
        };
    };
    readonly revoke_token: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description 16 hex digits.
                 * @example 0f1e2d3c4b5a6978
                 */
                readonly token_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "reason": "lost"
                 *     }
                 */
                readonly "application/json": {
                    readonly reason: string;
                };
            };
        };
        readonly responses: {
            /** @description The token. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "token_id": "0f1e2d3c4b5a6978",
                     *       "role": "ingest",
                     *       "name": "deposit watcher",
                     *       "created_at": "2026-01-31T09:12:24.100Z",
                     *       "revoked_at": "2026-01-31T10:00:00.000Z",
                     *       "per_second": null,
                     *       "per_day": null,
                     *       "is_own": false
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Token"];
                };
            };
        };
    };
    readonly list_sessions: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The last used first. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "session_id": "8796a5b4c3d2e1f0",
                     *           "role": "reviewer",
                     *           "name": "Reviewer",
                     *           "begun_at": "2026-01-31T09:00:00.000Z",
                     *           "used_at": "2026-01-31T09:12:00.000Z",
                     *           "ends_at": "2026-01-31T21:00:00.000Z",
                     *           "is_own": false
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["LiveSession"][];
                    };
                };
            };
        };
    };
    readonly end_other_session: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description 16 hex digits.
                 * @example 8796a5b4c3d2e1f0
                 */
                readonly session_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The session as it was. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "session_id": "8796a5b4c3d2e1f0",
                     *       "role": "reviewer",
                     *       "name": "Reviewer",
                     *       "begun_at": "2026-01-31T09:00:00.000Z",
                     *       "used_at": "2026-01-31T09:12:00.000Z",
                     *       "ends_at": "2026-01-31T21:00:00.000Z",
                     *       "is_own": false
                     *     }
                     */
                    readonly "application/json": components["schemas"]["LiveSession"];
                };
            };
        };
    };
    readonly list_group_roles: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Whoever is in several groups has the first role. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "claim": "groups",
                     *       "items": [
                     *         {
                     *           "group": "compliance-leads",
                     *           "role": "approver"
                     *         },
                     *         {
                     *           "group": "compliance",
                     *           "role": "reviewer"
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["GroupRoles"];
                };
            };
        };
    };
    readonly list_settings: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description By name of the process. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "process": "scoring",
                     *           "since": "2026-01-31T09:12:24.100Z",
                     *           "settings": [
                     *             {
                     *               "name": "WEIR_UPSTREAM_PER_SECOND",
                     *               "value": "20"
                     *             }
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["ProcessSettings"][];
                    };
                };
            };
        };
    };
    readonly get_system_health: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description This process first, then those whose addresses are set. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "service": "console",
                     *           "state": "ready",
                     *           "unavailable": [],
                     *           "degraded": [],
                     *           "warnings": []
                     *         },
                     *         {
                     *           "service": "scoring",
                     *           "state": "not_ready",
                     *           "unavailable": [
                     *             "database"
                     *           ],
                     *           "degraded": [],
                     *           "warnings": []
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["PartHealth"][];
                    };
                };
            };
        };
    };
    readonly stream_events: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description Which events: of screening, review, case, policy, label, health, with commas between. Left out: screening.
                 * @example screening,review
                 */
                readonly type?: string;
                readonly kind?: "deposit" | "withdrawal";
                readonly action?: "block" | "review" | "allow";
                /** @description That the decision used. */
                readonly level?: "Low" | "Moderate" | "High" | "Severe";
            };
            readonly header?: {
                /** @description The id of the last event that the client has seen. */
                readonly "Last-Event-ID"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Events until the client leaves. A comment every 15 seconds keeps the connection; it has the id that the stream has reached. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example event: screening.decided
                     *     id: 7.0.3
                     *     data: {"type":"screening.decided"}
                     */
                    readonly "text/event-stream": string;
                };
            };
        };
    };
    readonly list_deliveries: {
        readonly parameters: {
            readonly query?: {
                readonly state?: "pending" | "delivered" | "failed";
                /** @description The next_cursor of an earlier answer. Left out: the first page. */
                readonly cursor?: string;
                /** @description Items in the answer; more than 200 are not given at once. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "event_id": "0b7f9a52-2f5e-5c3d-9c58-7d1f6a1e2b3c",
                     *           "screening_id": "5c1a4a0e-9a1f-5f0e-8f59-5b1d2a7c9e10",
                     *           "revision": 1,
                     *           "state": "pending",
                     *           "attempts": 1,
                     *           "created_at": "2026-01-31T09:12:24.100Z",
                     *           "next_at": "2026-01-31T09:12:29.000Z",
                     *           "attempted_at": "2026-01-31T09:12:24.200Z",
                     *           "settled_at": null,
                     *           "last_status": 502,
                     *           "last_error": null
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["Delivery"][];
                        /** @description Null on the last page. Any other page may be short, or empty. */
                        readonly next_cursor: string | null;
                    };
                };
            };
        };
    };
    readonly export_deliveries: {
        readonly parameters: {
            readonly query?: {
                readonly state?: "pending" | "delivered" | "failed";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One line for each. */
            readonly 200: {
                headers: {
                    /** @description `true` if there are more than 10,000. */
                    readonly "X-Weir-Cut"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    /** @example event_id,screening_id */
                    readonly "text/csv": string;
                };
            };
        };
    };
    readonly get_delivery: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description UUID.
                 * @example 0b7f9a52-2f5e-5c3d-9c58-7d1f6a1e2b3c
                 */
                readonly event_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The delivery. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "event_id": "0b7f9a52-2f5e-5c3d-9c58-7d1f6a1e2b3c",
                     *       "screening_id": "5c1a4a0e-9a1f-5f0e-8f59-5b1d2a7c9e10",
                     *       "revision": 1,
                     *       "state": "pending",
                     *       "attempts": 1,
                     *       "created_at": "2026-01-31T09:12:24.100Z",
                     *       "next_at": "2026-01-31T09:12:29.000Z",
                     *       "attempted_at": "2026-01-31T09:12:24.200Z",
                     *       "settled_at": null,
                     *       "last_status": 502,
                     *       "last_error": null,
                     *       "body": "{}"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["DeliveryDetail"];
                };
            };
        };
    };
    readonly retry_delivery: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description UUID.
                 * @example 0b7f9a52-2f5e-5c3d-9c58-7d1f6a1e2b3c
                 */
                readonly event_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Due now, with all its attempts. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "event_id": "0b7f9a52-2f5e-5c3d-9c58-7d1f6a1e2b3c",
                     *       "screening_id": "5c1a4a0e-9a1f-5f0e-8f59-5b1d2a7c9e10",
                     *       "revision": 1,
                     *       "state": "pending",
                     *       "attempts": 1,
                     *       "created_at": "2026-01-31T09:12:24.100Z",
                     *       "next_at": "2026-01-31T09:12:29.000Z",
                     *       "attempted_at": "2026-01-31T09:12:24.200Z",
                     *       "settled_at": null,
                     *       "last_status": 502,
                     *       "last_error": null
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Delivery"];
                };
            };
        };
    };
    readonly list_chains_of_address: {
        readonly parameters: {
            readonly query: {
                /**
                 * @description In any form of its chain.
                 * @example 0x28c6c06298d514db089934071355e5743bf21d60
                 */
                readonly address: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description None: it is no address. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "chain": "ethereum",
                     *           "coin": "ETH"
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["AnalysableChain"][];
                    };
                };
            };
        };
    };
    readonly score_address: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "chain": "ethereum",
                 *       "address": "0x28c6c06298d514db089934071355e5743bf21d60"
                 *     }
                 */
                readonly "application/json": {
                    /**
                     * @description Of the address.
                     * @example ethereum
                     * @enum {string}
                     */
                    readonly chain: "ethereum" | "bsc" | "polygon" | "arbitrum" | "optimism" | "base" | "avalanche" | "ethereum-classic" | "zksync" | "linea" | "scroll" | "mantle" | "opbnb" | "sonic" | "merlin" | "hashkey" | "iotex" | "tron" | "bitcoin" | "litecoin" | "dogecoin" | "bitcoin-cash" | "solana" | "ripple" | "stellar" | "ton" | "polkadot" | "cardano" | "cosmos" | "near" | "aptos" | "sui";
                    /**
                     * @description In any form of its chain.
                     * @example 0x28c6c06298d514db089934071355e5743bf21d60
                     */
                    readonly address: string;
                };
            };
        };
        readonly responses: {
            /** @description The result, or the task that computes it. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "state": "done",
                     *       "outcome": "SCORED",
                     *       "score": 100,
                     *       "risk_level": "Severe",
                     *       "detail_list": [
                     *         "Sanctioned Entity"
                     *       ],
                     *       "risk_detail": [
                     *         {
                     *           "entity": "Lazarus Group",
                     *           "risk_type": "sanctioned_entity",
                     *           "exposure_type": "direct",
                     *           "hop_num": 1,
                     *           "volume": 1200,
                     *           "percent": 100,
                     *           "side": "in",
                     *           "counterparty": "0x098b716b8aaf21512996dc57eb0615e2383e2f96",
                     *           "path": []
                     *         }
                     *       ],
                     *       "grounds": {
                     *         "contributions": [
                     *           {
                     *             "key": "base",
                     *             "points": 3
                     *           },
                     *           {
                     *             "key": "in:direct:sanctioned",
                     *             "points": 97
                     *           }
                     *         ],
                     *         "counterfactuals": [
                     *           {
                     *             "without": "in:direct:sanctioned",
                     *             "score": 3,
                     *             "risk_level": "Low"
                     *           }
                     *         ]
                     *       },
                     *       "illicit_usd": 1200,
                     *       "address_label": "",
                     *       "hacking_event": "",
                     *       "scanned_at": "2026-01-31T09:12:24.000Z",
                     *       "provider": "risk.example"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["AnalysedScore"];
                };
            };
        };
    };
    readonly read_score_of_address: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description Of an earlier answer.
                 * @example task-1
                 */
                readonly task_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The result, or the task that computes it. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "state": "done",
                     *       "outcome": "SCORED",
                     *       "score": 100,
                     *       "risk_level": "Severe",
                     *       "detail_list": [
                     *         "Sanctioned Entity"
                     *       ],
                     *       "risk_detail": [
                     *         {
                     *           "entity": "Lazarus Group",
                     *           "risk_type": "sanctioned_entity",
                     *           "exposure_type": "direct",
                     *           "hop_num": 1,
                     *           "volume": 1200,
                     *           "percent": 100,
                     *           "side": "in",
                     *           "counterparty": "0x098b716b8aaf21512996dc57eb0615e2383e2f96",
                     *           "path": []
                     *         }
                     *       ],
                     *       "grounds": {
                     *         "contributions": [
                     *           {
                     *             "key": "base",
                     *             "points": 3
                     *           },
                     *           {
                     *             "key": "in:direct:sanctioned",
                     *             "points": 97
                     *           }
                     *         ],
                     *         "counterfactuals": [
                     *           {
                     *             "without": "in:direct:sanctioned",
                     *             "score": 3,
                     *             "risk_level": "Low"
                     *           }
                     *         ]
                     *       },
                     *       "illicit_usd": 1200,
                     *       "address_label": "",
                     *       "hacking_event": "",
                     *       "scanned_at": "2026-01-31T09:12:24.000Z",
                     *       "provider": "risk.example"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["AnalysedScore"];
                };
            };
        };
    };
    readonly profile_address: {
        readonly parameters: {
            readonly query: {
                /**
                 * @description Of the address.
                 * @example ethereum
                 */
                readonly chain: "ethereum" | "bsc" | "polygon" | "arbitrum" | "optimism" | "base" | "avalanche" | "ethereum-classic" | "zksync" | "linea" | "scroll" | "mantle" | "opbnb" | "sonic" | "merlin" | "hashkey" | "iotex" | "tron" | "bitcoin" | "litecoin" | "dogecoin" | "bitcoin-cash" | "solana" | "ripple" | "stellar" | "ton" | "polkadot" | "cardano" | "cosmos" | "near" | "aptos" | "sui";
                /**
                 * @description In any form of its chain.
                 * @example 0x28c6c06298d514db089934071355e5743bf21d60
                 */
                readonly address: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The profile. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "labels": [
                     *         "Lazarus Group"
                     *       ],
                     *       "label_type": "",
                     *       "overview": {
                     *         "balance": 1.5,
                     *         "total_received": 10,
                     *         "total_spent": 8.5,
                     *         "received_txs": 3,
                     *         "spent_txs": 2,
                     *         "first_seen_at": "2026-01-01T00:00:00.000Z",
                     *         "last_seen_at": "2026-01-31T09:12:23.000Z"
                     *       },
                     *       "counterparties": [
                     *         {
                     *           "name": "Some Exchange",
                     *           "amount": 1500,
                     *           "percent": 100
                     *         }
                     *       ],
                     *       "received": [
                     *         {
                     *           "action": "Exchange",
                     *           "count": 3,
                     *           "percent": 100
                     *         }
                     *       ],
                     *       "spent": [
                     *         {
                     *           "action": "Mixer",
                     *           "count": 2,
                     *           "percent": 100
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["AddressProfile"];
                };
            };
        };
    };
    readonly list_transfers_of_address: {
        readonly parameters: {
            readonly query: {
                /**
                 * @description Of the address.
                 * @example ethereum
                 */
                readonly chain: "ethereum" | "bsc" | "polygon" | "arbitrum" | "optimism" | "base" | "avalanche" | "ethereum-classic" | "zksync" | "linea" | "scroll" | "mantle" | "opbnb" | "sonic" | "merlin" | "hashkey" | "iotex" | "tron" | "bitcoin" | "litecoin" | "dogecoin" | "bitcoin-cash" | "solana" | "ripple" | "stellar" | "ton" | "polkadot" | "cardano" | "cosmos" | "near" | "aptos" | "sui";
                /**
                 * @description In any form of its chain.
                 * @example 0x28c6c06298d514db089934071355e5743bf21d60
                 */
                readonly address: string;
                /**
                 * @description Of the chain; left out: the chain's native coin.
                 * @example USDT-ERC20
                 */
                readonly coin?: string;
                /** @description in: it received the money. */
                readonly side?: "in" | "out" | "all";
                /** @description From 1. */
                readonly page?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "side": "in",
                     *           "address": "0x28c6c06298d514db089934071355e5743bf21d60",
                     *           "kind": "entity",
                     *           "label": "Some Exchange",
                     *           "amount": 1.5,
                     *           "txids": [
                     *             "0x1111111111111111111111111111111111111111111111111111111111111111"
                     *           ]
                     *         }
                     *       ],
                     *       "page": 1,
                     *       "total_pages": 1
                     *     }
                     */
                    readonly "application/json": components["schemas"]["AddressTransfers"];
                };
            };
        };
    };
    readonly trace_address: {
        readonly parameters: {
            readonly query: {
                /**
                 * @description Of the address.
                 * @example ethereum
                 */
                readonly chain: "ethereum" | "bsc" | "polygon" | "arbitrum" | "optimism" | "base" | "avalanche" | "ethereum-classic" | "zksync" | "linea" | "scroll" | "mantle" | "opbnb" | "sonic" | "merlin" | "hashkey" | "iotex" | "tron" | "bitcoin" | "litecoin" | "dogecoin" | "bitcoin-cash" | "solana" | "ripple" | "stellar" | "ton" | "polkadot" | "cardano" | "cosmos" | "near" | "aptos" | "sui";
                /**
                 * @description In any form of its chain.
                 * @example 0x28c6c06298d514db089934071355e5743bf21d60
                 */
                readonly address: string;
                /**
                 * @description Of the chain; left out: the chain's native coin.
                 * @example USDT-ERC20
                 */
                readonly coin?: string;
                /** @description backward: where it came from. */
                readonly direction?: "forward" | "backward";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The trace. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "direction": "forward",
                     *       "unit": "USD",
                     *       "value": 1500,
                     *       "transfers": 1,
                     *       "read": {
                     *         "addresses": 2,
                     *         "transfers": 1
                     *       },
                     *       "ends": [
                     *         {
                     *           "kind": "service",
                     *           "entity": "Some Exchange",
                     *           "category": "exchange",
                     *           "address": "0x28c6c06298d514db089934071355e5743bf21d60",
                     *           "addresses": 1,
                     *           "value": {
                     *             "haircut": 1500
                     *           },
                     *           "hops": 1,
                     *           "path": [
                     *             {
                     *               "txid": "0x1111111111111111111111111111111111111111111111111111111111111111",
                     *               "time": "2026-01-31T09:12:23.000Z",
                     *               "coin": "ETH",
                     *               "amount": "0.5",
                     *               "usd": 1500,
                     *               "from": "0x098b716b8aaf21512996dc57eb0615e2383e2f96",
                     *               "to": "0x28c6c06298d514db089934071355e5743bf21d60",
                     *               "traced": 1500,
                     *               "coin_join": false
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "others": {
                     *         "ends": 0,
                     *         "value": {
                     *           "haircut": 0
                     *         }
                     *       },
                     *       "not_followed": {
                     *         "addresses": 0,
                     *         "value": {
                     *           "haircut": 0
                     *         }
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["AddressTrace"];
                };
            };
        };
    };
    readonly report_address: {
        readonly parameters: {
            readonly query: {
                /**
                 * @description Of the address.
                 * @example ethereum
                 */
                readonly chain: "ethereum" | "bsc" | "polygon" | "arbitrum" | "optimism" | "base" | "avalanche" | "ethereum-classic" | "zksync" | "linea" | "scroll" | "mantle" | "opbnb" | "sonic" | "merlin" | "hashkey" | "iotex" | "tron" | "bitcoin" | "litecoin" | "dogecoin" | "bitcoin-cash" | "solana" | "ripple" | "stellar" | "ton" | "polkadot" | "cardano" | "cosmos" | "near" | "aptos" | "sui";
                /**
                 * @description In any form of its chain.
                 * @example 0x28c6c06298d514db089934071355e5743bf21d60
                 */
                readonly address: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The report. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /** @example %PDF-1.3 */
                    readonly "application/pdf": string;
                };
            };
        };
    };
    readonly get_budget: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The budget. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "provider": "risk.example",
                     *       "per_second": 10,
                     *       "per_day": 10000,
                     *       "used_today": 1200,
                     *       "left_today": {
                     *         "withdrawal": 8800,
                     *         "deposit": 5500,
                     *         "rescreen": 4000
                     *       },
                     *       "left_now": 10,
                     *       "paused_until": null,
                     *       "forecast": 4800
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Budget"];
                };
            };
        };
    };
    readonly compare_providers: {
        readonly parameters: {
            readonly query?: {
                /** @description Results asked for since then (RFC 3339). Left out: seven days ago. */
                readonly since?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Without one in shadow all counts are 0. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "role": "deciding",
                     *           "name": "risk.example",
                     *           "kind": "specified"
                     *         },
                     *         {
                     *           "role": "shadow",
                     *           "name": "aml.example",
                     *           "kind": "elliptic"
                     *         }
                     *       ],
                     *       "since": "2026-01-24T00:00:00.000Z",
                     *       "compared": 2,
                     *       "unanswered": 0,
                     *       "same_level": 1,
                     *       "levels": [
                     *         {
                     *           "first": "Low",
                     *           "second": "High",
                     *           "count": 1
                     *         },
                     *         {
                     *           "first": "Low",
                     *           "second": "Low",
                     *           "count": 1
                     *         }
                     *       ],
                     *       "categories": [
                     *         {
                     *           "category": "mixer",
                     *           "both": 0,
                     *           "first_only": 0,
                     *           "second_only": 1
                     *         }
                     *       ],
                     *       "disagreements": [
                     *         {
                     *           "screening_id": "4b4a6ae0-62b1-5f4e-8b5c-0d4f2c1e9a77",
                     *           "asked_at": "2026-01-31T09:12:24.000Z",
                     *           "first": {
                     *             "standing": "Low",
                     *             "score": 3,
                     *             "categories": []
                     *           },
                     *           "second": {
                     *             "standing": "High",
                     *             "score": 80,
                     *             "categories": [
                     *               "mixer"
                     *             ]
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Providers"];
                };
            };
        };
    };
    readonly export_provider_levels: {
        readonly parameters: {
            readonly query?: {
                /** @description Results asked for since then (RFC 3339). Left out: seven days ago. */
                readonly since?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One line for each. */
            readonly 200: {
                headers: {
                    /** @description `true` if there are more than 10,000. */
                    readonly "X-Weir-Cut"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    /** @example first,second,count */
                    readonly "text/csv": string;
                };
            };
        };
    };
    readonly export_provider_categories: {
        readonly parameters: {
            readonly query?: {
                /** @description Results asked for since then (RFC 3339). Left out: seven days ago. */
                readonly since?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One line for each. */
            readonly 200: {
                headers: {
                    /** @description `true` if there are more than 10,000. */
                    readonly "X-Weir-Cut"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    /** @example category,both,first_only,second_only */
                    readonly "text/csv": string;
                };
            };
        };
    };
    readonly export_provider_disagreements: {
        readonly parameters: {
            readonly query?: {
                /** @description Results asked for since then (RFC 3339). Left out: seven days ago. */
                readonly since?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One line for each. */
            readonly 200: {
                headers: {
                    /** @description `true` if there are more than 10,000. */
                    readonly "X-Weir-Cut"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    /** @example screening_id,asked_at,first,first_score,first_categories,second,second_score,second_categories */
                    readonly "text/csv": string;
                };
            };
        };
    };
    readonly get_health: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Alive. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok"
                     *     }
                     */
                    readonly "application/json": {
                        /** @constant */
                        readonly status: "ok";
                    };
                };
            };
        };
    };
    readonly get_readiness: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Ready. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ready",
                     *       "unavailable": []
                     *     }
                     */
                    readonly "application/json": {
                        /** @enum {string} */
                        readonly status: "ready" | "not ready";
                        /** @description Unreachable dependencies. */
                        readonly unavailable: readonly string[];
                        /** @description Unreachable dependencies that it can do without. */
                        readonly degraded?: readonly string[];
                        /** @description Problems that do not affect its work. */
                        readonly warnings?: readonly string[];
                        /** @description How far followed chains are stored, where chains are followed. */
                        readonly chains?: readonly {
                            readonly chain: string;
                            /** @description Between the newest block of its nodes and the last stored one; null before the first. */
                            readonly lag_blocks: number | null;
                            /** @description Age of the last stored block; null before the first. */
                            readonly lag_seconds: number | null;
                            /** @description Since its nodes last had no confirmed block that is not stored; null: never yet. */
                            readonly behind_seconds: number | null;
                        }[];
                    };
                };
            };
        };
    };
    readonly get_metrics: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description In the text format. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /** @example weir_audit_tree_size 7 */
                    readonly "text/plain": string;
                };
            };
        };
    };
}
/** Method and path of each operation. */
export const routes = {
  get_checkpoint: ['GET', '/v1/audit/checkpoint'],
  get_tlog_checkpoint: ['GET', '/checkpoint'],
  get_audit_key: ['GET', '/v1/audit/key'],
  get_audit_entry: ['GET', '/v1/audit/entries/{event_id}'],
  get_tile: ['GET', '/tile/{level}/{tile}'],
  list_audit_anchors: ['GET', '/v1/audit/anchors'],
  add_checkpoint: ['POST', '/v1/audit/witness/add-checkpoint'],
  get_witness_key: ['GET', '/v1/audit/witness/key'],
  post_deposit: ['POST', '/v1/deposits'],
  watch_addresses: ['POST', '/v1/watched-addresses'],
  list_watched_addresses: ['GET', '/v1/watched-addresses'],
  unwatch_address: ['DELETE', '/v1/watched-addresses/{chain}/{address}'],
  post_withdrawal: ['POST', '/v1/withdrawals'],
  get_withdrawal: ['GET', '/v1/withdrawals/{withdrawal_id}'],
  redeem_permit: ['POST', '/v1/permits/redeem'],
  get_permit_keys: ['GET', '/.well-known/jwks.json'],
  check_policy: ['POST', '/v1/policies/checks'],
  backtest_policy: ['POST', '/v1/policies/backtests'],
  propose_policy: ['POST', '/v1/policies/proposals'],
  approve_policy: ['POST', '/v1/policies/approvals'],
  reject_policy: ['POST', '/v1/policies/rejections'],
  get_velocity: ['GET', '/v1/policies/velocity'],
  list_disagreements: ['GET', '/v1/policies/disagreements'],
  export_policy_disagreements: ['GET', '/v1/exports/policy-disagreements'],
  list_policies: ['GET', '/v1/policies'],
  get_policy: ['GET', '/v1/policies/{policy_hash}'],
  compare_policies: ['GET', '/v1/policies/{policy_hash}/changes'],
  begin_session: ['POST', '/v1/session'],
  get_session: ['GET', '/v1/session'],
  end_session: ['DELETE', '/v1/session'],
  list_screenings: ['GET', '/v1/screenings'],
  get_screening: ['GET', '/v1/screenings/{screening_id}'],
  export_screenings: ['GET', '/v1/exports/screenings'],
  list_reviews: ['GET', '/v1/reviews'],
  get_review: ['GET', '/v1/reviews/{screening_id}'],
  export_reviews: ['GET', '/v1/exports/reviews'],
  resolve_review: ['POST', '/v1/reviews/{screening_id}/resolutions'],
  answer_resolution: ['POST', '/v1/reviews/{screening_id}/approvals'],
  reopen_review: ['POST', '/v1/reviews/{screening_id}/reopenings'],
  add_note: ['POST', '/v1/reviews/{screening_id}/notes'],
  set_assignee: ['PUT', '/v1/reviews/{screening_id}/assignee'],
  set_due: ['PUT', '/v1/reviews/{screening_id}/due'],
  add_review_attachment: ['POST', '/v1/reviews/{screening_id}/attachments'],
  get_review_attachment: ['GET', '/v1/reviews/{screening_id}/attachments/{attachment_id}'],
  get_user: ['GET', '/v1/users/{user_id}'],
  get_address: ['GET', '/v1/addresses/{address}'],
  get_statistics: ['GET', '/v1/statistics'],
  export_statistics: ['GET', '/v1/exports/statistics'],
  export_held_by: ['GET', '/v1/exports/held-by'],
  list_cases: ['GET', '/v1/cases'],
  get_case: ['GET', '/v1/cases/{case_id}'],
  export_cases: ['GET', '/v1/exports/cases'],
  add_case_note: ['POST', '/v1/cases/{case_id}/notes'],
  set_case_assignee: ['PUT', '/v1/cases/{case_id}/assignee'],
  set_case_due: ['PUT', '/v1/cases/{case_id}/due'],
  set_case_outcome: ['PUT', '/v1/cases/{case_id}/outcome'],
  add_attachment: ['POST', '/v1/cases/{case_id}/attachments'],
  get_attachment: ['GET', '/v1/cases/{case_id}/attachments/{attachment_id}'],
  list_saved_views: ['GET', '/v1/saved-views'],
  save_view: ['PUT', '/v1/saved-views/{list}/{name}'],
  remove_saved_view: ['DELETE', '/v1/saved-views/{list}/{name}'],
  get_screening_report: ['GET', '/v1/screenings/{screening_id}/report'],
  export_review: ['GET', '/v1/reviews/{screening_id}/export'],
  list_labels: ['GET', '/v1/labels'],
  export_labels: ['GET', '/v1/exports/labels'],
  list_label_sources: ['GET', '/v1/label-sources'],
  list_label_changes: ['GET', '/v1/label-changes'],
  export_label_changes: ['GET', '/v1/exports/label-changes'],
  list_chain_freshness: ['GET', '/v1/chain-freshness'],
  list_label_requests: ['GET', '/v1/label-requests'],
  request_label_change: ['POST', '/v1/label-requests'],
  answer_label_request: ['POST', '/v1/label-requests/{request_id}/answers'],
  list_dead_letters: ['GET', '/v1/dead-letters'],
  export_dead_letters: ['GET', '/v1/exports/dead-letters'],
  get_dead_letter: ['GET', '/v1/dead-letters/{topic}/{offset}'],
  replay_dead_letter: ['POST', '/v1/dead-letters/{topic}/{offset}/replay'],
  list_people: ['GET', '/v1/people'],
  list_assignees: ['GET', '/v1/assignees'],
  list_acts: ['GET', '/v1/activities'],
  export_activities: ['GET', '/v1/exports/activities'],
  list_tokens: ['GET', '/v1/tokens'],
  revoke_token: ['POST', '/v1/tokens/{token_id}/revoke'],
  list_sessions: ['GET', '/v1/sessions'],
  end_other_session: ['DELETE', '/v1/sessions/{session_id}'],
  list_group_roles: ['GET', '/v1/group-roles'],
  list_settings: ['GET', '/v1/settings'],
  get_system_health: ['GET', '/v1/system-health'],
  stream_events: ['GET', '/v1/events'],
  list_deliveries: ['GET', '/v1/webhooks/deliveries'],
  export_deliveries: ['GET', '/v1/exports/deliveries'],
  get_delivery: ['GET', '/v1/webhooks/deliveries/{event_id}'],
  retry_delivery: ['POST', '/v1/webhooks/deliveries/{event_id}/retry'],
  list_chains_of_address: ['GET', '/v1/analyses/chains'],
  score_address: ['POST', '/v1/analyses/scores'],
  read_score_of_address: ['GET', '/v1/analyses/scores/{task_id}'],
  profile_address: ['GET', '/v1/analyses/profile'],
  list_transfers_of_address: ['GET', '/v1/analyses/transfers'],
  trace_address: ['GET', '/v1/analyses/trace'],
  report_address: ['GET', '/v1/analyses/report'],
  get_budget: ['GET', '/v1/providers/budget'],
  compare_providers: ['GET', '/v1/providers'],
  export_provider_levels: ['GET', '/v1/exports/provider-levels'],
  export_provider_categories: ['GET', '/v1/exports/provider-categories'],
  export_provider_disagreements: ['GET', '/v1/exports/provider-disagreements'],
  get_health: ['GET', '/healthz'],
  get_readiness: ['GET', '/readyz'],
  get_metrics: ['GET', '/metrics'],
} as const;
/** Codes of the problems that operations answer with. */
export type ProblemCode =
  | 'ALREADY_ANSWERED'
  | 'ALREADY_HELD'
  | 'ANSWERED'
  | 'BODY_TOO_LARGE'
  | 'BUDGET_EXHAUSTED'
  | 'BUSY'
  | 'CONFLICTING_CONTENT'
  | 'CROSS_SITE'
  | 'DECISIONS_UNREAD'
  | 'ERASED'
  | 'EXPIRED'
  | 'FORBIDDEN'
  | 'FORKED'
  | 'INTERNAL'
  | 'INVALID_ACTION'
  | 'INVALID_ADDRESS'
  | 'INVALID_ASSIGNEE'
  | 'INVALID_CHAIN'
  | 'INVALID_COIN'
  | 'INVALID_CURSOR'
  | 'INVALID_DIRECTION'
  | 'INVALID_DUE'
  | 'INVALID_ESCALATED'
  | 'INVALID_FROM'
  | 'INVALID_KIND'
  | 'INVALID_LAST_EVENT_ID'
  | 'INVALID_LATE'
  | 'INVALID_LEVEL'
  | 'INVALID_LIMIT'
  | 'INVALID_MAX_USD'
  | 'INVALID_MIN_USD'
  | 'INVALID_OPEN'
  | 'INVALID_OUTCOME'
  | 'INVALID_PAGE'
  | 'INVALID_POLICY'
  | 'INVALID_REASON'
  | 'INVALID_RULE'
  | 'INVALID_SIDE'
  | 'INVALID_SINCE'
  | 'INVALID_SORT'
  | 'INVALID_SOURCE'
  | 'INVALID_SOURCE_ID'
  | 'INVALID_STATE'
  | 'INVALID_SUBJECT'
  | 'INVALID_TOPIC'
  | 'INVALID_TRANSFER'
  | 'INVALID_TXID'
  | 'INVALID_TYPE'
  | 'INVALID_UNTIL'
  | 'INVALID_USER_ID'
  | 'LINK_USED'
  | 'MALFORMED'
  | 'MISMATCH'
  | 'NOT_CONSISTENT'
  | 'NOT_DECIDED'
  | 'NOT_FOLLOWED'
  | 'NOT_FOUND'
  | 'NOT_HELD'
  | 'NOT_JSON'
  | 'NOT_KNOWN'
  | 'NOT_LATEST'
  | 'NOT_OFFERED'
  | 'NOT_PROPOSED'
  | 'NOT_RECONCILED'
  | 'NOT_SIGNED'
  | 'NOT_SIGNED_BY_LOG'
  | 'NOT_VERIFIABLE'
  | 'NO_LABELS'
  | 'OWN_TOKEN'
  | 'PROVIDER_AWAY'
  | 'PROVIDER_REFUSED'
  | 'REASSIGNED'
  | 'REDEEMED_BEFORE'
  | 'REJECTED'
  | 'RESOLUTION_NOT_FOUND'
  | 'RESOLUTION_STANDS'
  | 'REVOKED'
  | 'SAME_PERSON'
  | 'STARTING'
  | 'STOPPING'
  | 'SUPERSEDED'
  | 'TOO_MANY_ATTACHMENTS'
  | 'TOO_MANY_CLIENTS'
  | 'TOO_MANY_FAILURES'
  | 'TOO_MANY_REQUESTS'
  | 'TOO_MANY_RESULTS'
  | 'TOO_MANY_VIEWS'
  | 'TOPIC_DENIED'
  | 'UNAUTHENTICATED'
  | 'UNAVAILABLE'
  | 'UNKNOWN_LOG'
  | 'UNKNOWN_PARAMETER'
  | 'UNSUPPORTED_COIN'
  | 'UNSUPPORTED_TYPE'
  | 'WEBHOOKS_OFF';
