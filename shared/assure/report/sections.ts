// The sections after the cover.
import type { ControlView } from '../frameworks/control-view.ts'
import { type Block, type Column, code, heading, MARKS, PAGE_BREAK, paragraph, table } from './block.ts'
import type { CheckReport, EvidenceReport, FailingStretch, PopulationReport, ReportInput } from './report-input.ts'

const EVIDENCE_ROWS_MAX = 200
const IDS_MAX = 20

const columns = (...pairs: [title: string, percent: number][]): Column[] =>
  pairs.map(([title, percent]) => ({ title, share: percent / 100 }))

const words = (name: string) => name.replaceAll('_', ' ')
const marked = (status: ControlView['status']) => `${MARKS[status].sign} ${MARKS[status].word}`
const idLines = (ids: readonly string[], count = ids.length): string[] => {
  const shown = ids.slice(0, IDS_MAX)
  return count > shown.length ? [...shown, `and ${count - shown.length} more`] : shown
}
const listed = (ids: readonly string[]): string => idLines(ids).join(', ')

export function summary({ posture, checks }: ReportInput): Block[] {
  const failing = checks.filter(({ status, days }) => status === 'fail' || days.failed > 0)
  return [
    PAGE_BREAK,
    heading(2, 'Summary'),
    { kind: 'trend', caption: 'Score of the last days', points: posture.trend },
    table(
      'Checks that fail now or failed in the window',
      columns(['Check', 34], ['Now', 14], ['Days failed', 13], ['Days without data or run', 17], ['Failing', 22]),
      failing.map(({ check_id, title, status, days, failing: stretches }) => [
        `${check_id} ${title}`,
        words(status),
        String(days.failed),
        String(days.without_data + days.without_run),
        stretchesText(stretches),
      ]),
      'No check fails, and none failed in the window.',
    ),
    table(
      'What raises the score most',
      columns(['Action', 62], ['Controls', 26], ['Gain', 12]),
      posture.next_actions.map(({ text, control_ids, gain }) => [text, listed(control_ids), `+${gain.toFixed(1)}`]),
      'No single action raises the score.',
    ),
  ]
}

const stretchText = ({ first_day, last_day }: FailingStretch) =>
  first_day === last_day ? first_day : `${first_day} to ${last_day}`
const stretchesText = (stretches: readonly FailingStretch[]) => listed(stretches.map(stretchText))

export function controls({ posture, controls: all }: ReportInput): Block[] {
  return [
    PAGE_BREAK,
    heading(2, 'Controls'),
    ...posture.families.flatMap(({ id, title }) => {
      const rows = all.filter(({ family, in_scope }) => family === id && in_scope).map(controlRow)
      const heads = columns(
        ['Control', 11],
        ['Title', 22],
        ['Status', 12],
        ['Reason', 24],
        ['Checks', 14],
        ['Evidence', 17],
      )
      return rows.length === 0 ? [] : [heading(3, `${id} ${title}`), table(undefined, heads, rows)]
    }),
  ]
}

function controlRow(control: ControlView): string[] {
  const { id, title, status, status_reason, owner_user_id } = control
  const owner = owner_user_id === null ? '' : ` Owner: ${owner_user_id}.`
  return [
    id,
    title,
    marked(status),
    `${status_reason}${owner}`,
    listed(control.checks.map(({ check_id }) => check_id)),
    listed(control.evidence.map((one) => `${words(one.kind)} (${words(one.status)})`)),
  ]
}

const daysText = ({ days: { passed, failed, without_data, without_run } }: CheckReport) =>
  `${passed} passed, ${failed} failed, ${without_data} without data, ${without_run} without run`

export const checks = ({ checks: all }: ReportInput): Block[] => [
  PAGE_BREAK,
  heading(2, 'Checks'),
  paragraph('Each check compares what this service recorded with one rule. It sees only the use of this service.'),
  table(
    undefined,
    columns(['Check', 17], ['Passes when', 19], ['Result', 36], ['Days of the window', 15], ['Failing', 13]),
    all.map((check) => [
      `${check.check_id} ${check.title} (${check.severity})`,
      check.passes_when,
      [`${words(check.status)}. ${check.detail}`, ...idLines(check.failing_ids, check.failing_count)].join('\n'),
      daysText(check),
      stretchesText(check.failing),
    ]),
    'No check speaks for this framework.',
  ),
]

export function evidence({ evidence: all, omissions }: ReportInput): Block[] {
  const shown = all.slice(0, EVIDENCE_ROWS_MAX)
  const rest = all.length - shown.length
  return [
    PAGE_BREAK,
    heading(2, 'Evidence'),
    table(
      undefined,
      columns(['Evidence', 35], ['Controls', 10], ['Collected', 11], ['Status', 35], ['File', 9]),
      shown.map((one) => [
        [one.title, words(one.kind), one.id].join('\n'),
        listed(one.control_ids),
        one.collected_at.slice(0, 10),
        statusLines(one).join('\n'),
        words(one.file_status),
      ]),
      'No evidence was submitted.',
    ),
    ...(rest > 0 ? [paragraph(`${rest} more pieces of evidence stand in evidence/index.csv.`)] : []),
    ...(omissions.length > 0
      ? [
          heading(3, 'Not included'),
          table(
            undefined,
            columns(['Path', 60], ['Reason', 40]),
            omissions.slice(0, EVIDENCE_ROWS_MAX).map(({ path, reason }) => [path, words(reason)]),
          ),
        ]
      : []),
  ]
}

/** With who decided, and when. */
function statusLines({ status, decision: made }: EvidenceReport): string[] {
  if (!made) return [words(status)]
  const decided = `${made.decision} on ${made.at.slice(0, 10)}${made.self ? ', self-approved,' : ''} by`
  return [...(status === made.decision ? [] : [words(status)]), decided, made.by]
}

export const populations = ({ populations: all, sample }: ReportInput): Block[] => [
  PAGE_BREAK,
  heading(2, 'Populations and samples'),
  paragraph(
    'Each population lists everything of its kind in the window. Where the chain records it, the ids in the list are compared with the ids in the chain.',
  ),
  table(
    undefined,
    columns(['Population', 22], ['File', 26], ['Rows', 10], ['Sampled', 10], ['Compared with the chain', 32]),
    all.map((one) => [words(one.name), one.file, String(one.rows), String(one.sampled), comparison(one)]),
    'No population was listed.',
  ),
  paragraph(
    `A sample holds the rows with the smallest SHA-256 of seed, line feed and id, ${sample.size} of each population. Seed (${
      sample.seed_source === 'given'
        ? 'given by who asked for the export'
        : 'the link of the chain at the time of the run'
    }):`,
  ),
  code(sample.seed),
]

function comparison({ rows_without_artifact: rows, artifacts_without_row: artifacts }: PopulationReport): string {
  if (rows === null || artifacts === null) return 'not compared'
  if (rows.length + artifacts.length === 0) return 'no difference'
  const sides = [
    rows.length > 0 && `not in the chain: ${listed(rows)}`,
    artifacts.length > 0 && `only in the chain: ${listed(artifacts)}`,
  ]
  return sides.filter((side) => side !== false).join('; ')
}

export function exclusions({ controls: all }: ReportInput): Block[] {
  const excluded = all.filter(({ in_scope, status }) => in_scope && status === 'not_applicable')
  const outside = all.filter(({ in_scope }) => !in_scope)
  return [
    heading(2, 'Exclusions'),
    table(
      'Controls excluded by justification',
      columns(['Control', 14], ['Justification', 52], ['Decided by', 18], ['Decided at', 16]),
      excluded.map(({ id, applicability }) => [
        id,
        applicability.justification ?? '',
        applicability.decided_by ?? '',
        applicability.decided_at?.slice(0, 10) ?? '',
      ]),
      'No control is excluded by justification.',
    ),
    ...(outside.length > 0
      ? [paragraph(`Out of scope by choice of tags: ${outside.map(({ id }) => id).join(', ')}.`)]
      : []),
  ]
}

export const howToCheck = ({ artifact_id }: ReportInput): Block[] => [
  heading(2, 'How to check this file'),
  paragraph(
    `Every file of the export has its SHA-256 in manifest.json. The hash of that manifest stands in the artifact ${artifact_id} of the evidence chain, and manifest.proof.json holds the proof that a signed checkpoint covers it. In the unpacked folder run:`,
  ),
  code('node verify.mjs .'),
  paragraph(
    'It checks all hashes, the artifact, its proof and the part of the chain in chain/, and exits with 0 when all hold.',
  ),
]
