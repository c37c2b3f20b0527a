// The OpenAPI rules of the package that renders the documentation page: structure, references, parameters, examples.
import { createRequire } from 'node:module'

type Problem = { ruleId: string; message: string; location: { pointer?: string }[] }
type Linter = {
  createConfig: (settings: { rules: Record<string, 'error'> }) => Promise<object>
  lintFromString: (input: { source: string; config: object; absoluteRef: string }) => Promise<Problem[]>
}

const RULES = [
  'struct',
  'spec-strict-refs',
  'no-unresolved-refs',
  'no-unused-components',
  'no-identical-paths',
  'no-path-trailing-slash',
  'path-declaration-must-exist',
  'path-not-include-query',
  'path-parameters-defined',
  'path-params-defined',
  'operation-operationId-unique',
  'operation-operationId-url-safe',
  'operation-parameters-unique',
  'operation-2xx-response',
  'operation-summary',
  'operation-tag-defined',
  'no-duplicated-tag-names',
  'tag-description',
  'security-defined',
  'no-undefined-server-variable',
  'no-enum-type-mismatch',
  'no-schema-type-mismatch',
  'no-invalid-schema-examples',
  'no-invalid-parameter-examples',
  'no-invalid-media-type-examples',
  'no-required-schema-properties-undefined',
]

/** What breaks a rule, each with its place. */
export async function openapiProblems(document: object): Promise<string[]> {
  const fromRedoc = createRequire(createRequire(import.meta.url).resolve('redoc/package.json'))
  const { createConfig, lintFromString }: Linter = fromRedoc('@redocly/openapi-core')
  const config = await createConfig({ rules: Object.fromEntries(RULES.map((rule) => [rule, 'error'])) })
  const problems = await lintFromString({ source: JSON.stringify(document), config, absoluteRef: '/openapi.json' })
  return problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`)
}
