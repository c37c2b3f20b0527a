import '../effects.ts'
import { sendExpiryNotices } from '../../shared/identity/access/expiry-notice.ts'
import { type Context, openTable, type Space, systemContext } from '../../shared/base/context.ts'
import type { RaiseLate } from '../../shared/base/ports/effects.ts'
import { type Key, spaceOf } from '../../shared/base/table/entity.ts'
import { enqueueSpaces } from '../../shared/ledger/fold/enqueue.ts'
import { enqueueSteps } from '../../shared/ledger/steps/enqueue.ts'
import { sweepDue } from '../../shared/base/table/sweep-due.ts'

/** `restarted_at`: since then the waits of the retry state machine are lost. Only the local service sends it. */
type SweepEvent = { detail?: { restarted_at?: string } }

/** The longest wait between two attempts of a delivery plus the time after which it counts as overdue. */
const WAITING_MS = 45 * 60_000

/** Each minute: due work, keys that are about to expire, and the steps of spaces. */
export const handler = async ({ detail }: SweepEvent): Promise<void> => {
  const table = openTable()
  const restartedAt = detail?.restarted_at
  const counting: Space[] = []
  const handle = (due: Key) => continueWith(due, { restartedAt, counting })
  await Promise.all([
    sweepDue(table, handle, {
      aheadMs: restartedAt === undefined ? 0 : WAITING_MS,
      finish: () => enqueueSpaces(counting),
    }),
    sendExpiryNotices(table),
    enqueueSteps(table),
  ])
}

/** `counting` gathers the spaces that have something to count. */
type Options = { restartedAt: string | undefined; counting: Space[] }
type Continuation = (due: Key, ctx: Context, options: Options) => Promise<unknown>

const enqueueExport: Continuation = async ({ pk }, { space }) =>
  (await import('../../shared/assure/exports/enqueue.ts')).enqueueExport(space, lastPart(pk))

const countLater: Continuation = async (_, { space }, { counting }) => void counting.push(space)

const raiseLate: RaiseLate = async (ctx, late) =>
  (await import('../../shared/operate/watch/raise-late.ts')).raiseLate(ctx, late)

/** By kind of item. Each is loaded only when such an item is due. */
const CONTINUATIONS: Record<string, Continuation> = {
  DELIVERY: async (due, _, options) =>
    (await import('../../shared/deliver/webhooks/resume.ts')).resumeDelivery(due, options),
  HOOKS: async (due) =>
    (await import('../../shared/deliver/webhooks/endpoints/disable-failing.ts')).disableFailing(due),
  EXEC: async ({ pk }, ctx) =>
    (await import('../../shared/govern/protocol/resume.ts')).resumeExecution(ctx, lastPart(pk)),
  APPROVAL: async ({ pk }, ctx) =>
    (await import('../../shared/govern/approvals/work.ts')).sweepApproval(ctx, lastPart(pk), raiseLate),
  TASK: async ({ pk }, ctx) =>
    (await import('../../shared/operate/work/sweep-task.ts')).sweepTask(ctx, lastPart(pk), raiseLate),
  KMS: async (_, ctx) => (await import('../../shared/identity/kms/keep.ts')).keepKey(ctx),
  MODEL: async ({ pk }, ctx) =>
    (await import('../../shared/learn/models/run-deployment.ts')).runDeployment(ctx, lastPart(pk)),
  UNSETTLED: async ({ pk }, ctx) =>
    (await import('../../shared/identity/scim/groups/align-roles.ts')).settleGroup(ctx, lastPart(pk)),
  SSOROLES: async (_, ctx) => (await import('../../shared/identity/sso/settle-roles.ts')).finishSettling(ctx),
  V: async (_, ctx) => (await import('../../shared/ledger/evidence/verify/leases.ts')).resumeFullPass(ctx),
  SIGN: async (_, ctx) => (await import('../../shared/ledger/evidence/chain/advance-late.ts')).advanceLate(ctx),
  LOG: countLater,
  RL: countLater,
  TALLY: countLater,
  JOB: async ({ pk }, ctx) => (await import('../../shared/learn/jobs/sweep-job.ts')).sweepJob(ctx, lastPart(pk)),
  INCIDENT: async ({ pk }, ctx) =>
    (await import('../../shared/operate/incidents/sweep-incident.ts')).sweepIncident(ctx, lastPart(pk)),
  WATCH: countLater,
  FOLD: countLater,
  DATASET: async ({ pk }, { space }) =>
    (await import('../../shared/learn/queue.ts')).enqueueLearning(space, lastPart(pk)),
  SYNC: async ({ pk }, ctx) =>
    (await import('../../shared/deliver/integrations/sync/sweep-sync.ts')).sweepSync(ctx, lastPart(pk)),
  REMOVING: async ({ sk }, ctx) =>
    (await import('../../shared/deliver/integrations/sync/removal.ts')).sweepRemoval(ctx, sk),
  BILLING: async ({ sk }, ctx) => (await import('../../shared/operate/billing/sweep-billing.ts')).sweepBilling(ctx, sk),
  ABTEST: async ({ sk }, ctx) => (await import('../../shared/learn/experiments/sweep-test.ts')).sweepTest(ctx, sk),
  METER: async (_, ctx) => (await import('../../shared/operate/usage/expect-push.ts')).sweepPush(ctx),
  EXPORT: enqueueExport,
  ERASURE: enqueueExport,
  CHKRUNS: async ({ sk }, { space }) => (await import('../../shared/assure/checks/enqueue.ts')).enqueueRun(space, sk),
  LEARNING: async ({ sk }, { space }) =>
    (await import('../../shared/learn/queue.ts')).enqueueLearning(space, lastPart(sk)),
  SUBMITTED: async ({ sk }, ctx) => (await import('../../shared/assure/decisions/settle.ts')).sweepEvidence(ctx, sk),
}

/** The kind of these stands in their partition; their sort key is an id, a minute, a folder or the head of a log. */
const SHARED_PARTITIONS = [
  'HOOKS',
  'SUBMITTED',
  'CHKRUNS',
  'LOG',
  'RL',
  'TALLY',
  'FOLD',
  'LEARNING',
  'REMOVING',
  'BILLING',
  'ABTEST',
  'METER',
]

const lastPart = (pk: string) => pk.split('#').at(-1) ?? ''

async function continueWith(due: Key, options: Options): Promise<void> {
  const space = spaceOf(due.pk)
  const partition = lastPart(due.pk)
  const kind = SHARED_PARTITIONS.includes(partition) ? partition : due.sk
  if (space) await CONTINUATIONS[kind]?.(due, systemContext(space), options)
}
