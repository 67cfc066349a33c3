/** The success envelope of style B. */
export const successB = <D>(data: D): { data: D; success: true } => ({ data, success: true });

export { riskLevel } from '../../shared/events/riskLevel.ts';
