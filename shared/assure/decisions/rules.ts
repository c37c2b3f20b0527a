// Pure rules: who may decide on submitted evidence, and how long accepted evidence holds.
import { DAY_MS, iso } from '../../base/lib/clock.ts'
import { actsDirectly, type Principal } from '../../base/context.ts'
import { forbidden } from '../../base/lib/failure.ts'
import type { Submission } from '../submissions/submission.ts'

export type DecisionSettings = { require_human_approver: boolean | null; allow_self_approval: boolean }

/** Whoever submitted it, or could have. */
export const isSelf = (
  { submitted_by, persons }: Pick<Submission, 'submitted_by' | 'persons'>,
  principal: Pick<Principal, 'id' | 'persons'>,
): boolean => principal.id === submitted_by.id || principal.persons.some((person) => persons.includes(person))

/** Throws 403. Evidence is judged by people, or by software that no agent acts through, and never by its own side. */
export function mustMayDecide(submission: Submission, principal: Principal, settings: DecisionSettings): void {
  if (!principal.permissions.has('compliance:write'))
    throw forbidden('You need the permission compliance:write to decide on evidence. Ask an administrator for it.')
  if (principal.agent_id !== undefined) throw forbidden('An agent cannot decide on evidence. Ask a person to do it.')
  if (
    settings.require_human_approver === true &&
    !actsDirectly({ type: principal.kind, client_id: principal.client_id })
  )
    throw forbidden('Your tenant requires a person to decide. Sign in to decide on evidence.', {
      code: 'person_required',
    })
  if (isSelf(submission, principal) && !settings.allow_self_approval)
    throw forbidden('You cannot decide on evidence that you could have submitted. Ask another reviewer.')
}

/** Where it names no enabled framework. */
const VALIDITY_DAYS = 180

/** As it was submitted; else so long after it was made as the strictest of the enabled frameworks that it names lets it. */
export function validUntil(
  { valid_until, collected_at, control_refs }: Submission,
  enabled: readonly { framework_id: string; evidence_validity_days: number }[],
): string {
  if (valid_until !== undefined) return valid_until
  const days = enabled
    .filter(({ framework_id }) => control_refs.some((ref) => ref.framework_id === framework_id))
    .map(({ evidence_validity_days }) => evidence_validity_days)
  return iso(Date.parse(collected_at) + (days.length === 0 ? VALIDITY_DAYS : Math.min(...days)) * DAY_MS)
}
