import { importOptional, optionalPackages } from '@weir/optional-packages';

/** The part of the pay-per-call surface that stands on x402, which is loaded only where something can be paid. */
export const loadPayments = () => importOptional('pay-per-call', optionalPackages.x402, () => import('./payments.ts'));
export const loadAnswer = () => importOptional('pay-per-call', optionalPackages.x402, () => import('./answer.ts'));
