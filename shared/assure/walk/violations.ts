// At which executions a policy of high or critical severity fired.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import type { Execution } from '../../govern/executions/execution.ts'
import { unpackEvaluations } from '../../govern/executions/evaluations.ts'
import { policies, policiesOf } from '../../govern/governance/stored-rules.ts'

const Severe = z.object({ severity: z.enum(['high', 'critical']) })

/** By the severity that each policy has now. Rules of the service itself have none. */
export async function violationsOf({ table, space }: Context): Promise<(execution: Execution) => boolean> {
  const all = await table.query(policies, policiesOf(space))
  const severe = new Set(
    all.filter(({ body }) => Severe.safeParse(JSON.parse(body)).success).map(({ policy_id }) => policy_id),
  )
  if (severe.size === 0) return () => false
  return ({ evaluations }) => {
    try {
      return unpackEvaluations(evaluations).some(({ policy_id, result }) => severe.has(policy_id) && fired(result))
    } catch {
      return true // people look at what cannot be read
    }
  }
}

/** A shadow policy does nothing, one that relaxes breaks nothing, and of an undecided one nobody knows. */
const fired = (result: string): boolean => result !== 'pass' && !/^(?:shadow:|relax:|indeterminate$)/.test(result)
