import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { splitStatements } from './statements.ts';

describe('splitStatements', () => {
  it('splits where a line ends with a semicolon, and leaves comments out', () => {
    const sql = `-- tables
-- One; and another's.
CREATE a (
-- in between;
  b 'it\\'s'
);

DROP c;
`;
    assert.deepEqual(splitStatements(sql), ["CREATE a (\n  b 'it\\'s'\n)", 'DROP c']);
  });

  it('refuses what could be read in two ways', () => {
    for (const [sql, refusal] of [
      ['CREATE a', /must end with ;/],
      ['', /must end with ;/],
      ['CREATE a;\n;', /statement 2 is empty/],
      [
        'CREATE a; DROP b;',
        /statement 1 has a ; that is not at the end of a line: CREATE a; DROP b/,
      ],
      ["CREATE a;\nCREATE 'b;c';", /statement 2 has a ; that/],
      ['CREATE a -- why\n;', /comment that is not a line of its own/],
      ['CREATE a /* why */;', /comment that is not a line of its own/],
      ["CREATE 'a;\nb';", /string that goes over lines/],
      ["CREATE 'a\n-- b\n';", /string that goes over lines/],
    ] as const) {
      assert.throws(() => splitStatements(sql), refusal, sql);
    }
  });
});
