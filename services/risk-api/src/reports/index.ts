export { createReports, defaultReportSettings, type Reports, type ReportSettings } from './reports.ts';
