// Carries out checks over facts, each read once for each window, and says which controls of the enabled frameworks a check
// concerns.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { alarm } from '../../base/lib/log.ts'
import type { FactAsk, FactName, Facts } from '../../base/ports/check-facts.ts'
import type { CheckFacts } from '../catalogue/catalogue.ts'
import { type Finding, noData, NOT_RECORDED } from '../checks/check.ts'
import type { RunResult } from '../checks/run.ts'
import { STATE_CHECKS } from '../checks/state-checks.ts'
import { assess, type Assessment } from '../frameworks/assess.ts'
import { type FrameworkState, isEnabled } from '../frameworks/state.ts'

/** By name; those that the deployment does not record are missing. */
export type Sources = { [K in FactName]?: (ask: FactAsk) => Promise<Facts[K]> }
export type Evaluated = Omit<RunResult, 'previous_status'>

/** `sinceOf`: where (ms) the window of a check begins. */
export type Evaluation = { sources: Sources; sinceOf: (check: CheckFacts) => number }

export class Evaluator {
  readonly #ctx: Context
  readonly #evaluation: Evaluation
  readonly #read = new Map<string, Promise<unknown>>()

  constructor(ctx: Context, evaluation: Evaluation) {
    this.#ctx = ctx
    this.#evaluation = evaluation
  }

  async evaluate(check: CheckFacts): Promise<Evaluated> {
    const found = await this.#find(check).catch((error: unknown) => {
      alarm('check_in_error', error, { check: check.id, ...this.#ctx.space })
      return inError
    })
    return { check_id: check.id, version: check.version, ...found, evaluated_at: iso(this.#ctx.now()) }
  }

  async #find(check: CheckFacts): Promise<Finding> {
    const rule = STATE_CHECKS[check.id]
    if (!rule) return noData(NOT_RECORDED)
    const moment = { now: this.#ctx.now(), since: this.#evaluation.sinceOf(check) }
    const facts = await Promise.all(rule.facts.map(async (name) => [name, await this.#factOf(name, moment.since)]))
    return rule.find(Object.fromEntries(facts), moment)
  }

  #factOf(name: FactName, since: number): Promise<unknown> {
    const source = this.#evaluation.sources[name]
    if (!source) return Promise.resolve(undefined)
    const key = `${name}#${since}`
    const known = this.#read.get(key)
    if (known) return known
    const reading = source({ ctx: this.#ctx, now: this.#ctx.now(), since })
    this.#read.set(key, reading)
    return reading
  }
}

const inError: Finding = {
  ...noData('What the check looks at could not be read. It is tried again with the next run.'),
  status: 'error',
}

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
