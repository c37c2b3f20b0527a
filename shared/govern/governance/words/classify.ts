// Classifies an action: a pure function of manifest, action, payload and settings. Neither the caller nor a hint can loosen the
// result. A description may explain a name that says nothing, never lower a name that says something. What is not understood is
// HARD. The payload can raise the kind: an action that carries a secret or personal data out, that writes to more people outside than
// the tenant permits, or that holds an operation that acts (`{"operation": "delete"}` under `get_item`).
import type { Json } from '../../../base/lib/json.ts'
import type { Endpoint, Node } from '../endpoint.ts'
import { totalOf } from '../payload/amounts.ts'
import { clausesOf, wordsOfClause } from './clauses.ts'
import { readCommand } from './command.ts'
import { declaredFloors, hard, hintedTier, type Reason } from '../payload/declared.ts'
import { type Action, knownOf, type Opinions, raiseByTenant, startingFrom } from './opinions.ts'
import { higherKind, type Kind, KINDS, maxTier, type Tier } from '../../../base/catalog/kinds.ts'
import { raisedByTenant } from './tenant-words.ts'
import type { GovernanceSettings } from '../settings.ts'
import { inspect, type Inspection } from '../payload/signals.ts'
import { mixesScripts, tokensOf } from './tokens.ts'
import { asDomains, hostOf, isInside } from '../domains.ts'
import { HOOKS } from './lexicon.ts'
import { readName } from './names.ts'
import { NOT_UNDERSTOOD, type Reading } from './readings.ts'
import { wordOf, wordSet } from './words.ts'

export type Classification = {
  kind: Kind
  /** The tier of the kind. Relaxing policies and routing rules may replace it. */
  base: Tier
  /** The strictest of class floor, declared floors and computed floors. Nothing lowers the tier below it. */
  floor: Tier
  /** The stricter of base and floor; HARD where that is SOFT and the action is irreversible. */
  tier: Tier
  /** The strictest floor that the manifest declares, or that follows from its target. */
  declared: Tier
  /** The strictest floor that payload and spelling ask for. */
  computed: Tier
  reasons: Reason[]
  /** 0..1, two decimals: the share of opinions that agree with the tier. */
  confidence: number
  /** 0..100. Orders queues and is a fact for policies. The tier does not depend on it. */
  risk: number
  /** The signals of the payload, and where it holds personal data. */
  inspection: Inspection
}

type Circumstances = {
  settings: GovernanceSettings
  /** 0..100, of the agent, key or client; absent for a person. */
  trust?: number | undefined
}

/** Classifies an action of a manifest. Without `payload` it classifies what its author declared. */
export function classify(question: Action & Circumstances & { payload?: Json | undefined }): Classification {
  const { opinions, spelling, roles, wire } = knownOf(question)
  return conclude({
    ...question,
    opinions,
    spelling,
    wire,
    inspection: inspect(question.payload, question.settings, { roles }),
  })
}

/** Classifies a command of `/agent/execute` by its text. In `payload`, which holds it, the text is prose and has no role. */
export function classifyCommand(
  question: Circumstances & { command: string; payload: Json; endpoint: Endpoint; lexicon?: Action['lexicon'] },
) {
  const { command, payload, settings, lexicon } = question
  const opinions = startingFrom('command', readCommand(command))
  if (lexicon) raiseByTenant(opinions, raisedByTenant(lexicon, clausesOf(command).flatMap(wordsOfClause)))
  return conclude({
    ...question,
    opinions,
    inspection: inspect(payload, settings, { prose: ['command'] }),
    spelling: hard('mixed_script', mixesScripts(command)),
    wire: [],
  })
}

type Findings = Circumstances & {
  node?: Action['node'] | undefined
  endpoint: Endpoint
  opinions: Opinions
  inspection: Inspection
  spelling: Reason[]
  wire: readonly Reason[]
}

function conclude({ node, endpoint, opinions, inspection, spelling, wire, settings, trust }: Findings): Classification {
  const { tiers } = opinions
  const { kind, reasons } = withPayload({ node, endpoint, kind: opinions.kind, inspection, settings })
  const { tier: kindTier, classFloor } = KINDS[kind]
  const mayBeSoft = kind === 'unknown' && endpoint.undo_action_id !== undefined
  const base = mayBeSoft ? settings.unknown_tier : kindTier
  const fromManifest = [...declaredFloors(endpoint, kind), ...wire]
  const fromPayload = payloadFloors(kind, inspection, settings)
  const declared = strictest(fromManifest)
  const computed = strictest([...spelling, ...fromPayload])
  const floor = maxTier(classFloor, declared, computed)
  const irreversible = hard(
    'irreversible',
    endpoint.annotations?.irreversible === true && maxTier(base, floor) === 'SOFT',
  )
  const tier = maxTier(base, floor, strictest(irreversible))
  const hinted = hintedTier(endpoint)
  return {
    kind,
    base,
    floor,
    tier,
    declared,
    computed,
    reasons: [...opinions.reasons, ...reasons, ...spelling, ...fromManifest, ...irreversible, ...fromPayload],
    confidence: confidenceOf(hinted ? [...tiers, hinted] : tiers, tier),
    risk: riskOf(kind, fromPayload.length, trust),
    inspection,
  }
}

/** Floors from the payload. For a reading action only statements, programs and requests in the payload count. */
function payloadFloors(kind: Kind, { signals, ...found }: Inspection, settings: GovernanceSettings) {
  const acts = KINDS[kind].tier !== 'AUTO'
  const cap = settings.amount_cap
  const isOverCap = cap !== null && (found.unreadableAmount || totalOf(found.amounts) > cap)
  return [
    ...hard('external_recipients', acts && found.external),
    ...hard('amount', acts && isOverCap),
    ...hard('bulk', acts && signals.bulk_count > settings.bulk_limit),
    ...hard('wildcard', acts && signals.wildcard),
    ...hard('sql_write', signals.sql_write),
    ...(found.statementMissing ? [{ signal: 'sql_missing', floor: 'SOFT' as const }] : []),
    ...hard('shell', signals.shell),
    ...hard('http_write', found.requestWrites),
    ...hard('secrets', acts && signals.secrets),
  ]
}

const TRUST_OF_STRANGERS = 50

function riskOf(kind: Kind, signals: number, trust = TRUST_OF_STRANGERS): number {
  const distrust = Math.max(0, TRUST_OF_STRANGERS - trust) / 5
  return Math.min(100, Math.round(KINDS[kind].risk + 10 * signals + distrust))
}

function confidenceOf(tiers: readonly Tier[], tier: Tier): number {
  const agreeing = tiers.filter((each) => each === tier).length
  return Math.round((100 * agreeing) / Math.max(2, tiers.length)) / 100
}

const strictest = (reasons: readonly Reason[]) => maxTier(...reasons.map(({ floor }) => floor))

type Asked = {
  node?: Partial<Pick<Node, 'endpoints'>> | undefined
  endpoint: Endpoint
  /** As name, description and wire say. */
  kind: Kind
  inspection: Inspection
  settings: Pick<GovernanceSettings, 'domains' | 'bulk_limit'>
}

/** The kind by name and payload, with the reasons that the payload adds. */
function withPayload(asked: Asked): { kind: Kind; reasons: Reason[] } {
  const found: [signal: string, Reading][] = asked.inspection.operations.flatMap((operation) => {
    const act = requestedAct(operation)
    return act ? [['operation', act]] : []
  })
  if (isCarriedOut(asked)) found.push(['carries_out', CARRIED])
  const kind = found.reduce((highest, [, reading]) => higherKind(highest, reading.kind), asked.kind)
  const reasons = found
    .filter(([, reading]) => higherKind(asked.kind, reading.kind) !== asked.kind)
    .map(([signal, { kind: said, word }]): Reason => ({ signal, value: word, floor: KINDS[said].tier }))
  return { kind, reasons }
}

/** An operation that is asked for in the payload. Of two meanings of a word, `mode` and `method` have the harmless one. */
function requestedAct({ member, text }: Inspection['operations'][number]): Reading | undefined {
  const reading = readName(text, { outward: false, described: undefined })
  if (!reading || reading === NOT_UNDERSTOOD || KINDS[reading.kind].tier === 'AUTO') return undefined
  return /^(?:mode|method)$/.test(member) && wordOf(reading.word)?.noun ? undefined : reading
}

const CARRIED: Reading = { kind: 'message_external', word: 'carried out' }

const hooks = wordSet(HOOKS)

function isCarriedOut(asked: Asked): boolean {
  const { inspection, settings, kind, endpoint } = asked
  const { signals, outside, personal } = inspection
  if (outside > settings.bulk_limit || (signals.secrets && inspection.external)) return true
  return (signals.secrets || personal || isHook(kind, endpoint)) && leadsOutside(asked)
}

/** Whether a link leads outside the tenant's domains and the targets of the node, or to a host that is not certain. */
function leadsOutside({ node, inspection: { signals }, settings }: Asked): boolean {
  if (signals.url_hosts?.length === 0) return false
  const known = asDomains([...settings.domains, ...targetsOf(node?.endpoints ?? [])])
  return signals.url_hosts?.some((host) => !isInside(hostOf(host) ?? '', known)) ?? true
}

const targetsOf = (endpoints: readonly Endpoint[]): string[] =>
  endpoints.flatMap(({ target }) => (target?.type === 'http' ? (hostOf(target.url) ?? []) : []))

/** Whether the action makes another system listen. */
const isHook = (kind: Kind, { action_id }: Endpoint): boolean =>
  KINDS[kind].tier !== 'AUTO' && tokensOf(action_id).some((token) => hooks.has(token))
