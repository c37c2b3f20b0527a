// A receiver that a tenant registered in one mode. Secrets and header values are stored sealed.
import * as z from 'zod'
import type { Context, Space } from '../../../base/context.ts'
import { Bytes } from '../../../ledger/evidence/artifact/artifact.ts'
import type { States } from '../../../base/lib/states.ts'
import { dueAt } from '../../../base/table/due.ts'
import { bound } from '../../../base/table/bound.ts'
import { spaceKey, type Stored } from '../../../base/table/entity.ts'
import { resourceMembers } from '../../../base/table/members.ts'
import { conflict, type Failure, notFound } from '../../../base/lib/failure.ts'
import type { Envelope } from '../../../ledger/events/event.ts'

export const ENDPOINT_STATUSES = ['active', 'error', 'disabled'] as const
export type EndpointStatus = (typeof ENDPOINT_STATUSES)[number]

export const ENDPOINT_STATES: States<EndpointStatus> = {
  active: ['error', 'disabled'],
  error: ['active', 'disabled'],
  disabled: ['active'],
}

const Scalar = z.union([z.string(), z.number(), z.boolean(), z.null()])

export const Endpoint = z.object({
  ...resourceMembers,
  name: z.string().describe('A name for people.'),
  url: z.string().describe('Address to which events are posted.'),
  /** Event types; `*` means all. */
  events: z
    .array(z.string())
    .describe('The types of events to deliver. `action.*` matches all types of an area, `*` all types.'),
  status: z.enum(ENDPOINT_STATUSES).describe('The current state.'),
  description: z.string().optional().describe('A description for people.'),
  metadata: z.record(z.string(), z.string()).optional().describe('Values that you choose.'),
  /** An event is sent only when its `data` has all of these members with these values. */
  filter: z.record(z.string(), Scalar).optional().describe('Only events with these values are delivered.'),
  header_names: z.array(z.string()),
  /** The current secret first. Former ones also sign until `expires_at`. */
  secrets: z
    .array(
      z.object({
        id: z.string().describe('The id, which never changes.'),
        created_at: z.string().describe('When it was created.'),
        expires_at: z.string().optional().describe('When it expires.'),
        hint: z.string().describe('The last characters, by which people can recognise it.'),
        /** The person to whom it was shown, or who chose it. */
        seen_by: z.string().optional().describe('The person who saw or chose the secret.'),
        /** When that person was removed. */
        rotation_due_since: z
          .string()
          .optional()
          .describe('Since when somebody who saw the secret is no longer a member.'),
      }),
    )
    .describe('The current secrets that sign deliveries, without their values.'),
  /** Secrets by id and header values by name. */
  sealed: Bytes,
  /** Exhausted deliveries since the last 2xx. */
  consecutive_failed: z.int().describe('The number of consecutive deliveries that failed after all retries.'),
  error_since: z.string().optional().describe('When the endpoint went into error.'),
  /** In `error`: when it is disabled, unless it recovers first. */
  disable_at: z
    .string()
    .optional()
    .describe('When an endpoint in error is disabled unless a delivery succeeds before.'),
  disabled_reason: z
    .enum(['unhealthy', 'gone', 'receiver_request', 'user', 'access_ended'])
    .optional()
    .describe('Why the endpoint is disabled. `access_ended`: the person who set its address has no access any more.'),
  created_at: z.string().describe('When it was created.'),
  updated_at: z.string().describe('When it was last changed.'),
  created_by: z
    .object({ type: z.string().describe('What kind of caller it is.'), id: z.string().describe('Id of the caller.') })
    .describe('The caller that created it.'),
  /** The person who set its address, or enabled it after it was disabled, with any of their credentials. */
  responsible: z.string().optional().describe('The person who set the address of the endpoint, or enabled it last.'),
})
export type Endpoint = z.output<typeof Endpoint>

export const endpointsKey = (space: Space): string => spaceKey(space, 'HOOKS')

export const endpoints = bound({
  name: 'HOOK',
  schema: Endpoint,
  key: (of: Space & { id: string }) => ({ pk: endpointsKey(of), sk: of.id }),
  // The sweeper disables it at this time, even when no event is sent to it.
  index: ({ id, status, disable_at }) => (status === 'error' && disable_at ? dueAt(disable_at, id) : {}),
})

const HIDDEN = '***'

/** Handlers add `last_delivery_at` and, once only, `secret`. */
export const EndpointView = z.object({
  ...Endpoint.omit({ tenant_id: true, mode: true, header_names: true, sealed: true }).shape,
  headers: z.record(z.string(), z.string()).optional().describe('Header fields to send.'),
  last_delivery_at: z.string().optional().describe('When a delivery last succeeded.'),
  version: z.int().describe('The version, which grows with each change. Send it as `If-Match` with the next change.'),
})
export type EndpointView = z.input<typeof EndpointView>

export const endpointView = ({ header_names, _v: version, ...endpoint }: Stored<Endpoint>): EndpointView => ({
  ...endpoint,
  ...(header_names.length > 0 && { headers: Object.fromEntries(header_names.map((name) => [name, HIDDEN])) }),
  version,
})

/** Throws the same 404 for a missing endpoint and for another tenant's. */
export async function findEndpoint({ table, space }: Context, id: string): Promise<Stored<Endpoint>> {
  const found = await table.get(endpoints, { ...space, id })
  if (!found) throw notFound('webhook endpoint')
  return found
}

/** Like `findEndpoint`, for sending to it. Throws 409 for a disabled endpoint. */
export async function findEnabled(ctx: Context, id: string): Promise<Stored<Endpoint>> {
  const found = await findEndpoint(ctx, id)
  if (found.status === 'disabled') throw conflict('This webhook endpoint is disabled. Enable it first.')
  return found
}

/** The 409 of a change that was made for another version. */
export const versionConflict = ({ _v }: Stored<Endpoint>): Failure =>
  conflict(`The resource is at version ${_v}. Read it again, then repeat your change.`, { code: 'version_conflict' })

/** Whether an endpoint receives an event. Its own status changes are not sent to it, since each failure would cause another. */
export function isSubscribed(
  endpoint: Pick<Endpoint, 'id' | 'status' | 'events' | 'filter'>,
  event: Envelope,
): boolean {
  const data: Readonly<Record<string, unknown>> = event.data
  if (endpoint.status === 'disabled') return false
  if (!endpoint.events.includes('*') && !endpoint.events.includes(event.type)) return false
  if (event.type.startsWith('webhook.endpoint.') && data.endpoint_id === endpoint.id) return false
  return Object.entries(endpoint.filter ?? {}).every(
    ([name, value]) => Object.hasOwn(data, name) && data[name] === value,
  )
}
