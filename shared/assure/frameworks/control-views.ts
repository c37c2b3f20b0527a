// The controls of a framework as the API, posture and exports show them. Pure.
import { aboutFramework } from '../catalogue/controls.ts'
import type { LinkNow } from '../submissions/link.ts'
import { assess, type Assessment, reasonOf } from './assess.ts'
import type { ControlView } from './control-view.ts'
import { nextActions } from './next-actions.ts'
import { type FrameworkState, isEnabled } from './state.ts'

/** In the order of the catalogue. */
export function controlViews(state: FrameworkState, assessed = assess(state)): ControlView[] {
  const gains = isEnabled(state) ? bestGains(state, assessed) : new Map<string, number>()
  return assessed.map((one) => controlView(state, one, gains.get(one.control.id) ?? 0))
}

/** The actions are ordered by their gain, so the first one of a control is its best. */
function bestGains({ framework_id }: FrameworkState, assessed: readonly Assessment[]): Map<string, number> {
  const best = new Map<string, number>()
  for (const { control_ids, gain } of nextActions(framework_id, assessed))
    for (const id of control_ids) if (!best.has(id)) best.set(id, gain)
  return best
}

function controlView(state: FrameworkState, one: Assessment, gain: number): ControlView {
  const { control, key, basis, status, justification } = one
  const record = state.controls.get(key)
  const family = aboutFramework(state.framework_id).families.find(({ id }) => id === control.family)
  return {
    id: control.id,
    key,
    title: control.title,
    family: control.family,
    type: basis.type,
    severity: one.severity,
    status,
    status_reason: reasonFor(state, one),
    in_scope: one.in_scope,
    checks: checksShown(state, one),
    evidence: one.links.map(evidenceShown),
    wanted_evidence: [...(family?.evidence ?? [])],
    applicability: {
      applicable: basis.applicable,
      justification: justification?.statement ?? null,
      decided_by: justification?.decided_by.id ?? null,
      decided_at: justification?.decided_at ?? null,
    },
    owner_user_id: record?.owner_user_id ?? null,
    note: record?.note ?? null,
    gain,
    last_changed_at: state.standing?.statuses[key]?.at ?? null,
    version: (record?._v ?? 0) + 1,
  }
}

export function reasonFor(state: FrameworkState, { basis, in_scope, links, justification }: Assessment): string {
  if (!isEnabled(state)) return 'Not assessed: the framework is not enabled.'
  const unless = in_scope
    ? justification && `left out by the accepted justification ${justification.evidence_id}`
    : 'out of the scope that is set for the framework'
  return reasonOf(basis, { expired: links.some(({ status }) => status === 'expired'), unless })
}

const NOT_EVALUATED = {
  status: 'no_data',
  detail: 'Not evaluated yet.',
  evaluated_at: null,
  numerator: 0,
  denominator: 0,
  failing_ids: [],
} as const

const checksShown = ({ results }: FrameworkState, { checks }: Assessment): ControlView['checks'] =>
  checks.map(({ id, title }) => {
    const { status, detail, evaluated_at, numerator, denominator, failing_ids } = results.get(id) ?? NOT_EVALUATED
    return { check_id: id, title, status, evaluated_at, detail, numerator, denominator, sample: [...failing_ids] }
  })

const evidenceShown = (link: LinkNow): ControlView['evidence'][number] => {
  const { evidence_id: id, kind, title, status, collected_at, valid_until } = link
  return { id, kind, title, status, collected_at, valid_until }
}
