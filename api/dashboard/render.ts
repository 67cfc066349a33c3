import { join } from 'node:path';
import { Eta } from 'eta';
import { projectRoot } from '../../shared/platform/projectRoot.ts';

/** A page from a template in `views` and its data. Every text from outside is escaped. */
export type Render = (view: string, data: object) => string;

/** Templates, compiled once. */
export const createRender = (): Render => {
  const eta = new Eta({
    views: join(projectRoot(), 'api/dashboard/views'),
    cache: true,
    autoEscape: true,
    varName: 'it',
  });
  return (view, data) => eta.render(view, data);
};
