// The OpenAPI rules that the generator openapi-typescript brings along: structure, references, parameters, examples.
import { createRequire } from 'node:module'

type Problem = { ruleId: string; message: string; location: { pointer?: string }[] }
type Linter = {
  createConfig: (settings: { extends: string[]; rules: Record<string, 'error' | 'off'> }) => Promise<object>
  lintFromString: (input: { source: string; config: object; absoluteRef: string }) => Promise<Problem[]>
}

/** Besides the rules that Redocly recommends. */
const MORE = [
  'no-invalid-schema-examples',
  'no-invalid-parameter-examples',
  'path-not-include-query',
  'operation-parameters-unique',
  'tag-description',
]
/**
 * `/exports/{export_id}` beside `/{id}/proof`: no request fits both, and the API specification names the paths. Some operations only
 * redirect, or answer 501 as SCIM asks.
 */
const EXEMPT = ['no-ambiguous-paths', 'operation-2xx-response']

/** What breaks a rule, each with its place. */
export async function openapiProblems(document: object): Promise<string[]> {
  const fromGenerator = createRequire(createRequire(import.meta.url).resolve('openapi-typescript/package.json'))
  const { createConfig, lintFromString }: Linter = fromGenerator('@redocly/openapi-core')
  const rules = Object.fromEntries([
    ...MORE.map((rule) => [rule, 'error'] as const),
    ...EXEMPT.map((rule) => [rule, 'off'] as const),
  ])
  const config = await createConfig({ extends: ['recommended-strict'], rules })
  const problems = await lintFromString({ source: JSON.stringify(document), config, absoluteRef: '/openapi.json' })
  return problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`)
}
