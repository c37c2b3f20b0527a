// The filters of the audit log and the view of an entry.
import * as z from 'zod'
import { ListQuery } from '../../base/wire/pagination.ts'
import { MODES } from '../../base/table/members.ts'
import { AuditEntry, OUTCOMES } from './entry.ts'

const Instant = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text))

export const AuditFilters = z.object({
  actor_id: z.string().min(1).max(200).optional().describe('Only actions of this person, key or client.'),
  actor_type: z.string().max(40).optional().describe('Only actions of actors of this kind.'),
  /** Through which a person acted, or which acted for itself. */
  client_id: z
    .string()
    .max(200)
    .optional()
    .describe('Only actions of this OAuth client, in the name of people or its own.')
    .meta({ examples: ['cli_01JD3Q8Z5N7V2W9X4Y6T1S0RPM'] }),
  /** An exact action, or a prefix followed by `.*`. */
  action: z
    .string()
    .max(100)
    .optional()
    .describe('Only entries of this kind, as `resource.verb`.')
    .meta({ examples: ['api_key.created'] }),
  resource_type: z.string().min(1).max(100).optional().describe('Only entries about resources of this kind.'),
  resource_id: z.string().min(1).max(200).optional().describe('Only entries about this resource.'),
  outcome: z.enum(OUTCOMES).optional().describe('Only entries with this outcome.'),
  ip: z.string().max(64).optional().describe('Only requests from this address.'),
  request_id: z
    .string()
    .max(64)
    .optional()
    .describe('Only of this execution.')
    .meta({ examples: ['exe_01JD3Q8Z5N0A2C4E6G8J0M2P4R'] }),
  environment: z.enum(MODES).optional().describe('Only of real data, or only of the sandbox.'),
  /** Inclusive. */
  start_at: Instant.optional()
    .describe('From this time on, ISO 8601.')
    .meta({ examples: ['2026-10-01T00:00:00.000Z'] }),
  /** Exclusive. */
  end_at: Instant.optional()
    .describe('Up to this time, ISO 8601.')
    .meta({ examples: ['2026-11-01T00:00:00.000Z'] }),
  /** Part of the action or of the resource's name. */
  q: z.string().min(1).max(100).optional().describe('Only items that contain this text; case is ignored.'),
  order: z.enum(['desc', 'asc']).optional().describe('Oldest first (`asc`) or newest first.'),
})
export type AuditFilters = z.output<typeof AuditFilters>

export const AuditQuery = ListQuery.extend(AuditFilters.shape)

export const AuditView = AuditEntry.omit({ tenant_id: true, mode: true }).extend({
  changes: z
    .array(
      z.object({
        path: z.string().describe('The path within the resource.'),
        before: z.unknown().optional().describe('The value before the change.'),
        after: z.unknown().optional().describe('The value after the change.'),
      }),
    )
    .describe('The changes, member by member.'),
  environment: z.enum(MODES).describe('The mode of the data.'),
})

export const auditView = ({ mode, ...entry }: AuditEntry): z.input<typeof AuditView> => ({
  ...entry,
  environment: mode,
})

type Test = (entry: AuditEntry) => boolean

/** A test of the filters; undefined without filters other than time bounds. */
export function matching(filters: AuditFilters): Test | undefined {
  const tests = [
    test(
      filters.actor_id,
      (wanted) =>
        ({ actor }) =>
          actor.id === wanted,
    ),
    test(
      filters.actor_type,
      (wanted) =>
        ({ actor }) =>
          actor.type === wanted,
    ),
    test(
      filters.client_id,
      (wanted) =>
        ({ actor }) =>
          actor.client_id === wanted,
    ),
    test(filters.action, (wanted) => isAction(wanted)),
    test(
      filters.resource_type,
      (wanted) =>
        ({ resource }) =>
          resource.type === wanted,
    ),
    test(
      filters.resource_id,
      (wanted) =>
        ({ resource }) =>
          resource.id === wanted,
    ),
    test(
      filters.outcome,
      (wanted) =>
        ({ outcome }) =>
          outcome === wanted,
    ),
    test(
      filters.ip,
      (wanted) =>
        ({ ip }) =>
          ip === wanted,
    ),
    test(
      filters.request_id,
      (wanted) =>
        ({ request_id }) =>
          request_id === wanted,
    ),
    test(
      filters.environment,
      (wanted) =>
        ({ mode }) =>
          mode === wanted,
    ),
    test(
      filters.q?.toLowerCase(),
      (part) =>
        ({ action, resource }) =>
          `${action}\n${resource.name ?? ''}`.toLowerCase().includes(part),
    ),
  ].filter((one) => one !== undefined)
  return tests.length === 0 ? undefined : (entry) => tests.every((holds) => holds(entry))
}

const test = <T>(wanted: T | undefined, make: (wanted: T) => Test): Test | undefined =>
  wanted === undefined ? undefined : make(wanted)

function isAction(wanted: string): Test {
  if (!wanted.endsWith('.*')) return ({ action }) => action === wanted
  const prefix = wanted.slice(0, -1)
  return ({ action }) => action.startsWith(prefix)
}
