// What an action does by its payload, whatever its name says: it carries a secret or personal data out, writes to more people outside
// than the tenant permits, or holds an operation that acts (`{"operation": "delete"}` under `get_item`).
import { higherKind, KINDS, type Kind } from '../../base/catalog/kinds.ts'
import type { Endpoint, Node } from './endpoint.ts'
import type { Reason } from './declared.ts'
import { asDomains, hostOf, isInside } from './domains.ts'
import { HOOKS } from './lexicon.ts'
import { readName } from './names.ts'
import { NOT_UNDERSTOOD, type Reading } from './readings.ts'
import type { GovernanceSettings } from './settings.ts'
import type { Inspection } from './signals.ts'
import { tokensOf } from './tokens.ts'
import { wordOf, wordSet } from './words.ts'

type Asked = {
  node?: Partial<Pick<Node, 'endpoints'>> | undefined
  endpoint: Endpoint
  /** As name, description and wire say. */
  kind: Kind
  inspection: Inspection
  settings: Pick<GovernanceSettings, 'domains' | 'bulk_limit'>
}

const hooks = wordSet(HOOKS)

const targetsOf = (endpoints: readonly Endpoint[]): string[] =>
  endpoints.flatMap(({ target }) => (target?.type === 'http' ? (hostOf(target.url) ?? []) : []))

/** Whether a link leads outside the tenant's domains and the targets of the node, or to a host that cannot be told. */
function leadsOutside({ node, inspection: { signals }, settings }: Asked): boolean {
  if (signals.url_hosts?.length === 0) return false
  const known = asDomains([...settings.domains, ...targetsOf(node?.endpoints ?? [])])
  return signals.url_hosts?.some((host) => !isInside(hostOf(host) ?? '', known)) ?? true
}

/** Whether the action makes another system listen. */
const isHook = (kind: Kind, { action_id }: Endpoint): boolean =>
  KINDS[kind].tier !== 'AUTO' && tokensOf(action_id).some((token) => hooks.has(token))

function isCarriedOut(asked: Asked): boolean {
  const { inspection, settings, kind, endpoint } = asked
  const { signals, outside, personal } = inspection
  if (outside > settings.bulk_limit || (signals.secrets && inspection.external)) return true
  return (signals.secrets || personal || isHook(kind, endpoint)) && leadsOutside(asked)
}

/** An operation that is asked for in the payload. Of two meanings of a word, `mode` and `method` have the harmless one. */
function actOf({ member, text }: Inspection['operations'][number]): Reading | undefined {
  const reading = readName(text, { outward: false, described: undefined })
  if (!reading || reading === NOT_UNDERSTOOD || KINDS[reading.kind].tier === 'AUTO') return undefined
  return /^(?:mode|method)$/.test(member) && wordOf(reading.word)?.noun ? undefined : reading
}

const CARRIED: Reading = { kind: 'message_external', word: 'carried out' }

/** The kind by name and payload, with the reasons that the payload adds. */
export function withPayload(asked: Asked): { kind: Kind; reasons: Reason[] } {
  const found: [signal: string, Reading][] = asked.inspection.operations.flatMap((operation) => {
    const act = actOf(operation)
    return act ? [['operation', act]] : []
  })
  if (isCarriedOut(asked)) found.push(['carries_out', CARRIED])
  const kind = found.reduce((highest, [, reading]) => higherKind(highest, reading.kind), asked.kind)
  const reasons = found
    .filter(([, reading]) => higherKind(asked.kind, reading.kind) !== asked.kind)
    .map(([signal, { kind: said, word }]): Reason => ({ signal, value: word, floor: KINDS[said].tier }))
  return { kind, reasons }
}
