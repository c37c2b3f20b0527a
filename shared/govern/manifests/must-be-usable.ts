// Rules of a manifest beyond its shape: targets must be callable and input schemas usable.
import { Failure, type Violation } from '../../base/lib/failure.ts'
import { refusalOfTarget } from '../../base/lib/safe-http.ts'
import type { Manifest } from './manifest.ts'

/** Throws a 422 with every target or input schema that cannot be used. */
export async function mustBeUsable({ node }: Manifest): Promise<void> {
  const { schemaViolations } = await import('./input-schema.ts')
  const violations = await Promise.all(
    node.endpoints.map(async ({ target, input_schema }, index): Promise<Violation[]> => {
      const loc = ['body', 'manifest', 'node', 'endpoints', index]
      const refusal = target?.type === 'http' && (await refusalOfTarget(target.url))
      return [
        ...(refusal ? [{ loc: [...loc, 'target', 'url'], msg: refusal, type: 'value_error' as const }] : []),
        ...(input_schema ? schemaViolations(input_schema, [...loc, 'input_schema']) : []),
      ]
    }),
  )
  if (violations.flat().length > 0) throw new Failure('invalid', violations.flat())
}
