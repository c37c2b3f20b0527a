// The rules of a manifest that its shape cannot say: targets that may be called, schemas that can be used.
import { Failure, type Violation } from '../../base/lib/failure.ts'
import { refusalOfTarget } from '../../base/lib/safe-http.ts'
import type { Manifest } from './manifest.ts'

/** Throws the 422 that names every action whose target or input schema cannot serve. */
export async function mustBeUsable({ node }: Manifest): Promise<void> {
  const { schemaViolations } = await import('./input-schema.ts')
  const violations = await Promise.all(
    node.endpoints.map(async ({ target, input_schema }, index): Promise<Violation[]> => {
      const loc = ['body', 'manifest', 'node', 'endpoints', index]
      const refusal = target && (await refusalOfTarget(target.url))
      return [
        ...(refusal ? [{ loc: [...loc, 'target', 'url'], msg: refusal, type: 'value_error' as const }] : []),
        ...(input_schema ? schemaViolations(input_schema, [...loc, 'input_schema']) : []),
      ]
    }),
  )
  if (violations.flat().length > 0) throw new Failure('invalid', violations.flat())
}
