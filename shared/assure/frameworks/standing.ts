// What was last seen of a framework: the status of each of its controls, so that the next look finds what has moved, and the
// last full run. Each move is an item of its own, and so is the score of each day.
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { entity, key, padded, spaceKey } from '../../base/table/entity.ts'
import { spaceMembers } from '../../base/table/members.ts'
import { FRAMEWORK_IDS, type FrameworkId } from '../catalogue/framework-ids.ts'
import { compliancePartition } from '../checks/check-result.ts'
import { CONTROL_STATUSES } from './control-view.ts'

const status = z.enum(CONTROL_STATUSES)
const members = { ...spaceMembers, framework_id: z.enum(FRAMEWORK_IDS) }
type Of = Space & { framework_id: FrameworkId }

export const Standing = z.object({
  ...members,
  /** By the id of the control in paths; `at` is when it was first seen so. */
  statuses: z.record(z.string(), z.object({ status, at: z.string() })),
  /** The last full run while the framework was enabled. */
  last_run: z.object({ id: z.string(), ended_at: z.string() }).optional(),
})
export type Standing = z.output<typeof Standing>

/** One per framework, not per control: all moves of a framework are found and stored in one transaction. */
export const standings = entity({
  name: 'STANDING',
  unbound: 'bounded',
  schema: Standing,
  key: (of: Of) => ({ pk: compliancePartition(of), sk: key('STAND', of.framework_id) }),
})

export const Move = z.object({
  ...members,
  control_key: z.string(),
  /** Revision of the standing that it belongs to. */
  revision: z.int(),
  at: z.string(),
  from: status,
  to: status,
  reason: z.string(),
})
export type Move = z.output<typeof Move>

type OfControl = Of & { control_key: string }
export const movesPartition = (space: Space): string => spaceKey(space, 'COMPLIANCE', 'MOVES')
export const movesOf = ({ framework_id, control_key }: OfControl): string => `${key(framework_id, control_key)}#`

export const moves = entity({
  name: 'CONTROL_MOVE',
  unbound: 'bounded',
  schema: Move,
  key: (of: OfControl & { revision: number }) => ({
    pk: movesPartition(of),
    sk: `${movesOf(of)}${padded(of.revision)}`,
  }),
})

export const Point = z.object({ ...members, date: z.string(), score: z.number(), met: z.int(), total: z.int() })
export type Point = z.output<typeof Point>

export const pointsPartition = (of: Of): string => spaceKey(of, 'POSTURE', of.framework_id)

export const points = entity({
  name: 'POSTURE_POINT',
  unbound: 'bounded',
  schema: Point,
  key: (of: Of & { date: string }) => ({ pk: pointsPartition(of), sk: of.date }),
})
