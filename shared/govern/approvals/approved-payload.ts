// What people approved, as the chain proves it: the payload of a held execution of the service's own nodes that ran.
import type { Context } from '../../base/context.ts'
import type { JsonObject } from '../../base/wire/parse-body.ts'
import { executions } from '../executions/execution.ts'
import { openSealed } from '../executions/open-execution.ts'
import { approvals } from './approval.ts'
import { isProven, mayRun } from './proven.ts'

type Approved = { node_id: string; action_id: string; payload: JsonObject; approval_id: string }

/** Undefined without such an execution, and once its payload is erased. */
export async function approvedPayload(ctx: Context, id: string): Promise<Approved | undefined> {
  const { table, space } = ctx
  const execution = await table.get(executions, { ...space, id })
  const held = execution?.held && (await table.get(approvals, { ...space, id: execution.held.id }))
  if (!held || execution.status !== 'executed') return undefined
  const open = await openSealed(ctx, execution)
  const { payload } = open.opened
  const isIts = payload !== null && (await mayRun(ctx, open)) && (await isProven(ctx, { held, execution }))
  if (!isIts) return undefined
  return { node_id: execution.node_id, action_id: execution.action_id, payload, approval_id: held.id }
}
