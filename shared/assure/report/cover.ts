// The report of a compliance export: its first page, which says what was looked at, when, and what is missing, and the order of
// its sections.
import { type Block, heading, MARKS, paragraph, type Report, warning } from './block.ts'
import type { ReportInput } from './report-input.ts'
import { checks, controls, evidence, exclusions, howToCheck, populations, summary } from './sections.ts'

function cover(input: ReportInput): Block[] {
  const { framework, tenant, posture, window } = input
  return [
    heading(1, `${framework.name}: compliance report`),
    {
      kind: 'figures',
      items: [
        { label: 'Tenant', value: `${tenant.name} (${tenant.id}), ${input.mode} mode` },
        { label: 'Window', value: `${window.start_at} to ${window.end_at}` },
        { label: 'As of', value: input.as_of },
        { label: 'Score', value: posture.score.toFixed(1) },
        { label: 'Controls met', value: `${posture.controls_met} of ${posture.controls_total}` },
        { label: 'Framework', value: `${framework.id}, ${framework.version}` },
        { label: 'Export', value: input.export_id },
        { label: 'Artifact', value: input.artifact_id },
      ],
    },
    ...missing(input),
    {
      kind: 'bars',
      caption: 'Controls by family',
      bars: posture.families.map(({ id, title, ...counts }) => ({
        label: `${id} ${title}`,
        parts: [
          { status: 'met', count: counts.met },
          { status: 'partially_met', count: counts.partially_met },
          { status: 'not_met', count: counts.not_met },
          { status: 'not_assessed', count: counts.not_assessed },
        ],
      })),
    },
    paragraph(LEGEND),
    paragraph(input.notice),
  ]
}

/** Statuses that do not count are in no bar. */
const LEGEND = Object.values(MARKS)
  .filter(({ word }) => word !== MARKS.not_applicable.word)
  .map(({ sign, word }) => `${sign} ${word}`)
  .join('   ')

const files = (count: number) => (count === 1 ? '1 file is' : `${count} files are`)

function missing({ posture, omissions, populations: compared }: ReportInput): Block[] {
  const differing = compared.filter(
    ({ rows_without_artifact: rows, artifacts_without_row: artifacts }) =>
      (rows?.length ?? 0) + (artifacts?.length ?? 0) > 0,
  )
  const names = differing.map(({ name }) => name).join(', ')
  return [
    ...(posture.stale ? [warning('The last full run of the checks ended more than 26 hours before this report.')] : []),
    ...(omissions.length > 0
      ? [warning(`${files(omissions.length)} not included. The section on evidence names them.`)]
      : []),
    ...(differing.length > 0
      ? [warning(`The records differ from the evidence chain in: ${names}. The section on populations names the ids.`)]
      : []),
    ...(posture.controls_not_applicable + posture.controls_out_of_scope > 0
      ? [
          paragraph(
            `Excluded by justification: ${posture.controls_not_applicable}. Out of scope: ${posture.controls_out_of_scope}. These controls do not count.`,
          ),
        ]
      : []),
  ]
}

const SECTIONS = [cover, summary, controls, checks, evidence, populations, exclusions, howToCheck]

export const auditReport = (input: ReportInput): Report => ({
  title: `${input.framework.name}: compliance report of ${input.tenant.name}`,
  footer: `Export ${input.export_id}`,
  made_at: input.generated_at,
  blocks: SECTIONS.flatMap((section) => section(input)),
})
