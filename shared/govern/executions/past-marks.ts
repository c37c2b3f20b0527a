// Marks of a repeated past, in memory: left by what would have run.
import type { Json } from '../../base/lib/canonical-json.ts'
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
} from './sequenced.ts'

/** `from` in ms, `until` a Unix second. Not `sure`: the answer that may have left it is unknown. */
type Mark = { from: number; until: number; sure: boolean }

/** What a target answered: `none` also where it was never called, `unknown` where that was erased or cannot be known. */
export type PastAnswer = 'none' | 'unknown' | { output: Json }

export class PastMarks {
  readonly #sequenced: readonly Sequenced[]
  readonly #marks = new Map<string, Mark[]>()

  constructor(set: CompiledSet) {
    this.#sequenced = sequencedIn(set)
  }

  /** Which policies with `after` followed on a mark at an instant (ms). */
  followed(actor: Actor, at: number): Over {
    return new Map(
      this.#sequenced.map((policy) => {
        const standing = this.#of(policy, actor).filter(({ from, until }) => from <= at && holds(until, at))
        return [policy.policy_id, standing.some(({ sure }) => sure) || (standing.length > 0 ? undefined : false)]
      }),
    )
  }

  /** An action began at an instant (ms). */
  began(actor: Actor, ran: Ran, at: number): void {
    for (const policy of sourceOf(this.#sequenced, ran)) this.#leave(policy, actor, at, true)
  }

  /** Its target answered at an instant (ms). Answers are searched only where a policy asks what is in them. */
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
    const standing = marks.filter((mark) => mark.from <= from && (mark.sure || !sure))
    if (!standing.every(({ until }) => isDue(policy.after, until, from / 1_000))) return
    marks.push({ from, until: lasts(policy.after, from / 1_000), sure })
  }
}

const typesIn = (output: Json): string[] => searchPii(output).findings.map(({ type }) => type)
