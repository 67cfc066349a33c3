/** A migration file: `0001_subject.sql`, idempotent statements as `splitStatements` reads them. */
export interface MigrationFile {
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the text, hexadecimal. */
  readonly checksum: string;
}

/** A migration that was already applied to the database. */
export interface AppliedMigration {
  readonly name: string;
  readonly checksum: string;
}

const NAME = /^(\d{4})_[a-z0-9_]+\.sql$/;

/**
 * Remaining migrations, in order.
 * @throws Error on a wrong name, a gap, a file changed after it was applied, or an applied file that is missing here
 * (old code against a newer schema).
 */
export const planMigrations = (
  files: readonly MigrationFile[],
  applied: readonly AppliedMigration[],
): MigrationFile[] => {
  const sorted = [...files].sort((a, b) => (a.name < b.name ? -1 : 1));
  sorted.forEach((file, index) => {
    const number = NAME.exec(file.name)?.[1];
    if (!number) throw new Error(`${file.name}: must be named like 0001_facts.sql`);
    if (Number(number) !== index + 1) {
      throw new Error(`${file.name}: number ${String(index + 1).padStart(4, '0')} is missing`);
    }
  });
  const here = new Map(sorted.map((file) => [file.name, file.checksum]));
  for (const { name, checksum } of applied) {
    const now = here.get(name);
    if (!now) {
      throw new Error(
        `${name}: applied but missing here: this code is older than the tables, run that which made them or newer`,
      );
    }
    if (now !== checksum) {
      throw new Error(
        `${name}: changed after it was applied: run the code that made these tables, or start with an empty ` +
          'database (a stack: with another STATE_DIR). Who changes tables adds a file',
      );
    }
  }
  const done = new Set(applied.map(({ name }) => name));
  return sorted.filter((file) => !done.has(file.name));
};
