// Whether the controls of a submission exist. Apart from the verb, because it loads the catalogue.
import { Failure } from '../../base/lib/failure.ts'
import { controlsOf } from '../catalogue/controls.ts'
import { FRAMEWORK_IDS } from '../catalogue/framework-ids.ts'
import type { SubmissionBody } from './submission-body.ts'

const KNOWN = new Set(FRAMEWORK_IDS.flatMap((framework) => controlsOf(framework).map(({ id }) => `${framework} ${id}`)))

/** Throws 422 with each control that its framework does not have. */
export function mustKnowControls({ control_refs }: Pick<SubmissionBody, 'control_refs'>): void {
  const unknown = control_refs.flatMap(({ framework_id, control_id }, index) =>
    KNOWN.has(`${framework_id} ${control_id}`) ? [] : [index],
  )
  if (unknown.length === 0) return
  const violations = unknown.map((index) => ({
    loc: ['body', 'control_refs', index, 'control_id'],
    msg: 'is no control of this framework',
    type: 'value_error' as const,
  }))
  throw new Failure('invalid', violations)
}
