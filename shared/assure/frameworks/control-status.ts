// The status of a control: the first row that matches. Whatever holds at one moment gives the same status, whoever asks.
import type { Severity } from '../catalogue/catalogue.ts'
import type { CheckStatus } from '../checks/check.ts'
import type { ControlStatus, ControlType } from './control-view.ts'

/** What the status of a control rests on. */
export type Basis = {
  /** In scope, and not left out by an accepted justification. */
  applicable: boolean
  type: ControlType
  checks: readonly { check_id: string; severity: Severity; status: CheckStatus }[]
  /** Accepted evidence stands that neither expired nor was superseded. */
  evidenced: boolean
}

const countOf = ({ checks }: Basis, ...wanted: CheckStatus[]): number =>
  checks.filter(({ status }) => wanted.includes(status)).length

export const failsCritically = ({ checks }: Basis): boolean =>
  checks.some(({ severity, status }) => severity === 'critical' && status === 'fail')

export function statusOf(basis: Basis): ControlStatus {
  const { applicable, type, checks, evidenced } = basis
  const [passes, fails] = [countOf(basis, 'pass'), countOf(basis, 'fail')]
  if (!applicable) return 'not_applicable'
  if (failsCritically(basis) || (fails > 0 && passes === 0)) return 'not_met'
  if (fails > 0) return 'partially_met'
  if (passes > 0) return type === 'automatic' || evidenced ? 'met' : 'partially_met'
  if (countOf(basis, 'not_applicable') === checks.length) return evidenced ? 'met' : 'not_assessed'
  return evidenced ? 'partially_met' : 'not_assessed'
}

const LABELS: Record<ControlStatus, string> = {
  met: 'Met',
  partially_met: 'Partially met',
  not_met: 'Not met',
  not_assessed: 'Not assessed',
  not_applicable: 'Not applicable',
}

/** They look at what all tenants of a deployment share. */
const OF_DEPLOYMENT: ReadonlySet<string> = new Set(['EVD-02', 'OPS-05', 'SEC-01'])

/** One sentence. `expired`: evidence stood there once. `unless`: what decides the status before any check is asked. */
export function reasonOf(basis: Basis, { expired, unless }: { expired: boolean; unless?: string | undefined }): string {
  const { checks, type, evidenced } = basis
  const failing = checks.filter(({ status }) => status === 'fail').map(({ check_id }) => check_id)
  const shared = checks.map(({ check_id }) => check_id).filter((id) => OF_DEPLOYMENT.has(id))
  const [without, idle] = [countOf(basis, 'no_data', 'error'), countOf(basis, 'not_applicable')]
  const parts = [
    failing.length > 0 && `${listed(failing)} ${failing.length > 1 ? 'fail' : 'fails'}`,
    checks.length > 0 && `${countOf(basis, 'pass')} of ${checks.length} checks pass`,
    without > 0 && `${without} without data`,
    idle > 0 && `${idle} not applicable`,
    evidenced
      ? 'evidence is accepted'
      : type !== 'automatic' && (expired ? 'its evidence has expired' : 'no accepted evidence'),
    shared.length > 0 && `${listed(shared)} ${shared.length > 1 ? 'are' : 'is'} about the whole deployment`,
  ]
  const said = unless ?? parts.filter((part) => part !== false).join(', ')
  return `${LABELS[statusOf(basis)]}: ${said}.`
}

const listed = (ids: readonly string[]): string =>
  ids.length > 1 ? `${ids.slice(0, -1).join(', ')} and ${ids.at(-1)}` : ids.join('')
