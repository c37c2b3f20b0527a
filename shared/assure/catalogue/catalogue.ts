// The whole catalogue: frameworks, controls, and the checks that speak for them. What needs no checks reads `controls.ts` alone.
import { canonicalJson, sha256Hex } from '../../base/lib/json.ts'
import catalogue from './checks.json' with { type: 'json' }
import { CONTROLS_PART, oneOf } from './controls.ts'
import type { FrameworkId } from './framework-ids.ts'

export const SEVERITIES = ['critical', 'high', 'medium'] as const
export type Severity = (typeof SEVERITIES)[number]

export type CheckKind = 'population' | 'setting' | 'evidence' | 'deployment'

export type CheckFacts = {
  id: string
  version: number
  severity: Severity
  kind: CheckKind
  title: string
  passes_when: string
  remedy: string
  every: 'hour' | 'day'
  controls: Readonly<Partial<Record<FrameworkId, readonly string[]>>>
}

const KINDS: readonly CheckKind[] = ['population', 'setting', 'evidence', 'deployment']

export const CHECKS: readonly CheckFacts[] = catalogue.checks.map((check) => ({
  ...check,
  severity: oneOf(SEVERITIES, check.severity),
  kind: oneOf(KINDS, check.kind),
  every: oneOf(['hour', 'day'], check.every),
}))

/** The checks that speak for a control, in the order of the catalogue. */
export const checksOf = (framework: FrameworkId, control: string): readonly CheckFacts[] =>
  CHECKS.filter(({ controls: mapped }) => mapped[framework]?.includes(control))

/** The catalogue itself, for exports. */
export const wholeCatalogue = (): object => ({ ...catalogue, ...CONTROLS_PART })

/** SHA-256 (hex) of the catalogue in canonical JSON (RFC 8785). Runs and exports name it. */
export const catalogueHash = (): string => sha256Hex(canonicalJson(wholeCatalogue()))
