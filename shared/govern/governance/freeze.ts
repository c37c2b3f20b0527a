// Freezes stop actions even where policies allow them. Those in force are members of the pointer, which every request reads.
import * as z from 'zod'
import { KIND_NAMES, type Kind } from '../../base/catalog/kinds.ts'
import { actsDirectly, type ActorKind } from '../../base/context.ts'
import { eitherOf, id, plainText } from '../../base/wire/fields.ts'
import { addressNames, type Called, calledBy, hostName } from './decide/policy-facts.ts'
import type { Endpoint } from './endpoint.ts'
import type { Pointer } from './settings.ts'

const some = <S extends z.ZodType>(value: S) => z.array(value).min(1).max(20).optional()

const SCOPES = ['tenant', 'node_ids', 'action_kinds', 'agents', 'principals', 'hosts'] as const

const HOST = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/

/** What a freeze stops: exactly one of these. */
export const FreezeScope = z
  .strictObject({
    tenant: z.literal(true).optional().describe('The tenant.'),
    node_ids: some(id).describe(
      'Nodes by id. `*` matches any characters within one part of the id, `**` matches anything.',
    ),
    action_kinds: some(z.enum(KIND_NAMES)).describe('Kinds of actions.'),
    agents: some(plainText(120)).describe(
      'Agents by id. `*` matches any characters within one part of the id, `**` matches anything.',
    ),
    principals: some(id).describe(
      'Ids of people, API keys and OAuth clients. A person is frozen with everything that they stand behind.',
    ),
    hosts: some(z.string().max(253).regex(HOST, 'must be a host in lower case, without a port')).describe(
      'Hosts in lower case, without a port. Actions of every node that are carried out at one of them, or below it, are frozen.',
    ),
  })
  .refine(
    (scope) => SCOPES.filter((name) => scope[name] !== undefined).length === 1,
    `must have exactly one of ${SCOPES.join(', ')}`,
  )
  .meta(eitherOf(...SCOPES))
  .describe('What is frozen.')
export type FreezeScope = z.output<typeof FreezeScope>

/** `addresses`: where the targets of frozen nodes are, so that no other node calls them; see `addressesOf`. */
export type ActiveFreeze = { id: string; scope: FreezeScope; addresses?: string[] | undefined }

export const FREEZES_MAX = 20
/** With the settings beside them, the pointer stays within one read unit. */
export const FREEZES_BYTES_MAX = 3_072

/** A pointer that cannot be read must not let anything run, so this throws. */
export const readFreezes = ({ freezes }: Pick<Pointer, 'freezes'>): readonly ActiveFreeze[] =>
  freezes === undefined ? NONE : z.array(Active).parse(JSON.parse(freezes))

const NONE: readonly ActiveFreeze[] = []
const Active = z.object({ id: z.string(), scope: FreezeScope, addresses: z.array(z.string()).optional() })

/** The facts of an action by which a freeze stops it. */
export type Freezable = {
  node_id: string
  kind: Kind
  requester: { type: ActorKind; id: string; persons: readonly string[]; client_id?: string | undefined }
  agent_id?: string | undefined
  agent_bound?: true | undefined
  /** Where it is carried out; absent where the service calls nothing. */
  called?: Called | undefined
}

type Requested = {
  requested_by: { type: ActorKind; id: string }
  client_id?: string | undefined
  persons: readonly string[]
}

/** The requester of a stored action, and the client through which they asked. */
export const requesterOf = ({ requested_by, client_id, persons }: Requested): Freezable['requester'] => ({
  ...requested_by,
  client_id,
  persons,
})

/** A freeze that stops an action, and why it does. */
export type Frozen = { id: string; detail: string }

export const frozenBy = (freezes: readonly ActiveFreeze[], action: Freezable): Frozen[] =>
  freezes.flatMap(({ id: freeze, scope, addresses }) => {
    const detail = whyFrozen(scope, action) ?? whyAddressFrozen(addresses, action)
    return detail === undefined ? [] : [{ id: freeze, detail }]
  })

const PREFIX = 'freeze:'
export const ruleOf = ({ id: freeze }: { id: string }): string => `${PREFIX}${freeze}`
export const isFreeze = ({ policy_id }: { policy_id: string }): boolean => policy_id.startsWith(PREFIX)

function whyFrozen(scope: FreezeScope, action: Freezable): string | undefined {
  const { tenant, node_ids, action_kinds, agents, principals, hosts } = scope
  if (tenant) return 'all actions are frozen'
  if (node_ids?.includes(action.node_id)) return 'the actions of this node are frozen'
  if (action_kinds?.includes(action.kind)) return 'actions of this kind are frozen'
  if (agents && actsFor(agents, action)) return 'the agent is frozen that you act for or might act for'
  if (principals && isBehind(principals, action)) return 'the caller is frozen, or somebody who stands behind it'
  if (hosts && isAt(hosts, action)) return 'the host is frozen that the action is carried out at'
  return undefined
}

/** Whether the action calls one of the hosts or a name below it. A host that is not known may be any. */
function isAt(hosts: readonly string[], { called }: Freezable): boolean {
  if (!called) return false
  if (called.host === null) return true
  const name = hostName(called.host)
  return hosts.some((host) => name === host || name.endsWith(`.${host}`))
}

function whyAddressFrozen(addresses: readonly string[] = [], { called }: Freezable): string | undefined {
  const names = called && addresses.length > 0 ? addressNames(called) : undefined
  return names && (addresses.includes(names.address) || addresses.includes(names.host))
    ? 'the address that it calls is that of a frozen node'
    : undefined
}

/** More addresses than these are frozen by their hosts, because the pointer has no room for them. */
const ADDRESSES_MAX = 64

/** Where actions are carried out, by address or else by host. */
export function addressesOf(endpoints: readonly Pick<Endpoint, 'target'>[], max = ADDRESSES_MAX): string[] {
  const names = endpoints.flatMap((endpoint) => calledBy(endpoint) ?? []).map(addressNames)
  const addresses = [...new Set(names.map(({ address }) => address))]
  return addresses.length <= max ? addresses : [...new Set(names.map(({ host }) => host))]
}

/**
 * A caller that is bound to no agent may name another one tomorrow, so it is stopped with every agent. A person acts for the agent that
 * they name.
 */
function actsFor(agents: readonly string[], { agent_id, agent_bound, requester }: Freezable): boolean {
  if (agent_id !== undefined && agents.includes(agent_id)) return true
  return !agent_bound && !actsDirectly(requester)
}

const isBehind = (
  principals: readonly string[],
  { requester: { id: caller, client_id, persons } }: Freezable,
): boolean => [caller, client_id, ...persons].some((one) => one !== undefined && principals.includes(one))
