// `npm run bench -- datasets [executions]`: a dataset of many executions, a fifth of them held and decided. Table and bucket are
// stand-ins in this process, so their work is part of the time and of the memory.
import { performance } from 'node:perf_hooks'
import type { Context } from '../../shared/base/context.ts'
import { inParallel } from '../../shared/base/lib/in-parallel.ts'
import { castVote } from '../../shared/govern/approvals/votes/vote.ts'
import { loadVoteInputs } from '../../shared/govern/approvals/inputs.ts'
import { loadInputs } from '../../shared/govern/executions/inputs.ts'
import { ExecuteBody } from '../../shared/govern/executions/request.ts'
import { decideOn } from '../../shared/govern/protocol/decide.ts'
import { submit } from '../../shared/govern/protocol/submit.ts'
import { readDataset } from '../../shared/learn/datasets/dataset-view.ts'
import { generateDataset } from '../../shared/learn/generation/generate.ts'
import { GenerationBody, requestGeneration } from '../../shared/learn/generation/request-generation.ts'
import { type Governed, governed, NODE_ID, requestOf } from '../support/governed.ts'
import { startLocalStack } from '../support/local-stack.ts'

const EXECUTIONS = 20_000
const GOALS = { seconds: 60, megabytes: 1_024 }
const AT_ONCE = 8
const HELD_EACH = 5

const wordsOf = (n: number) => Array.from({ length: 12 }, (_, at) => `w${(n * 31 + at * 17) % 997}`).join(' ')

async function execute(agent: Context, approver: Context, n: number): Promise<void> {
  const isHeld = n % HELD_EACH === 0
  const task = `tidy up list ${Math.floor(n / (2 * HELD_EACH))}`
  const payload = { task, contact: `con_${n}`, note: `${wordsOf(n)} ann${n}@example.com` }
  const action_id = isHeld ? 'delete_contact' : 'update_contact'
  const body = ExecuteBody.parse({ node_id: NODE_ID, action_id, payload })
  const inputs = await loadInputs(agent.table, agent.space, { body })
  const { execution } = await submit(agent, await decideOn(agent, inputs, body))
  if (!execution.held) return
  const held = await loadVoteInputs(approver.table, approver.space, { params: { id: execution.held.id } })
  await castVote(approver, held, { decision: n % (2 * HELD_EACH) === 0 ? 'approve' : 'reject' })
}

/** Generates, and samples memory beside it. */
async function measured(acme: Governed, id: string): Promise<{ seconds: number; megabytes: number }> {
  let peak = 0
  const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 50)
  const start = performance.now()
  await generateDataset(acme.ctx, await readDataset(acme.ctx, id))
  clearInterval(timer)
  return { seconds: (performance.now() - start) / 1_000, megabytes: peak / 1_048_576 }
}

export async function run([count]: string[]): Promise<void> {
  const executions = Number(count ?? EXECUTIONS)
  const local = await startLocalStack()
  try {
    const acme = await governed(local)
    const [agent, approver] = [requestOf(acme, 'asks'), requestOf(acme, acme.approver.id, ['approver'])]
    await inParallel(
      AT_ONCE,
      Array.from({ length: executions }, (_, n) => n),
      (n) => execute(agent, approver, n),
    )
    await local.advance(60_000)
    const { id } = await requestGeneration(agent, GenerationBody.parse({ name: 'bench' }))
    const before = process.memoryUsage().rss / 1_048_576
    const { seconds, megabytes } = await measured(acme, id)
    const { status, counts, error } = await readDataset(acme.ctx, id)
    const met = status === 'ready' && seconds <= GOALS.seconds && megabytes - before <= GOALS.megabytes
    const figures = { seconds: Number(seconds.toFixed(1)), megabytes: Math.round(megabytes - before) }
    console.log({ executions, status, error, counts, ...figures, goals: GOALS, met })
    if (!met) process.exitCode = 1
  } finally {
    await local.stop()
  }
}
