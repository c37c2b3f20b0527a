// Which tier the figures of an action suggest: a table of rows, all of whose conditions must hold. A suggestion changes nothing;
// people decide on the update that it may become.
import { isStricter, KINDS, type Kind, type Tier } from '../../base/catalog/kinds.ts'
import { mayLoosen } from '../routing/rules.ts'
import type { Figures } from './figures.ts'

export type Question = {
  node_id: string
  kind: Kind
  /** Without a rule. */
  base_tier: Tier
  current_tier: Tier
  floor_tier: Tier
  reversible: boolean
  /** An incident of the window names its node. */
  incident: boolean
  figures: Figures
}

export type Suggestion = { to: Tier; reason: string; loosens: boolean }

type Row = Suggestion & { from: readonly Tier[]; when: (question: Question) => boolean }

const CAREFUL_MIN = 73
const APPROVED_LOWER = 0.95
const DAYS_MIN = 7
const APPROVERS_MIN = 2
const TOP_SHARE_MAX = 0.8
const REVIEWED_MIN = 20
const RUNS_MIN = 125
const UNDONE_UPPER = 0.03
const FAILED_UPPER = 0.05
const BAD_LOWER = 0.1
const ENOUGH = 20
const RUSHED_MAX = 0.5

/** Most approvals are given without reading: asking less often would help, and what they say is no ground for loosening. */
export const isUnread = ({ approvals, rejections, quality }: Figures): boolean =>
  approvals + rejections >= ENOUGH && (quality.rushed_share ?? 0) > RUSHED_MAX

const isCarefullyApproved = ({ quality, recent_rejections }: Figures): boolean =>
  quality.careful.n >= CAREFUL_MIN &&
  (quality.careful.ci95?.lower ?? 0) >= APPROVED_LOWER &&
  recent_rejections === 0 &&
  quality.days >= DAYS_MIN &&
  quality.distinct_approvers >= APPROVERS_MIN &&
  (quality.top_share ?? 1) <= TOP_SHARE_MAX &&
  quality.reviewed >= REVIEWED_MIN &&
  quality.overturned === 0

const isBad = ({ bad_rate, violations }: Figures): boolean =>
  (bad_rate.n >= ENOUGH && (bad_rate.ci95?.lower ?? 0) >= BAD_LOWER) || violations.high > 0

/** The first that holds: what tightens comes first. */
const ROWS: readonly Row[] = [
  {
    from: ['AUTO', 'SOFT'],
    to: 'HARD',
    reason: 'critical_violation',
    loosens: false,
    when: ({ figures }) => figures.violations.critical > 0,
  },
  {
    from: ['AUTO', 'SOFT'],
    to: 'HARD',
    reason: 'called_unsafe',
    loosens: false,
    when: ({ figures }) => figures.unsafe_feedback > 0,
  },
  { from: ['SOFT'], to: 'HARD', reason: 'bad_record', loosens: false, when: ({ figures }) => isBad(figures) },
  { from: ['AUTO'], to: 'SOFT', reason: 'bad_record', loosens: false, when: ({ figures }) => isBad(figures) },
  {
    from: ['HARD'],
    to: 'SOFT',
    reason: 'approved_with_care',
    loosens: true,
    when: ({ figures, incident, reversible, ...question }) =>
      mayLoosen(question) &&
      isCarefullyApproved(figures) &&
      figures.violations.total === 0 &&
      figures.unsafe_feedback === 0 &&
      !incident &&
      reversible,
  },
  {
    from: ['SOFT'],
    to: 'AUTO',
    reason: 'neither_undone_nor_failed',
    loosens: true,
    when: ({ figures, base_tier, ...question }) =>
      mayLoosen(question) &&
      KINDS[question.kind].tier === 'AUTO' &&
      base_tier === 'AUTO' &&
      figures.n_soft >= RUNS_MIN &&
      figures.undo_rate.n >= RUNS_MIN &&
      (figures.undo_rate.ci95?.upper ?? 1) <= UNDONE_UPPER &&
      (figures.failure_rate.ci95?.upper ?? 1) <= FAILED_UPPER &&
      figures.bad_feedback === 0 &&
      figures.violations.total === 0,
  },
]

export function suggestionFor(question: Question): Suggestion | undefined {
  const { current_tier, floor_tier, figures } = question
  return ROWS.find(
    ({ from, to, loosens, when }) =>
      from.includes(current_tier) && !(loosens && (isStricter(floor_tier, to) || isUnread(figures))) && when(question),
  )
}

/** Whether the record of an action calls for a stricter tier than this one. */
export const tightening = (question: Question): Suggestion | undefined => {
  const found = suggestionFor(question)
  return found && !found.loosens ? found : undefined
}
