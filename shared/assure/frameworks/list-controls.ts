import * as z from 'zod'
import { CHECKS, SEVERITIES } from '../catalogue/catalogue.ts'
import { CONTROL_STATUSES, CONTROL_TYPES, type ControlView } from './control-view.ts'

export const ControlFilters = z.object({
  status: z.enum(CONTROL_STATUSES).optional().describe('Only those in this state.'),
  type: z.enum(CONTROL_TYPES).optional().describe('Only of this type.'),
  family: z.string().max(64).optional().describe('Only of this family.'),
  check: z
    .enum(CHECKS.map(({ id }) => id))
    .optional()
    .describe('Only controls that this check speaks for.'),
  owner: z.string().max(128).optional().describe('Only what this person looks after.'),
  q: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('Only controls whose id or title contains this text; case is ignored.'),
  order: z
    .enum(['id', 'gain'])
    .optional()
    .describe('In the order of the framework (`id`), or what raises the score most first.'),
})
export type ControlFilters = z.output<typeof ControlFilters>

/** In the order of the catalogue, or what raises the score most first. */
export function filtered(views: readonly ControlView[], { order, ...filters }: ControlFilters): ControlView[] {
  const found = views.filter((view) => matches(view, filters))
  return order === 'gain' ? found.toSorted(byGain) : found
}

function matches(view: ControlView, { status, type, family, check, owner, q }: ControlFilters): boolean {
  const wanted = [status, type, family, owner]
  const actual = [view.status, view.type, view.family, view.owner_user_id]
  return (
    wanted.every((value, index) => value === undefined || value === actual[index]) &&
    (check === undefined || view.checks.some(({ check_id }) => check_id === check)) &&
    (q === undefined || `${view.id} ${view.title}`.toLowerCase().includes(q.toLowerCase()))
  )
}

const byGain = (a: ControlView, b: ControlView): number =>
  b.gain - a.gain || SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity)
