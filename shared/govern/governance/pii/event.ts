// A PII event: how much personal data passed through an execution, and of which types. It never holds a value.
import * as z from 'zod'
import { DIRECTIONS, PII_ACTIONS } from '../../../base/catalog/measure-words.ts'
import type { Space } from '../../../base/context.ts'
import { iso } from '../../../base/lib/clock.ts'
import { timeOfId } from '../../../base/lib/ids.ts'
import { entity, key, spaceKey } from '../../../base/table/entity.ts'
import { spaceMembers } from '../../../base/table/members.ts'

export const PiiEvent = z.lazy(() =>
  z.object({
    ...spaceMembers,
    execution_id: z.string().describe('Id of the execution.'),
    node_id: z.string().describe('Id of the node.'),
    at: z.string().describe('When it happened.'),
    direction: z.enum(DIRECTIONS).describe('Whether the execution was given it or gave it back.'),
    /** `redacted`: readers see placeholders. `blocked`: the request was refused. */
    action: z.enum(PII_ACTIONS).describe('What became of it: seen and let through, shown as placeholders, or refused.'),
    types: z.record(z.string(), z.int()).describe('How often each type was found.'),
    /** The kind of action, or a recipient of it, takes the data out of the tenant. */
    external: z.boolean().describe('Whether the action takes the data out of the tenant.'),
    truncated: z.boolean().describe('Only the first 256 Ki characters were looked at.'),
    /** Pseudonyms (16 hex digits) of the first 20 values: equal ones within a tenant are the same value. */
    links: z
      .array(z.string())
      .describe('Pseudonyms of the first 20 values. Equal ones in a tenant stand for equal values.'),
  }),
)
export type PiiEvent = z.output<typeof PiiEvent>

/** As long as the figures of an hour, so that a window of figures can be looked at event by event. */
export const PII_KEPT_MS = 400 * 86_400_000

/** The findings in one document, summed up. */
export type PiiFound = Pick<PiiEvent, 'direction' | 'action' | 'types' | 'external' | 'truncated' | 'links'>

export const piiPartition = (space: Space, month: string): string => spaceKey(space, 'PII', month)

/** The key follows from the execution, so that its erasure finds the event. The month (`yyyy-mm`) is that of the request. */
export const piiEvents = entity({
  name: 'PII',
  unbound: 'bounded',
  schema: PiiEvent,
  key: (of: Space & Pick<PiiEvent, 'execution_id' | 'direction'>) => ({
    pk: piiPartition(of, iso(timeOfId(of.execution_id)).slice(0, 7)),
    sk: key(of.execution_id.replace('exe_', ''), of.direction),
  }),
  ttl: ({ at }) => Math.floor((Date.parse(at) + PII_KEPT_MS) / 1_000),
})
