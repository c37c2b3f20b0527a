// For which controls of the enabled frameworks a check speaks. Pure.
import type { Assessment } from '../frameworks/assess.ts'
import { assess } from '../frameworks/assess.ts'
import { type FrameworkState, isEnabled } from '../frameworks/state.ts'

export type Concern = { framework_ids: string[]; control_ids: string[]; controls_met: number; controls_total: number }

/** Of the enabled frameworks, each assessed once. */
export type Assessed = readonly { state: FrameworkState; controls: readonly Assessment[] }[]

export const assessed = (states: readonly FrameworkState[]): Assessed =>
  states.filter(isEnabled).map((state) => ({ state, controls: assess(state) }))

/** Only controls in scope; those that an accepted justification leaves out are named, but not counted. */
export function concernOf(all: Assessed, check_id: string): Concern {
  const touched = all.flatMap(({ state, controls }) =>
    controls
      .filter(({ in_scope, checks }) => in_scope && checks.some(({ id }) => id === check_id))
      .map((one) => ({ framework_id: state.framework_id, ...one })),
  )
  const counted = touched.filter(({ status }) => status !== 'not_applicable')
  return {
    framework_ids: [...new Set(touched.map(({ framework_id }) => framework_id))],
    control_ids: [...new Set(touched.map(({ control }) => control.id))],
    controls_met: counted.filter(({ status }) => status === 'met').length,
    controls_total: counted.length,
  }
}
