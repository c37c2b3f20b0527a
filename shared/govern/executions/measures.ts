// Which figures the transitions of an execution state for everything that is counted.
import { type Tier, TIERS } from '../../base/catalog/kinds.ts'
import {
  CONDUCT,
  DECIDED,
  DIRECTIONS,
  HIT_RESULTS,
  OUTCOMES,
  PII_ACTIONS,
  PII_TYPES,
  place,
  RESULTS,
  TRIED,
} from '../../base/catalog/measure-words.ts'
import type { Measure } from '../../base/catalog/measures.ts'
import type { Json } from '../../base/lib/json.ts'
import type { Hit } from '../governance/decide/hits.ts'
import type { PiiFound } from '../governance/pii/event.ts'
import type { Execution } from './execution.ts'
import type { Submission } from './submission.ts'
import { ARMS, unpackUsed } from '../learned/learned.ts'
import { actorsOf, type Conducted } from '../../ledger/conduct/conduct.ts'

/** Of the first transaction of every execution. */
export function decided({ decision, payload, pii }: Submission, draft: Execution): Measure[] {
  const { latency_ms, agent_bound } = draft
  const outcome = decision.rejection ? 'rejected' : decision.outcome === 'hold' && !draft.grant_id ? 'held' : 'run'
  const tier = place(TIERS, decision.routing_decision.tier)
  const d: Measure = ['d', tier, place(OUTCOMES, outcome), latency_ms, agent_bound ? 1 : 0, bytesOf(payload)]
  return [d, ...personalData(pii), ...tried(draft, ['assigned', 1, 0]), ...hits(decision.hits, draft)]
}

/** One for each rule that did not let the action pass. */
const hits = (all: readonly Hit[], { undo_of }: Execution): Measure[] =>
  all.map(({ policy_id, result, otherwise, shadow, unknown }) => [
    'h',
    policy_id,
    place(HIT_RESULTS, result),
    place(DECIDED, otherwise),
    shadow ? 1 : 0,
    unknown ? 1 : 0,
    undo_of === undefined ? 0 : 1,
  ])

/** Of the transaction that stores a document with personal data. */
export const personalData = (found: Pick<PiiFound, 'direction' | 'action' | 'types'> | undefined): Measure[] =>
  found && Object.keys(found.types).length > 0
    ? [['p', place(DIRECTIONS, found.direction), place(PII_ACTIONS, found.action), ...countsByType(found.types)]]
    : []

/** The place of each type and how often it was found. */
const countsByType = (types: Partial<Record<string, number>>): number[] =>
  PII_TYPES.flatMap((type, index) => (types[type] === undefined ? [] : [index, types[type]]))

type Ran = {
  tier: Tier
  /** Since the request arrived; null where a person decided in between. */
  ms: number | null
  output?: Json | undefined
  /** Tokens are estimated by it where none are reported. */
  payload?: Json | undefined
  /** What looks like a report of tokens is none: they are counted by the length of payload and output. */
  estimated?: boolean | undefined
}

/** Of the transaction that ends a run; with the tokens that the target says it has used. */
export function ran(
  result: (typeof RESULTS)[number],
  { tier, ms, output, payload, estimated = false }: Ran,
): Measure[] {
  const end = ms === null ? null : Math.max(0, Math.round(ms))
  const bytes = output === undefined ? 0 : bytesOf(output)
  const tokens = estimated ? [] : tokensOf(output)
  const asked = result === 'ok' && tokens.length === 0 && payload !== undefined ? [bytesOf(payload)] : []
  return [['r', place(RESULTS, result), place(TIERS, tier), end, bytes, ...asked], ...tokens]
}

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

const TOKENS_MAX = 1_000_000_000
const isTokens = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= TOKENS_MAX

/** `usage {input_tokens, output_tokens}` at the top of an answer; anything else there reports nothing. */
function tokensOf(output: Json | undefined): Measure[] {
  if (typeof output !== 'object' || output === null || Array.isArray(output)) return []
  const { usage } = output
  if (typeof usage !== 'object' || usage === null || Array.isArray(usage)) return []
  const { input_tokens = 0, output_tokens = 0 } = usage
  const reported = isTokens(input_tokens) && isTokens(output_tokens) && input_tokens + output_tokens > 0
  return reported ? [['t', input_tokens, output_tokens]] : []
}

type Judged = Pick<Execution, 'learned'>
type Counted = [what: (typeof TRIED)[number], n: 0 | 1, k: 0 | 1]

/** What a transition adds to the arm of a live test whose model decided on the execution. */
export function tried({ learned }: Judged, ...counted: Counted[]): Measure[] {
  const { drawn } = unpackUsed(learned)
  if (!drawn) return []
  const { test_id, arm, unit } = drawn
  return counted.map(([what, n, k]) => [
    'y',
    test_id,
    arm === ARMS[1] ? 1 : 0,
    place(TRIED, what),
    n,
    k,
    ...(unit === undefined ? [] : [unit]),
  ])
}

/** The action ran, or it failed; of those that ran with a window for it, some are undone later. */
export const triedRun = (execution: Judged, executed: boolean, undoable: boolean): Measure[] =>
  tried(
    execution,
    ['failure_rate', 1, executed ? 0 : 1],
    ...(executed && undoable ? [['undo_rate', 1, 0] as Counted] : []),
  )

export const triedUndo = (execution: Judged): Measure[] => tried(execution, ['undo_rate', 0, 1])

type Requested = Pick<Execution, 'requested_by' | 'agent_id' | 'agent_bound' | 'undo_of'>

export const actorsBehind = ({ requested_by, agent_id, agent_bound }: Omit<Requested, 'undo_of'>): string[] =>
  actorsOf({ ...requested_by, agent_id, agent_bound })

/** What a later transaction than the first adds to the conduct of the requester and its agent. An undo adds nothing of its own. */
export function conducted(execution: Requested, what: Conducted): Measure[] {
  const actors = execution.undo_of === undefined ? actorsBehind(execution) : []
  return actors.length > 0 ? [['k', place(CONDUCT, what), ...actors]] : []
}

/** The same for the first transaction, whose events name the requester already. */
export const conductedAtOnce = (execution: Requested, what: Conducted): Measure[] =>
  conducted(execution, what).map(([code, added]) => [code, added] as Measure)

/** Rules about the action itself; a limit, a sequence, a freeze, a full queue or a changed manifest is nobody's misconduct. */
const VIOLATIONS = /^(?:pol_|pii$|persona:)/

type Cause = { policy_id: string; history?: true | undefined }

export const isViolation = ({ policy_id, history }: Cause): boolean => !history && VIOLATIONS.test(policy_id)
