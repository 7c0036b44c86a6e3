export const create = '/v3/risk_score_create_task';
export const query = '/v3/risk_score_query_task';
export const sandboxGet = '/sandbox/v3/risk_score';

/** The body of a call that failed. */
export const failure = (msg: string) => ({ success: false, msg, data: {} });

export const standardKey = { surface: 'standard' } as const;
export const unlimitedSandboxKey = { surface: 'sandbox', perSecond: null, perDay: null } as const;
