import { readdirSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';

/**
 * The lists that the other tests of a folder export under a name, joined.
 * @param asking path of the test that asks: `import.meta.filename`
 */
export const exportedByTests = async <Item>(asking: string, name: string): Promise<Item[]> => {
  const folder = dirname(asking);
  const tests = readdirSync(folder).filter(
    (file) => file.endsWith(`.test${extname(asking)}`) && file !== basename(asking),
  );
  const exported = (await Promise.all(tests.map((file) => import(join(folder, file))))) as Record<
    string,
    Item[]
  >[];
  return exported.flatMap((one) => one[name] ?? []);
};
