// The content of the report of an audit. The export gathers it; the report only lays it out.
import type { CheckStatus } from '../checks/check.ts'
import type { ControlView, FrameworkPosture } from '../frameworks/control-view.ts'

/** Days are `yyyy-mm-dd`; `last_day` is the last failing one. */
export type FailingStretch = { first_day: string; last_day: string }

export type CheckReport = {
  check_id: string
  title: string
  severity: string
  passes_when: string
  status: CheckStatus
  detail: string
  failing_ids: string[]
  failing_count: number
  days: { passed: number; failed: number; without_data: number; without_run: number }
  failing: FailingStretch[]
}

export type EvidenceReport = {
  id: string
  kind: string
  title: string
  control_ids: string[]
  collected_at: string
  status: string
  /** Null: nobody has decided, or the chain contradicts it. `self`: by somebody who could have submitted it, too. */
  decision: { decision: string; by: string; at: string; self: boolean } | null
  file_status: 'included' | 'missing' | 'too_large' | 'none'
}

export type PopulationReport = {
  name: string
  file: string
  rows: number
  /** Null: it is not compared with the chain. */
  rows_without_artifact: string[] | null
  artifacts_without_row: string[] | null
  sampled: number
}

export type ReportInput = {
  export_id: string
  /** The artifact that binds the manifest to the chain. */
  artifact_id: string
  tenant: { id: string; name: string }
  mode: string
  framework: { id: string; name: string; version: string }
  window: { start_at: string; end_at: string }
  as_of: string
  generated_at: string
  notice: string
  posture: FrameworkPosture
  controls: ControlView[]
  checks: CheckReport[]
  evidence: EvidenceReport[]
  populations: PopulationReport[]
  sample: { size: number; seed: string; seed_source: 'given' | 'chain' }
  omissions: { path: string; reason: string }[]
}
