// Dry runs of a policy and of words: checks them as if they were saved, and decides on past executions again with and without them.
// Nothing is stored.
import type * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { activeSettings, type Governance, moreRules, readRules, type StoredRules } from '../governance/governance.ts'
import { type Policy, type PolicyBody, policyOf } from '../governance/policy.ts'
import { lexiconWarnings } from '../governance/words/tenant-words.ts'
import type { DryRun } from './view.ts'
import { checked, type LexiconBody } from './lexicon.ts'
import { checkBody } from './policy-change.ts'
import { iso } from '../../base/lib/clock.ts'
import { inParallel } from '../../base/lib/in-parallel.ts'
import { latestExecutions } from '../executions/list.ts'
import { lasts } from '../executions/recent-actions.ts'
import { compileSet } from '../governance/conditions/compile.ts'
import { windowSeconds } from '../governance/rule-terms.ts'
import { datesOf, policySetVersion } from '../governance/stored-rules.ts'
import { classifyAction } from '../executions/payload.ts'
import { evaluateAction, plansOf, type Question } from '../executions/evaluate-action.ts'
import { learnedAt, type PastAnswer, PastActions } from '../executions/past-state.ts'
import type { Decision } from '../governance/decide/evaluate.ts'
import { PastCounters } from '../limits/usage.ts'
import { timeOfId } from '../../base/lib/ids.ts'
import type { Stored } from '../../base/table/entity.ts'
import { contextOf } from '../executions/reevaluate.ts'
import type { Execution } from '../executions/execution.ts'
import type { Opened } from '../executions/execution-view.ts'
import { openSealed } from '../executions/sealed/open-execution.ts'
import { openOrigin } from '../executions/first-transaction.ts'
import { requesterOf } from '../governance/freeze.ts'
import { findAction, type LoadedAction } from '../manifests/load.ts'

/** Checks a policy as if it were saved, and replays `count` past executions. Refuses what saving would refuse, and stores nothing. */
export async function dryRun(ctx: Context, sent: PolicyBody, count: number): Promise<z.input<typeof DryRun>> {
  const rules = await readRules(ctx.table, ctx.space)
  const settings = await activeSettings(ctx.table, ctx.space)
  const { was, body, warnings } = await checkBody(ctx, sent, rules, settings)
  const others = rules.policies.filter((each) => each !== was && each.enabled).map(policyOf)
  const candidate: Policy = { ...body, policy_id: was?.policy_id ?? ctx.id('pol'), version: (was?.version ?? 0) + 1 }
  const before = governanceWith(settings, rules, was?.enabled ? [...others, policyOf(was)] : others)
  const after = governanceWith(settings, rules, candidate.enabled ? [...others, candidate] : others)
  return { valid: true, warnings, replay: await replay(ctx, count, before, after) }
}

/** What past executions would become with the words. Nothing is stored. */
export async function tryLexicon(ctx: Context, body: LexiconBody, count: number) {
  const lexicon = checked(body)
  const rules = await readRules(ctx.table, ctx.space)
  const settings = await activeSettings(ctx.table, ctx.space)
  const policies = rules.policies.map(policyOf).filter(({ enabled }) => enabled)
  const before = governanceWith(settings, rules, policies)
  const after = governanceWith(settings, rules, policies, { lexicon })
  return {
    valid: true as const,
    warnings: lexiconWarnings(lexicon),
    replay: await replay(ctx, count, before, after),
  }
}

const AT_ONCE = 8
const SAMPLES_MAX = 20

/** The rules by which decisions would be made. `more`: other words than the stored ones. */
function governanceWith(
  settings: Governance['settings'],
  rules: StoredRules,
  policies: readonly Policy[],
  more: Pick<Governance, 'lexicon'> = moreRules(rules),
): Governance {
  return {
    policy_set_version: policySetVersion(policies, settings, { ...moreRules(rules), ...more }),
    settings,
    set: compileSet(policies, datesOf(rules.calendars)),
    lexicon: more.lexicon,
  }
}

/** Decides on the latest `count` executions again, under the present rules and under changed ones, and returns what would differ. */
export async function replay(ctx: Context, count: number, before: Governance, after: Governance) {
  const { items, complete } = count > 0 ? await latestExecutions(ctx, count) : { items: [], complete: true }
  const opened = await inParallel(AT_ONCE, items, (execution) => openPast(ctx, execution))
  const past = opened.filter((each) => each !== undefined)
  const changed = await changesIn(ctx, past, before, after)
  const by_change: Record<string, number> = {}
  for (const { change } of changed) by_change[change] = (by_change[change] ?? 0) + 1
  return {
    evaluated: items.length,
    changed: changed.length,
    by_change,
    samples: changed.slice(0, SAMPLES_MAX).map(({ request_id }) => request_id),
    ...(!complete && warmingOf(past, changed, lookBack(before, after))),
  }
}

/** How far (ms) policies look back. */
function lookBack(...courses: readonly Governance[]): number {
  const policies = courses.flatMap(({ set }) => set.policies.map(({ policy }) => policy))
  return Math.max(0, ...policies.flatMap(({ limit, after }) => [limitLooks(limit), afterLooks(after)]))
}
const limitLooks = (limit: Policy['limit']) => (limit ? windowSeconds(limit.window) * 1_000 : 0)
const afterLooks = (after: Policy['after']) => (after ? lasts(after, 0) * 1_000 : 0)

/** The first executions, whose decisions may depend on a history that is not read. */
function warmingOf(past: readonly Past[], changed: readonly Change[], looks: number) {
  if (looks === 0 || past.length === 0) return {}
  const warm = Math.min(...past.map(({ question }) => question.at)) + looks
  const evaluated = past.filter(({ question }) => question.at < warm).length
  return { warm_from: iso(warm), warming: { evaluated, changed: changed.filter(({ at }) => at < warm).length } }
}

type Change = { request_id: string; at: number; change: string }

/**
 * The executions whose decision differs, newest first. They are decided on in the order of their requests, so that limits and sequences of
 * each set count the actions that would have run under it.
 */
async function changesIn(
  ctx: Context,
  past: readonly Past[],
  before: Governance,
  after: Governance,
): Promise<Change[]> {
  const [one, other] = [new Course(before), new Course(after)]
  const ordered = past.toSorted((a, b) => (a.execution.id < b.execution.id ? -1 : 1))
  const changes: Change[] = []
  for (const each of ordered) {
    const from = await one.next(ctx, each)
    const to = await other.next(ctx, each)
    const { execution, question } = each
    if (from !== to) changes.push({ request_id: execution.id, at: question.at, change: `${from}->${to}` })
  }
  return changes.toReversed()
}

/** How things would have gone under one set of policies. */
class Course {
  readonly #governance: Governance
  readonly #counters = new PastCounters()
  readonly #marks: PastActions

  constructor(governance: Governance) {
    this.#governance = governance
    this.#marks = new PastActions(governance.set)
  }

  /** What becomes of the next execution. */
  async next(ctx: Context, past: Past): Promise<string> {
    const { execution, question: asked } = past
    const { action, payload, learned, at } = asked
    const governance = this.#governance
    const classification = await classifyAction(action, payload, governance, learned.standing?.trust)
    const followed = this.#marks.followed(execution, at)
    const question = { ...asked, classification, governance, followed }
    const plans = await plansOf(ctx, question)
    const decision = await evaluateAction(ctx, { ...question, over: this.#counters.over(plans, at) })
    const runs = decision.outcome === 'run' || (decision.outcome === 'hold' && hasStarted(execution))
    this.#counters.add(plans, at, runs)
    if (runs) this.#leaveMarks(past, decision)
    return decision.outcome === 'reject' ? 'REJECT' : decision.tier
  }

  #leaveMarks({ execution, question: { action, at }, answer }: Past, { outcome, routing_decision }: Decision): void {
    const begins = outcome === 'run' ? at : begunAt(execution, at)
    this.#marks.began(execution, { action, kind: routing_decision.kind }, begins)
    if (this.#governance.settings.pii_mode === 'off') return
    const { executed_at } = execution
    this.#marks.answered(execution, answer, executed_at === undefined ? begins : Date.parse(executed_at))
  }
}

/** An execution of the past, ready to be decided on again. */
type Past = {
  execution: Execution
  question: Omit<Question, 'governance' | 'classification' | 'over' | 'followed'> & { at: number }
  answer: PastAnswer
}

/** The facts of an erased payload are missing. Undefined where the action is no longer registered. */
async function openPast(ctx: Context, execution: Stored<Execution>): Promise<Past | undefined> {
  const action = await findAction(ctx.table, ctx.space, execution.node_id, execution.action_id)
  if (!action) return undefined
  const at = timeOfId(execution.id)
  const { opened } = await openSealed(ctx, execution)
  const [learned, origin] = await Promise.all([learnedAt(ctx, execution, at), openOrigin(ctx, execution)])
  const question = {
    action,
    payload: opened.payload,
    asked: execution.asked,
    requester: { ...requesterOf(execution), roles: origin?.roles },
    origin,
    agent_id: execution.agent_id,
    agent_bound: execution.agent_bound,
    decision_contract_id: execution.decision_contract_id,
    context: contextOf(execution),
    frozen: [],
    learned,
    at,
  }
  return { execution, question, answer: answerIn(execution, opened, action) }
}

/** An execution with a target that never ran might have answered anything; so might one whose sealed parts were removed. */
export function answerIn(execution: Execution, { payload, output }: Opened, { endpoint }: LoadedAction): PastAnswer {
  if (output !== undefined) return { output }
  if (execution.output) return 'unknown' // erased
  if (!endpoint.target) return 'none'
  const hasAnswered = execution.status === 'executed' || execution.status === 'undone'
  return !hasStarted(execution) || (hasAnswered && payload === null) ? 'unknown' : 'none'
}

/** An action that would be held runs if people let it run then. */
const hasStarted = ({ status }: Execution): boolean =>
  ['executing', 'executed', 'failed', 'outcome_unknown', 'undone'].includes(status)

/** When a held action began. */
export function begunAt({ artifacts }: Execution, asked: number): number {
  const first = artifacts.find(({ type }) => type === 'execution.started' || type === 'protocol.executed')
  return first ? Date.parse(first.at) : asked
}
