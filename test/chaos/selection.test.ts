import { expectSelection } from './selection.ts';

expectSelection('embedded', ['upstream-garbage+garbage-in-topics', 'clock-back+upstream-late', 'day-spent']);
