// Replaces our copy of a subscription by what the provider has now, and gives the tenant the plan that follows. Any order, loss or
// repetition of events ends in this state.
import { DAY_MS, iso } from '../../base/lib/clock.ts'
import { changed } from '../../ledger/audit/changed.ts'
import type { EventDraft } from '../../ledger/events/event.ts'
import { type Mail, newMail } from '../../ledger/events/mail.ts'
import { newArtifact } from '../../ledger/evidence/artifact/artifact.ts'
import { commitWith, type Transition } from '../../ledger/evidence/artifact/record.ts'
import { closeTask, type TaskParts } from '../../govern/tasks/store-task.ts'
import { openTask } from '../../govern/tasks/open-task.ts'
import type { Context } from '../../base/context.ts'
import { alarm } from '../../base/lib/log.ts'
import { ChangedMeanwhile, retryWhenChanged } from '../../base/kernel/retry.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { ConditionFailed } from '../../base/table/table.ts'
import { forgetTenant } from '../../base/tenant/find.ts'
import { allSubscriptions, isOver, LIVE, seenEvents, type Subscription, subscriptions } from './subscription.ts'
import { endedFacts, factsFor, isTheirs } from './from-stripe.ts'
import type { SubscriptionFacts } from './read-plan.ts'
import { planWrites } from './plan-writes.ts'
import { asked } from './stripe.ts'

const GRACE_MS = 14 * DAY_MS

export async function refreshSubscription(ctx: Context, provider_id: string, event_id?: string): Promise<void> {
  await retryWhenChanged(async () => {
    const all = await allSubscriptions(ctx) // before the provider is asked: what is older never replaces what is newer
    const found = await asked((client) => client.subscriptions.retrieve(provider_id))
    const was = all.find((one) => one.provider_id === provider_id)
    const facts = isTheirs(ctx, found) ? await factsFor(ctx, found, { all, was }) : was && endedFacts(ctx, was)
    if (!facts) return
    await store(ctx, { all, was, facts }, event_id)
  })
  forgetTenant(ctx.space.tenant_id)
}

type Known = { all: readonly Stored<Subscription>[]; was: Stored<Subscription> | undefined; facts: SubscriptionFacts }

async function store(ctx: Context, { all, was, facts }: Known, event_id: string | undefined): Promise<void> {
  const bare = merged(ctx, was, facts)
  const changes = was ? changedFields(was, bare) : []
  const task = await paymentTask(ctx, was, bare)
  const unread = await unreadTask(ctx, was, bare, task.parts !== undefined)
  const { task_id: _, unread_task_id: __, ...without } = bare
  const next: Subscription = {
    ...without,
    ...(task.id !== undefined && { task_id: task.id }),
    ...(unread.id !== undefined && { unread_task_id: unread.id }),
  }
  const others = all.filter((one) => one.provider_id !== facts.provider_id)
  if (LIVE.includes(next.status) && others.some(({ status }) => LIVE.includes(status)))
    alarm('two_live_subscriptions', undefined, { tenant: ctx.space.tenant_id })
  const plan = await planWrites(ctx, [...others, next])
  const transitions = [
    ...(isTold(was, changes) ? [told(ctx, was, next, changes)] : []),
    ...(task.parts?.transitions ?? []),
    ...(unread.parts?.transitions ?? []),
  ]
  const [first, ...more] = transitions
  const writes: Write[] = [
    was ? subscriptions.replace(next, was, new ChangedMeanwhile()) : subscriptions.insert(next, new ChangedMeanwhile()),
    ...plan.writes,
    ...(plan.change ? changed(ctx, [plan.change]) : []),
    ...(task.parts?.writes ?? []),
    ...(unread.parts?.writes ?? []),
    ...(first ? commitWith(ctx, [first, ...more], { mails: [...(task.mails ?? []), ...(unread.mails ?? [])] }) : []),
    ...noted(ctx, event_id),
  ]
  await ctx.table.commit(writes).catch((error: unknown) => {
    if (!(error instanceof ConditionFailed)) throw error // the event was carried out meanwhile
  })
}

function merged(ctx: Context, was: Subscription | undefined, facts: SubscriptionFacts): Subscription {
  const now = ctx.now()
  const grace_until = facts.status === 'past_due' ? graceOf(was, iso(now + GRACE_MS)) : undefined
  const tomorrow = now + DAY_MS
  const changes = [grace_until, facts.cancel_at, facts.trial_end].map((one) => Date.parse(one ?? ''))
  const due = Math.min(tomorrow, ...changes.filter((one) => one > now))
  const previous = previousStart(was, facts)
  return {
    ...facts,
    tenant_id: ctx.space.tenant_id,
    id: was?.id ?? ctx.id('sub'),
    ...(previous !== undefined && { previous_period_start: previous }),
    ...(grace_until !== undefined && { grace_until }),
    ...(was?.task_id !== undefined && { task_id: was.task_id }),
    ...(was?.unread_task_id !== undefined && { unread_task_id: was.unread_task_id }),
    ...(!isOver(facts) && { due_at: iso(due) }),
  }
}

/** It began with the first failed payment, so nothing that the table says makes it longer. */
const graceOf = (was: Subscription | undefined, latest: string): string =>
  was?.grace_until !== undefined && was.grace_until < latest ? was.grace_until : latest

/** Where the period before this one began; the first has none. */
const previousStart = (
  was: Subscription | undefined,
  { current_period_start }: SubscriptionFacts,
): string | undefined =>
  was && was.current_period_start < current_period_start ? was.current_period_start : was?.previous_period_start

const FIELDS = [
  'plan_id',
  'quantity',
  'status',
  'current_period_end',
  'cancel_at_period_end',
  'cancel_at',
  'trial_end',
  'interval',
  'collection_paused',
  'grace_until',
] as const

const changedFields = (was: Subscription, next: Subscription): string[] =>
  FIELDS.filter((name) => was[name] !== next[name])

const isTold = (was: Subscription | undefined, changes: readonly string[]) => was === undefined || changes.length > 0

/** The event follows from our change, not from that of the provider. */
function told(
  ctx: Context,
  was: Stored<Subscription> | undefined,
  next: Subscription,
  changed_fields: string[],
): Transition {
  const { id, provider_id, plan_id, status, quantity, current_period_end, cancel_at_period_end } = next
  const facts = {
    subscription_id: id,
    provider_subscription_id: provider_id,
    plan_id,
    status,
    quantity,
    current_period_end,
  }
  const subject = { id, version: (was?._v ?? 0) + 1 }
  const ended = status === 'canceled' && was?.status !== 'canceled'
  const { type, event } = ((): { type: 'created' | 'updated' | 'canceled'; event: EventDraft } => {
    if (ended) {
      const data = {
        ...facts,
        canceled_at: next.canceled_at ?? iso(ctx.now()),
        reason: next.cancel_reason ?? 'requested',
      }
      return { type: 'canceled', event: { type: 'subscription.canceled', subject, data } }
    }
    if (!was) return { type: 'created', event: { type: 'subscription.created', subject, data: facts } }
    const previous_plan_id = was.plan_id === plan_id ? null : was.plan_id
    const data = { ...facts, previous_plan_id, changed_fields, cancel_at_period_end }
    return { type: 'updated', event: { type: 'subscription.updated', subject, data } }
  })()
  const artifact = newArtifact(ctx, {
    type: `billing.subscription.${type}`,
    subject: { type: 'subscription', id },
    data: { plan_id, status, ...(was && { changed_fields }) },
  })
  return { artifact, events: [event] }
}

type TaskOf = { id?: string | undefined; parts?: TaskParts | undefined; mails?: readonly Mail[] }

/**
 * One task for the operator from when something is not understood until all is. `isBusy`: the commit moves another task already, which
 * may be the same person's; then it is opened by the next reading.
 */
async function unreadTask(
  ctx: Context,
  was: Subscription | undefined,
  next: Subscription,
  isBusy: boolean,
): Promise<TaskOf> {
  const task_id = was?.unread_task_id
  if (isBusy || (next.unread !== undefined) === (task_id !== undefined)) return { id: task_id }
  if (task_id !== undefined) {
    const parts = await closeTask(ctx, task_id, { status: 'completed', resolution: 'understood' })
    return { parts, mails: parts?.mails ?? [] }
  }
  const parts = await openTask(ctx, {
    title: 'The operator must name the plan of a subscription',
    description:
      `The ${next.unread?.join(', ')} of the subscription ${next.provider_id} at the payment provider cannot be read; until then the plan ` +
      `${next.plan_id} is kept. The operator of this service gives its price the look-up key <plan>_monthly or <plan>_yearly, or the metadata plan_id.`,
    kind: 'general',
    priority: 'high',
    labels: ['operator'],
    source: { type: 'subscription', id: next.id },
  })
  return { id: parts.task.id, parts, mails: parts.mails }
}

/** One task from the first failed payment until it is paid or over, and with it one mail to the owners. */
async function paymentTask(ctx: Context, was: Subscription | undefined, next: Subscription): Promise<TaskOf> {
  const isOwed = next.status === 'past_due' || next.status === 'unpaid'
  if (isOwed && was?.task_id === undefined) {
    const parts = await openTask(ctx, {
      title: 'A payment has failed',
      description: `The plan ${next.plan_id} ends${next.grace_until === undefined ? '' : ` on ${next.grace_until}`} unless the invoice is paid.`,
      kind: 'general',
      priority: 'high',
      source: { type: 'subscription', id: next.id },
    })
    const facts = { plan: next.plan_id, ...(next.grace_until !== undefined && { until: next.grace_until }) }
    const mail = newMail(ctx, 'payment_failed', { roles: ['owner'] }, facts)
    return { id: parts.task.id, parts, mails: [...parts.mails, mail] }
  }
  if (isOwed || was?.task_id === undefined) return { id: was?.task_id }
  const parts = await closeTask(ctx, was.task_id, { status: 'completed', resolution: next.status })
  return { parts, mails: parts?.mails ?? [] }
}

const KEPT_MS = 30 * 86_400_000

/** Goes into the commit that an event causes. Without an event: nothing. */
export const noted = (ctx: Context, id: string | undefined): Write[] =>
  id === undefined ? [] : [seenEvents.insert({ id, expires_at: ctx.now() + KEPT_MS })]
