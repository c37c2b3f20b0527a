// The status of each control of a framework, computed from results of checks, links of evidence and settings. Pure: the same input
// gives the same status to every reader.
import { type CheckFacts, checksOf, SEVERITIES, type Severity } from '../catalogue/catalogue.ts'
import { aboutFramework, type Control, controlsOf, isAutomatic } from '../catalogue/controls.ts'
import { controlKey, type FrameworkId } from '../catalogue/framework-ids.ts'
import { isEvidence, isJustification, type LinkNow } from '../submissions/link.ts'
import type { ControlStatus, ControlType } from './control-view.ts'
import { type FrameworkState, isEnabled } from './state.ts'
import type { CheckStatus } from '../checks/check.ts'

export type Assessment = {
  control: Control
  key: string
  severity: Severity
  in_scope: boolean
  checks: readonly CheckFacts[]
  /** Newest first. */
  links: readonly LinkNow[]
  justification: LinkNow | undefined
  basis: Basis
  status: ControlStatus
}

type Scoped = { framework_id: FrameworkId; setting: { scope: Record<string, boolean> } | undefined }

/** Every tag of a framework, as it is set or by its default. */
export function scopeOf({ framework_id, setting }: Scoped): Record<string, boolean> {
  const { scope_tags } = aboutFramework(framework_id)
  return Object.fromEntries(
    Object.entries(scope_tags).map(([tag, byDefault]) => [tag, setting?.scope[tag] ?? byDefault]),
  )
}

/** In the order of the catalogue. */
export function assess(state: FrameworkState): Assessment[] {
  const scope = scopeOf(state)
  return controlsOf(state.framework_id).map((control) => assessOne(state, scope, control))
}

function assessOne(state: FrameworkState, scope: Record<string, boolean>, control: Control): Assessment {
  const { framework_id, results } = state
  const key = controlKey(control.id)
  const checks = checksOf(framework_id, control.id)
  const links = (state.links.get(key) ?? []).toSorted(newestFirst)
  const in_scope = (control.scope ?? []).every((tag) => scope[tag])
  const justification = links.find(isJustification)
  const basis: Basis = {
    applicable: in_scope && justification === undefined,
    type: typeOf(framework_id, control.id, checks.length),
    checks: checks.map(({ id: check_id, severity }) => ({
      check_id,
      severity,
      status: results.get(check_id)?.status ?? 'no_data',
    })),
    evidenced: links.some(isEvidence),
  }
  const status = isEnabled(state) ? statusOf(basis) : 'not_assessed'
  return { control, key, severity: highest(checks), in_scope, checks, links, justification, basis, status }
}

const newestFirst = (a: LinkNow, b: LinkNow): number =>
  `${a.collected_at}#${a.evidence_id}` > `${b.collected_at}#${b.evidence_id}` ? -1 : 1

/** The checks see this service only, so most of those that have one are hybrid. */
function typeOf(framework: FrameworkId, control: string, checks: number): ControlType {
  if (checks === 0) return 'manual'
  return isAutomatic(framework, control) ? 'automatic' : 'hybrid'
}

const highest = (checks: readonly CheckFacts[]): Severity =>
  SEVERITIES.find((severity) => checks.some((check) => check.severity === severity)) ?? 'medium'

/** The facts from which the status of a control follows. */
export type Basis = {
  /** In scope, and not left out by an accepted justification. */
  applicable: boolean
  type: ControlType
  checks: readonly { check_id: string; severity: Severity; status: CheckStatus }[]
  /** There is accepted evidence that neither expired nor was superseded. */
  evidenced: boolean
}

const countOf = ({ checks }: Basis, ...wanted: CheckStatus[]): number =>
  checks.filter(({ status }) => wanted.includes(status)).length

export const failsCritically = ({ checks }: Basis): boolean =>
  checks.some(({ severity, status }) => severity === 'critical' && status === 'fail')

/** The first row that matches, as the table in the README lists them. */
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

/** Checks of resources that all tenants of a deployment share. */
const OF_DEPLOYMENT: ReadonlySet<string> = new Set(['EVD-02', 'OPS-05', 'SEC-01'])

/** One sentence. `expired`: there was evidence once. `unless`: the reason that decides the status before any check does. */
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
