// States in the chain how long payloads are kept. Nothing is removed but by what is stated there.
import { DAY_MS, iso } from '../../base/lib/clock.ts'
import type { Context } from '../../base/context.ts'
import { alarm } from '../../base/lib/log.ts'
import type { Stored } from '../../base/table/entity.ts'
import { type Retention, type RetentionStatement, retentionDays, retentions } from '../../base/tenant/retention.ts'
import type { Tenant } from '../../base/tenant/tenant.ts'
import { changed } from '../../ledger/audit/changed.ts'
import { newMail } from '../../ledger/events/mail.ts'
import { chainName } from '../../ledger/evidence/artifact/hashes.ts'
import type { LastFull } from '../../ledger/evidence/verify/verify-state.ts'
import { readSequenced } from '../../ledger/evidence/chain/read-sequenced.ts'
import { nextStatement } from './rules.ts'

const ARTIFACT = 'evidence.retention.changed'

/**
 * What the chain says was stated; undefined where it says something else than the table, and for a statement that another has
 * followed. `pass`: of which the last statement is known.
 */
export async function provenStatement(
  ctx: Context,
  was: Retention,
  pass: LastFull | undefined,
): Promise<RetentionStatement | undefined> {
  const header = await readSequenced(ctx, was.artifact_id)
  const isIts = header?.type === ARTIFACT && header.chain === chainName(ctx.space)
  const { days, grace_days, grace_until } = (isIts && header.data) || {}
  const isFollowed = pass?.retention !== undefined && was.artifact_id < pass.retention // ids are in the order of time
  if (days !== was.days || isFollowed) {
    alarm('retention_without_evidence', 'the table states a retention that the chain does not', { days: was.days })
    return undefined
  }
  const hasGrace = typeof grace_days === 'number' && typeof grace_until === 'string'
  return { days: was.days, ...(hasGrace && { grace: { days: grace_days, until: grace_until } }) }
}

type Before = { was: Stored<Retention> | undefined; stated: RetentionStatement | undefined }

/** `stated`: what is proven of `was`. The removal goes on an hour later at the earliest, by what is stated now. */
export async function state(ctx: Context, tenant: Tenant, { was, stated }: Before): Promise<void> {
  const now = ctx.now()
  const next = nextStatement(stated, retentionDays(tenant), now)
  const { days, grace } = next
  const artifact_id = ctx.id('art')
  const begin = { month: tenant.created_at.slice(0, 7), after: [] }
  const { month, after, waiting } = was ?? { ...begin, waiting: [] }
  const item: Retention = { ...ctx.space, ...next, artifact_id, month, after, waiting, next_at: iso(now) }
  const writes = changed(
    ctx,
    [
      {
        action: 'retention.changed',
        artifact: ARTIFACT,
        artifact_id,
        subject: { type: 'tenant', id: tenant.id, name: tenant.name },
        data: { days, ...(grace && { grace_days: grace.days, grace_until: grace.until }) },
        changes: [{ path: 'evidence_retention_days', ...(was && { before: was.days }), after: days }],
      },
    ],
    { mails: mailsFor(ctx, tenant, { was: stated, next }) },
  )
  await ctx.table.commit([was ? retentions.replace(item, was) : retentions.insert(item), ...writes])
}

type Step = { was: RetentionStatement | undefined; next: RetentionStatement }

/** Once for both modes. The first statement of a tenant that has nothing so old takes nothing away. */
function mailsFor(ctx: Context, { created_at }: Tenant, { was, next: { days, grace } }: Step) {
  const isNew = grace !== undefined && grace.until !== was?.grace?.until
  const takesNothing = !was && grace !== undefined && Date.parse(created_at) + days * DAY_MS >= Date.parse(grace.until)
  if (!isNew || takesNothing || ctx.space.mode !== 'live') return []
  return [newMail(ctx, 'retention_shortened', { roles: ['owner'] }, { days: String(days), until: grace.until })]
}
