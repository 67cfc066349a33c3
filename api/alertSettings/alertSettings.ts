import type { AlertOverrides } from '../../shared/messages/settingsMessage.ts';

/** What key families changed of their alert settings. */
export interface AlertSettings {
  /** Empty for a family that changed nothing. */
  read(family: string): Promise<AlertOverrides>;
  /** Stores what `change` makes of the overrides and announces it; one change at a time a family. */
  update(
    family: string,
    change: (overrides: AlertOverrides) => AlertOverrides,
  ): Promise<AlertOverrides>;
}
