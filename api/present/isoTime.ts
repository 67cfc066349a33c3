export { isoTime } from '../../shared/events/isoTime.ts';
