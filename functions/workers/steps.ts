import { systemContext } from '../../shared/base/context.ts'
import { AGAIN, type QueueEvent, read } from '../../shared/base/kernel/queue.ts'
import { inParallel } from '../../shared/base/lib/in-parallel.ts'
import { alarm } from '../../shared/base/lib/log.ts'
import type { AffectedNodes, OnErased } from '../../shared/base/ports/effects.ts'
import { steps, type StepMessage } from '../../shared/ledger/steps/enqueue.ts'
import { runStep, type Step } from '../../shared/ledger/steps/run-step.ts'

const affectedNodes: AffectedNodes = async (ctx, since) =>
  (await import('../../shared/operate/incidents/affected-nodes.ts')).affectedNodes(ctx, since)

const erased: OnErased = async (ctx, ids) => {
  await (await import('../../shared/learn/generation/withdraw-erased.ts')).withdrawErased(ctx, ids)
}

/** What each space does once an hour or once a day, a line each. Code is loaded only when it is due. */
const STEPS: Record<string, Step> = {
  checks: {
    every: 'hour',
    concerns: async (ctx) => (await import('../../shared/assure/runs/schedule-run.ts')).hasFramework(ctx),
    run: async (ctx, slots) => (await import('../../shared/assure/runs/schedule-run.ts')).scheduleRun(ctx, slots),
  },
  verification: {
    every: 'day',
    run: async (ctx) => (await import('../../shared/ledger/evidence/verify/enqueue-full-pass.ts')).enqueueFullPass(ctx),
  },
  domains: {
    every: 'day',
    run: async (ctx) => (await import('../../shared/identity/domains/recheck.ts')).recheckDomains(ctx),
  },
  routing: {
    every: 'hour',
    concerns: async (ctx) => (await import('../../shared/learn/snapshots/keep-updates.ts')).hasUpdates(ctx),
    run: async (ctx) => (await import('../../shared/learn/snapshots/keep-updates.ts')).keepUpdates(ctx, affectedNodes),
  },
  retention: {
    every: 'hour',
    concerns: async (ctx) => (await import('../../shared/assure/retention/keep-retention.ts')).hasRetention(ctx),
    run: async (ctx) => (await import('../../shared/assure/retention/keep-retention.ts')).keepRetention(ctx, erased),
  },
  snapshot: {
    every: 'day',
    concerns: async (ctx) => (await import('../../shared/learn/snapshots/schedule-snapshot.ts')).hasExecutions(ctx),
    run: async (ctx, slots) =>
      (await import('../../shared/learn/snapshots/schedule-snapshot.ts')).scheduleSnapshot(ctx, slots),
  },
  platform: {
    every: 'day',
    concerns: async ({ space }) => space.mode === 'live',
    run: async (ctx) => (await import('../../shared/operate/metrics/platform-days.ts')).addToPlatform(ctx),
  },
  nodes: {
    every: 'day',
    concerns: async ({ space }) => space.mode === 'live',
    run: async (ctx) => (await import('../../shared/operate/metrics/platform-days.ts')).addNodes(ctx),
  },
  plan: {
    every: 'day',
    concerns: async ({ space }) => space.mode === 'live',
    run: async (ctx) => (await import('../../shared/operate/billing/expect-plan.ts')).expectPlan(ctx),
  },
  files: {
    every: 'day',
    run: async (ctx) => (await import('../../shared/operate/usage/count-files.ts')).countFiles(ctx),
  },
  records: {
    every: 'day',
    concerns: async (ctx) => (await import('../../shared/deliver/integrations/sync/record.ts')).hasPastRecords(ctx),
    run: async (ctx) => (await import('../../shared/deliver/integrations/sync/record.ts')).removePastRecords(ctx),
  },
}

const AT_ONCE = 10

/** Runs the steps of the spaces that a message names. A message of which anything failed returns to the queue. */
export const handler = (event: QueueEvent) =>
  read(steps, event, { failed: 'step_failed' }, async (message) => !(await runAll(message)) && AGAIN)

/** A step or space in trouble does not stop the others. */
async function runAll({ every, spaces }: StepMessage): Promise<boolean> {
  const named = Object.entries(STEPS).filter(([, step]) => step.every === every)
  const due = spaces.flatMap((space) => named.map(([name, step]) => ({ space, name, step })))
  const ended = await inParallel(AT_ONCE, due, ({ space, name, step }) =>
    attempt(() => runStep(systemContext(space), name, step), { step: name, tenant: space.tenant_id, mode: space.mode }),
  )
  return !ended.includes(false)
}

async function attempt(run: () => Promise<unknown>, about: Record<string, string>): Promise<boolean> {
  try {
    return (await run()) !== false
  } catch (error) {
    alarm('step_failed', error, about)
    return false
  }
}
