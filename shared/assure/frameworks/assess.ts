// Each control of a framework with what its status rests on, from what is stored.
import { type CheckFacts, checksOf, SEVERITIES, type Severity } from '../catalogue/catalogue.ts'
import { aboutFramework, type Control, controlsOf, isAutomatic } from '../catalogue/controls.ts'
import { controlKey, type FrameworkId } from '../catalogue/framework-ids.ts'
import { isEvidence, isJustification, type LinkNow } from '../submissions/link.ts'
import { type Basis, statusOf } from './control-status.ts'
import type { ControlStatus, ControlType } from './control-view.ts'
import { type FrameworkState, isEnabled } from './state.ts'

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
