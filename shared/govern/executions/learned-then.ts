// What was learnt as an execution used it, for evaluating it again under other policies: today's rules, personas and trust must
// not change the past.
import type { Context } from '../../base/context.ts'
import type { Tier } from '../../base/catalog/kinds.ts'
import type { Persona } from '../governance/decide/tiers.ts'
import type { Learned } from '../learned/learned-for.ts'
import { readConduct } from '../learned/read-learned.ts'
import { standingOfAll } from '../learned/trust.ts'
import { unpackUsed, type Used } from '../learned/used.ts'
import { actorsBehind } from './conduct.ts'
import { unpackEvaluations } from './evaluations.ts'
import type { Execution } from './execution.ts'

export function learnedThen({ learned, evaluations, first }: Execution): Learned {
  const used = unpackUsed(learned)
  const results = new Map(
    unpackEvaluations((first ?? { evaluations }).evaluations).map(({ policy_id, result }) => [policy_id, result]),
  )
  const { trust, executions, persona, rule, model } = used
  return {
    ...(trust !== null && { standing: { trust, executions: executions ?? 0 } }),
    ...(persona !== null && { persona: personaThen(persona, results.get(`persona:${persona}`)) }),
    ...(rule !== null && { routing: routingThen(rule, results.get(rule)) }),
    ...(model && modelThen(model, results.get(`model:${model.slot}@${model.version}`))),
  }
}

/** The same, and how long the requester was known at that time, which follows from its first action. */
export async function learnedAt({ table, space }: Context, execution: Execution, at: number): Promise<Learned> {
  const learned = learnedThen(execution)
  if (!learned.standing) return learned
  const conducts = await readConduct(table, space, actorsBehind(execution))
  const hours_known = standingOfAll([...conducts.values()], at)?.hours_known
  return { ...learned, standing: { ...learned.standing, hours_known } }
}

/** One that does what it did. */
const personaThen = (persona_key: string, result: string | undefined): Persona => ({
  persona_key,
  allowed_nodes: [],
  denied_nodes: result === 'forbid' ? ['**'] : [],
  tier_ceiling: 'HARD',
  default_require_approval: result === 'require_approval',
})

const routingThen = (update_id: string, result = ''): Learned['routing'] => ({
  update_id,
  base_tier: /^base:(\w+)$/.exec(result)?.[1] as Tier | undefined, // as the entry of a rule names it
  holds: result !== 'indeterminate',
})

const ALWAYS = 2
const NEVER = 0

const modelThen = ({ slot, version, score }: NonNullable<Used['model']>, result: string | undefined) => ({
  model: { slot, version, probability: score ?? undefined },
  raise_below: result === 'raise' ? ALWAYS : NEVER,
})
