import { Failure, type Violation } from '../lib/failure.ts'
import { refusalOfTarget } from '../lib/safe-http.ts'
import type { Manifest } from './manifest.ts'

/** The 422 for every target that may not be called from here. */
export async function refuseBadTargets({ node }: Manifest): Promise<void> {
  const reasons = await Promise.all(node.endpoints.map(({ target }) => target && refusalOfTarget(target.url)))
  const violations = reasons.flatMap((msg, index): Violation[] =>
    msg ? [{ loc: ['body', 'manifest', 'node', 'endpoints', index, 'target', 'url'], msg, type: 'value_error' }] : [],
  )
  if (violations.length > 0) throw new Failure('invalid', violations)
}
