export { type ConsoleSettings, consoleSchema } from './config.ts';
export type { DecisionView, ExposureView, ResultView, ScreeningView, TransferView } from './view.ts';
export { consoleMigrations } from './migrations.ts';
export { rebuildResolutions } from './reviews/rebuild.ts';
export { startConsole } from './service.ts';
export { type Summary, summarise } from './summary.ts';
export type { DeliveryDetail, DeliveryState, DeliveryView } from './webhooks/view.ts';
export type { ResolutionView, ReviewDetail, ReviewView } from './reviews/view.ts';
export { endpointOf as webhookEndpointOf } from './webhooks/config.ts';
