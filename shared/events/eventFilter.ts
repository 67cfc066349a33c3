import { SEVERITIES, type Severity } from '../messages/alertMessage.ts';
import type { PushEvent } from './pushEvent.ts';

/** Which events are wanted; what is absent lets all pass. */
export interface EventFilter {
  readonly addresses?: readonly string[] | undefined;
  readonly min_severity?: Severity | undefined;
  readonly min_confidence?: number | undefined;
  readonly job_id?: string | undefined;
}

/** Default confidence from which a prediction is published. */
const HIGH_CONFIDENCE = 0.95;

/**
 * Whether an event is wanted. A prediction of high confidence is an event when it first reaches the
 * wanted confidence, not again with every new verdict that confirms it.
 */
export const isWanted = (event: PushEvent, filter: EventFilter | null): boolean => {
  const { addresses, min_severity: severity, job_id: jobId } = filter ?? {};
  if (addresses && !addresses.includes(event.address)) return false;
  if (severity && SEVERITIES.indexOf(event.severity) < SEVERITIES.indexOf(severity)) return false;
  if (jobId !== undefined && event.jobId !== jobId) return false;
  if (event.confidence === undefined) return true;
  const isPrediction = event.type === 'prediction.high_confidence';
  const confidenceMin = filter?.min_confidence ?? (isPrediction ? HIGH_CONFIDENCE : 0);
  if (event.confidence < confidenceMin) return false;
  return !isPrediction || (event.previousConfidence ?? 0) < confidenceMin;
};
