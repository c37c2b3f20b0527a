// The facts of this layer that checks ask for: recovery, erasures, files, payloads and submitted evidence. AWS is asked for the
// settings of recovery each time, because they may have been changed by hand.
import type { BackupFacts, FactAsk, FactSources, OldestFact, RequiredFacts } from '../base/ports/check-facts.ts'
import { dynamodb } from '../base/aws/clients.ts'
import { env } from '../base/lib/runtime.ts'
import { wholeRange } from '../base/table/whole.ts'
import { erasures as items, erasuresPartition } from './erasure/erasure.ts'
import { iso } from '../base/lib/clock.ts'
import { exports, exportsPartition, fileExpiry } from './exports/export.ts'
import { daysInEffect, retentions } from '../base/tenant/retention.ts'
import { tenants } from '../base/tenant/tenant.ts'
import { nextPage, removableAt } from './retention/next-page.ts'
import type { Context } from '../base/context.ts'
import type { Stored } from '../base/table/entity.ts'
import { proven } from './submissions/submission-artifact.ts'
import { statusAt, statusPartition, type Submission, submissions } from './submissions/submission.ts'

/** Null where the platform does not know recovery at all. A call that is refused throws. */
async function backups(): Promise<BackupFacts | null> {
  const [recovery, bucket] = await Promise.all([tableRecovery(), bucketLock()])
  return recovery === undefined ? null : { recovery, ...bucket }
}

async function tableRecovery(): Promise<boolean | undefined> {
  const { DescribeContinuousBackupsCommand } = await import('../base/aws/describe.ts')
  try {
    const answer = await dynamodb().send(new DescribeContinuousBackupsCommand({ TableName: env('TABLE_NAME') }))
    const { PointInTimeRecoveryDescription: state } = answer.ContinuousBackupsDescription ?? {}
    return state?.PointInTimeRecoveryStatus === 'ENABLED'
  } catch (error) {
    if (isNamed(error, 'UnknownOperationException')) return undefined
    throw error
  }
}

async function bucketLock(): Promise<Omit<BackupFacts, 'recovery'>> {
  const [{ s3 }, { GetBucketVersioningCommand, GetObjectLockConfigurationCommand }] = await Promise.all([
    import('../base/aws/s3.ts'),
    import('../base/aws/describe.ts'),
  ])
  const Bucket = env('EVIDENCE_BUCKET')
  const [{ Status }, lock] = await Promise.all([
    s3().send(new GetBucketVersioningCommand({ Bucket })),
    s3()
      .send(new GetObjectLockConfigurationCommand({ Bucket }))
      .catch((error: unknown) => {
        if (isNamed(error, 'ObjectLockConfigurationNotFoundError')) return undefined
        throw error
      }),
  ])
  const { ObjectLockEnabled, Rule } = lock?.ObjectLockConfiguration ?? {}
  const { Days = 0, Years = 0 } = Rule?.DefaultRetention ?? {}
  return { versions: Status === 'Enabled', lock: ObjectLockEnabled === 'Enabled', lock_days: Days + 365 * Years }
}

const isNamed = (error: unknown, name: string): boolean => error instanceof Error && error.name === name

const MOST = 10_000

async function erasures({ ctx: { table, space } }: FactAsk): Promise<RequiredFacts['erasures']> {
  const range = { pk: erasuresPartition(space), index: 'gsi1', prefix: 'running#' } as const
  const found = await wholeRange(table, items, range, MOST)
  return found.filter(({ status }) => status === 'running').map(({ id, requested_at }) => ({ id, requested_at }))
}

async function oldest_files({ ctx: { table, space } }: FactAsk): Promise<OldestFact[]> {
  const found = await table.query(exports, { pk: exportsPartition(space), index: 'gsi1', limit: 1 })
  return found.map((oldest) => ({ id: oldest.id, until: iso(fileExpiry(oldest)) }))
}

/** Of the oldest executions of all, and of those that the removal reads next: payloads that should be gone. */
export async function oldest_payloads({ ctx, now }: FactAsk): Promise<OldestFact[]> {
  const { table, space } = ctx
  const [tenant, was] = await Promise.all([table.get(tenants, { id: space.tenant_id }), table.get(retentions, space)])
  if (!tenant || !was) return []
  const days = daysInEffect(was, now)
  const since = was.grace?.until ?? tenant.created_at // those of before a shorter time begin to go then
  const first = { month: tenant.created_at.slice(0, 7), after: [] }
  const pages = await Promise.all([first, was].map((place) => nextPage(ctx, place, { days, perShard: 1, months: 12 })))
  const found = new Map(pages.flatMap((page) => page?.found ?? []).map((execution) => [execution.id, execution]))
  return [...found.values()].flatMap((execution) => {
    const until = removableAt(execution, days, now)
    return until === undefined ? [] : [{ id: execution.id, until: iso(Math.max(until, Date.parse(since))) }]
  })
}

const submitted = async ({ ctx }: FactAsk): Promise<RequiredFacts['submitted']> =>
  (await acceptedEvidence(ctx)).map(({ id, kind, collected_at }) => ({ id, kind, collected_at }))

export const assureFacts = {
  backups,
  erasures,
  oldest_files,
  oldest_payloads,
  submitted,
} satisfies Partial<FactSources>

/** Accepted evidence that has not expired, newest first; only what the chain proves. */
async function acceptedEvidence(ctx: Context): Promise<Stored<Submission>[]> {
  const pk = statusPartition(ctx.space, 'accepted')
  const found = await ctx.table.query(submissions, { pk, index: 'gsi1', descending: true })
  const now = ctx.now()
  return proven(
    ctx,
    found.filter((item) => statusAt(item, now) === 'accepted'),
  )
}
