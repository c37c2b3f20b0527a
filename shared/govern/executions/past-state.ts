// Marks of a repeated past, in memory: left by what would have run.
import type { Json } from '../../base/lib/json.ts'
import type { CompiledSet } from '../governance/conditions/compile.ts'
import type { Over } from '../governance/decide/evaluation.ts'
import { searchPii } from '../governance/pii/search.ts'
import {
  type Actor,
  actorFor,
  answerOf,
  holds,
  isDue,
  lasts,
  type Ran,
  type Sequenced,
  sequencedIn,
  sourceOf,
} from './recent-actions.ts'
import type { Context } from '../../base/context.ts'
import type { Tier } from '../../base/catalog/kinds.ts'
import type { Persona } from '../governance/decide/tiers.ts'
import { type Learned, readConduct } from '../learned/learned-for.ts'
import { trustRecordOfAll, unpackUsed, type Used } from '../learned/learned.ts'
import { actorsBehind } from './measures.ts'
import { unpackEvaluations } from './evaluations.ts'
import type { Execution } from './execution.ts'

/** `from` in ms, `until` a Unix second. Not `sure`: the answer that may have left it is unknown. */
type Mark = { from: number; until: number; sure: boolean }

/** What a target answered: `none` also where it was never called, `unknown` where that was erased or cannot be known. */
export type PastAnswer = 'none' | 'unknown' | { output: Json }

export class PastActions {
  readonly #sequenced: readonly Sequenced[]
  readonly #marks = new Map<string, Mark[]>()

  constructor(set: CompiledSet) {
    this.#sequenced = sequencedIn(set)
  }

  /** Which policies with `after` followed on a mark at an instant (ms). */
  followed(actor: Actor, at: number): Over {
    return new Map(
      this.#sequenced.map((policy) => {
        const inForce = this.#of(policy, actor).filter(({ from, until }) => from <= at && holds(until, at))
        return [policy.policy_id, inForce.some(({ sure }) => sure) || (inForce.length > 0 ? undefined : false)]
      }),
    )
  }

  /** An action began at an instant (ms). */
  began(actor: Actor, ran: Ran, at: number): void {
    for (const policy of sourceOf(this.#sequenced, ran)) this.#leave(policy, actor, at, true)
  }

  /** Its target answered at an instant (ms). An answer is searched only if a policy asks about its content. */
  answered(actor: Actor, answer: PastAnswer, at: number): void {
    const asking = this.#sequenced.filter(({ after }) => after.output.length > 0)
    if (asking.length === 0 || answer === 'none') return
    const left = answer === 'unknown' ? asking : answerOf(asking, typesIn(answer.output))
    for (const policy of left) this.#leave(policy, actor, at, answer !== 'unknown')
  }

  #of(policy: Sequenced, actor: Actor): Mark[] {
    const name = JSON.stringify([policy.policy_id, actorFor(policy.after.per, actor)])
    const known = this.#marks.get(name)
    if (known) return known
    const fresh: Mark[] = []
    this.#marks.set(name, fresh)
    return fresh
  }

  #leave(policy: Sequenced, actor: Actor, from: number, sure: boolean): void {
    const marks = this.#of(policy, actor)
    const earlier = marks.filter((mark) => mark.from <= from && (mark.sure || !sure))
    if (!earlier.every(({ until }) => isDue(policy.after, until, from / 1_000))) return
    marks.push({ from, until: lasts(policy.after, from / 1_000), sure })
  }
}

const typesIn = (output: Json): string[] => searchPii(output).findings.map(({ type }) => type)

/**
 * What was learnt, as an execution used it, to evaluate it again under other policies: today's rules, personas and trust must not change
 * the past.
 */
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
  const hours_known = trustRecordOfAll([...conducts.values()], at)?.hours_known
  return { ...learned, standing: { ...learned.standing, hours_known } }
}

/** A persona with the effect that it had. */
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
