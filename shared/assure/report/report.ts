// The report of a compliance export.
import type { Report } from './block.ts'
import { cover } from './cover.ts'
import type { ReportInput } from './report-input.ts'
import { checks, controls, evidence, exclusions, howToCheck, populations, summary } from './sections.ts'

const SECTIONS = [cover, summary, controls, checks, evidence, populations, exclusions, howToCheck]

export const auditReport = (input: ReportInput): Report => ({
  title: `${input.framework.name}: compliance report of ${input.tenant.name}`,
  footer: `Export ${input.export_id}`,
  made_at: input.generated_at,
  blocks: SECTIONS.flatMap((section) => section(input)),
})
