// Accepted evidence at one control. A piece that names several controls has a link at each. The status of a link follows
// from the links beside it and from the time, so nothing needs to be stored when a newer piece is accepted or one expires.
import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { entity, key, spaceKey } from '../../base/table/entity.ts'
import { spaceMembers } from '../../base/table/members.ts'
import { FRAMEWORK_IDS } from '../catalogue/framework-ids.ts'
import { Actor, Covers, SUBMISSION_KINDS } from './submission.ts'

export const EvidenceLink = z.object({
  ...spaceMembers,
  framework_id: z.enum(FRAMEWORK_IDS),
  /** The id of the control in paths. */
  control_key: z.string(),
  evidence_id: z.string(),
  kind: z.enum(SUBMISSION_KINDS),
  title: z.string(),
  collected_at: z.string(),
  covers: Covers.optional(),
  valid_until: z.string(),
  decided_by: Actor,
  decided_at: z.string(),
  /** The person who accepted it could have submitted it, too. */
  self: z.literal(true).optional(),
  /** Why the control does not apply. Only of a `not_applicable_justification`. */
  statement: z.string().optional(),
})
export type EvidenceLink = z.output<typeof EvidenceLink>

type At = Pick<EvidenceLink, 'framework_id' | 'control_key'>

const partition = (space: Space): string => spaceKey(space, 'COMPLIANCE', 'EVD')

export const evidenceLinks = entity({
  name: 'EVIDENCE_LINK',
  unbound: 'bounded',
  schema: EvidenceLink,
  key: (of: Space & At & { evidence_id: string }) => ({
    pk: partition(of),
    sk: key(of.framework_id, of.control_key, of.evidence_id),
  }),
})

export const LINK_STATUSES = ['current', 'superseded', 'expired'] as const
export type LinkStatus = (typeof LINK_STATUSES)[number]
export type LinkNow = EvidenceLink & { status: LinkStatus }

/** The links of a control, of a framework, or of the whole space, with their status at `now` (ms). */
export async function linksNow(ctx: Context, now: number, of: Partial<At> = {}): Promise<LinkNow[]> {
  const parts = [of.framework_id, of.control_key].filter((part) => part !== undefined)
  const pk = partition(ctx.space)
  const range = parts.length === 0 ? { pk } : { pk, prefix: `${key(...parts)}#` }
  return withStatus(await ctx.table.query(evidenceLinks, range), now)
}

/** `links` must hold every link of each control that is in it. In the order of `links`. */
export function withStatus(links: readonly EvidenceLink[], now: number): LinkNow[] {
  const superseded = new Set(Object.values(Object.groupBy(links, placeOf)).flatMap((all = []) => outlasted(all)))
  return links.map((link) => ({ ...link, status: superseded.has(link) ? 'superseded' : statusOf(link, now) }))
}

/** Pieces of different kinds do not supersede each other. */
const placeOf = ({ framework_id, control_key, kind }: EvidenceLink): string => `${framework_id}#${control_key}#${kind}`

/** A newer piece supersedes what does not hold longer than itself, so accepting one never leaves a control without. */
function outlasted(links: readonly EvidenceLink[]): EvidenceLink[] {
  let until = ''
  return links.toSorted(newestFirst).filter(({ valid_until }) => {
    const isOutlasted = valid_until <= until
    if (!isOutlasted) until = valid_until
    return isOutlasted
  })
}

/** By when it was made; of two made at the same time, by when it was accepted. */
const ageOf = ({ collected_at, decided_at, evidence_id }: EvidenceLink): string =>
  `${collected_at}#${decided_at}#${evidence_id}`

const newestFirst = (a: EvidenceLink, b: EvidenceLink): number => (ageOf(a) > ageOf(b) ? -1 : 1)

const statusOf = (link: EvidenceLink, now: number): LinkStatus => (isOver(link, now) ? 'expired' : 'current')

/** From its end on, evidence does not count. */
export const isOver = ({ valid_until }: Pick<EvidenceLink, 'valid_until'>, now: number): boolean =>
  now >= Date.parse(valid_until)

/** Whether the control is left out for a reason that somebody accepted. */
export const isJustification = ({ kind, status }: LinkNow): boolean =>
  kind === 'not_applicable_justification' && status === 'current'

/** Whether it counts as evidence for the control. */
export const isEvidence = ({ kind, status }: LinkNow): boolean =>
  kind !== 'not_applicable_justification' && status === 'current'
