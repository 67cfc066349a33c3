import type { Endpoint } from '../endpoint.ts';
import { EXAMPLE_ADDRESS } from './examples.ts';

/** A sample in the form that OpenAPI viewers display. */
interface CodeSample {
  readonly lang: string;
  readonly label: string;
  readonly source: string;
}

/** A placeholder for a path parameter. */
const exampleOf = (name: string): string => (name === 'address' ? EXAMPLE_ADDRESS : `{${name}}`);

/** How to call an operation from four languages without our clients; the key is in a variable KEY. */
export const codeSamples = (
  { method, path, body }: Pick<Endpoint, 'method' | 'path' | 'body'>,
  baseUrl: string,
): CodeSample[] => {
  const url = `${baseUrl}${path.replace(/\{(\w+)\}/g, (_, name: string) => exampleOf(name))}`;
  const verb = method.toUpperCase();
  const json = body
    ? JSON.stringify(path.includes('{address}') ? {} : { address: EXAMPLE_ADDRESS })
    : '';
  const type = 'Content-Type';
  return [
    {
      lang: 'Shell',
      label: 'curl',
      source: [
        `curl -X ${verb} '${url}' -H "X-API-Key: $KEY"`,
        ...(body ? [`-H '${type}: application/json' -d '${json}'`] : []),
      ].join(' \\\n  '),
    },
    {
      lang: 'TypeScript',
      label: 'TypeScript',
      source: `const response = await fetch('${url}', {
  method: '${verb}',
  headers: { 'X-API-Key': process.env.KEY!${body ? `, '${type}': 'application/json'` : ''} },${body ? `\n  body: '${json}',` : ''}
});
if (!response.ok) throw new Error((await response.json()).message);
console.log(await response.json());`,
    },
    {
      lang: 'Python',
      label: 'Python',
      source: `import os, requests

response = requests.${method}(
    "${url}",
    headers={"X-API-Key": os.environ["KEY"]},${body ? `\n    json=${json},` : ''}
    timeout=30,
)
response.raise_for_status()
print(response.json())`,
    },
    {
      lang: 'Go',
      label: 'Go',
      source: `request, err := http.NewRequest("${verb}", "${url}", ${body ? `strings.NewReader(\`${json}\`)` : 'nil'})
if err != nil {
	log.Fatal(err)
}
request.Header.Set("X-API-Key", os.Getenv("KEY"))${body ? `\nrequest.Header.Set("${type}", "application/json")` : ''}
response, err := http.DefaultClient.Do(request)`,
    },
  ];
};
