// What the transitions of an execution add to the conduct of whoever requested it. An undo adds nothing of its own.
import { CONDUCT, place } from '../../base/catalog/measure-words.ts'
import type { Measure } from '../../base/catalog/measures.ts'
import { actorsOf } from '../../ledger/conduct/actors.ts'
import type { Conducted } from '../../ledger/conduct/conduct.ts'
import type { Execution } from './execution.ts'

type Of = Pick<Execution, 'requested_by' | 'agent_id' | 'agent_bound' | 'undo_of'>

export const actorsBehind = ({ requested_by, agent_id, agent_bound }: Omit<Of, 'undo_of'>): string[] =>
  actorsOf({ ...requested_by, agent_id, agent_bound })

/** Of a later transaction than the first. */
export function conducted(execution: Of, what: Conducted): Measure[] {
  const actors = execution.undo_of === undefined ? actorsBehind(execution) : []
  return actors.length > 0 ? [['k', place(CONDUCT, what), ...actors]] : []
}

/** Of the first transaction, whose events name the requester already. */
export const conductedAtOnce = (execution: Of, what: Conducted): Measure[] =>
  conducted(execution, what).map(([code, added]) => [code, added] as Measure)

/** Rules about the action itself; a limit, a sequence, a freeze, a full queue or a changed manifest is nobody's misconduct. */
const VIOLATIONS = /^(?:pol_|pii$|persona:)/

type Cause = { policy_id: string; history?: true | undefined }

export const isViolation = ({ policy_id, history }: Cause): boolean => !history && VIOLATIONS.test(policy_id)
