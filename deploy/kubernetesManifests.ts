import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { projectRoot } from '../shared/platform/projectRoot.ts';

const FOLDER = join(projectRoot(), 'deploy/kubernetes');
const target = z.object({ kind: z.string(), name: z.string().default('.*') });
const kustomizationSchema = z.object({
  resources: z.array(z.string()),
  images: z.array(z.object({ name: z.string(), newName: z.string(), newTag: z.string() })),
  patches: z.array(z.object({ path: z.string(), target })),
});
const patchSchema = z.array(
  z.object({ op: z.literal('add'), path: z.string(), value: z.unknown() }).strict(),
);
const resourceSchema = z
  .object({ kind: z.string(), metadata: z.object({ name: z.string() }).passthrough() })
  .passthrough();

/** An object of Kubernetes. */
export type Resource = z.infer<typeof resourceSchema>;

const readText = (file: string): string => readFileSync(join(FOLDER, file), 'utf8');

/** What `kustomization.yaml` lists. */
export const readKustomization = (): z.infer<typeof kustomizationSchema> =>
  kustomizationSchema.parse(parse(readText('kustomization.yaml')));

/**
 * The objects of the manifests with their patches, as in `kubectl kustomize`, except for image, namespace and labels.
 */
export const readResources = (): Resource[] => {
  const { resources, patches } = readKustomization();
  const documents = resources.flatMap((file) => parseAllDocuments(readText(file)));
  for (const { path: file, target } of patches) {
    const changes = patchSchema.parse(parse(readText(file)));
    const aimed = new RegExp(`^(?:${target.kind}) (?:${target.name})$`);
    for (const document of documents) {
      const { kind, metadata } = resourceSchema.parse(document.toJS());
      if (!aimed.test(`${kind} ${metadata.name}`)) continue;
      for (const { path, value } of changes) {
        document.setIn(path.split('/').slice(1), document.createNode(value));
      }
    }
  }
  return documents.map((document) => resourceSchema.parse(document.toJS()));
};
