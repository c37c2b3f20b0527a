// Checks over what happened in the window, most of which a run counts in a walk of its own.
import { timeOfId } from '../../../base/lib/ids.ts'
import type { CountFact } from '../../../base/ports/check-facts.ts'
import { type Finding, noData, stateCheck } from '../check.ts'
import { days, finding, population } from './kinds.ts'

const FOLLOWED_UP = days(7)

/** Members that nobody has looked at do not hold. */
const withUnseen = (found: Finding, more: number): Finding => ({
  ...found,
  status: 'fail',
  detail: `${found.detail} ${more} more are too many of one day to be named.`,
  denominator: found.denominator + more,
  failing_count: found.failing_count + more,
})

/** Every one that the check asks must hold. `who`, `what`: as of a population. */
function count(of: CountFact | undefined, who: string, what: string): Finding {
  if (!of || of.denominator === 0) return noData(`There are no ${who} in the window.`)
  const { numerator, denominator, failing_ids, failing_count } = of
  const detail = `${numerator} of ${denominator} ${who} in the window ${what}.`
  const found = finding(failing_count === 0, detail, { numerator, denominator, failing: failing_ids })
  return { ...found, failing_count }
}

const sumOf = (one: CountFact, other: CountFact): CountFact => ({
  numerator: one.numerator + other.numerator,
  denominator: one.denominator + other.denominator,
  failing_ids: [...one.failing_ids, ...other.failing_ids],
  failing_count: one.failing_count + other.failing_count,
})

const NONE: CountFact = { numerator: 0, denominator: 0, failing_ids: [], failing_count: 0 }

export const activityChecks = {
  'GOV-01': stateCheck(['executions'], ({ executions }) =>
    count(executions['GOV-01'], 'HARD executions that ran', 'were approved by enough people who did not ask for them'),
  ),

  'GOV-02': stateCheck(['executions'], ({ executions }) =>
    count(executions['GOV-02'], 'HARD executions that ran', 'have an approval of their own, given before they ran'),
  ),

  'GOV-05': stateCheck(['violations', 'tasks'], ({ violations, tasks }, { now }) => {
    const done = new Set(tasks.flatMap(({ status, source_id = '' }) => (status === 'completed' ? [source_id] : [])))
    const found = population({
      members: violations.ids.filter((id) => now - timeOfId(id) > FOLLOWED_UP).map((id) => ({ id })),
      who: 'executions with a policy violation of high or critical severity, older than 7 days,',
      what: 'were followed up by a completed task',
      holds: ({ id }) => done.has(id),
    })
    return violations.more === 0 ? found : withUnseen(found, violations.more)
  }),

  'GOV-08': stateCheck(
    ['versions'],
    ({ versions, routing = [] }) =>
      population({
        members: [...versions, ...routing],
        who: 'versions of policies, manifests and routing rules made in the window',
        what: 'have their entry in the audit log',
        holds: ({ traced }) => traced,
      }),
    ['routing'],
  ),

  'IAM-10': stateCheck(['executions', 'audit_actors'], ({ executions, audit_actors }) =>
    count(
      sumOf(executions['IAM-10'] ?? NONE, audit_actors),
      'executions and audit entries',
      'name an actor who is, or was, known to the tenant',
    ),
  ),

  'PRV-02': stateCheck(['executions'], ({ executions }) =>
    count(executions['PRV-02'], 'executions that sent personal data outside', 'were approved'),
  ),
}
