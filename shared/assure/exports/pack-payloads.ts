// Opens the payloads that artifacts commit to, for a pack.
import type { Context } from '../../base/context.ts'
import { executions } from '../../govern/executions/execution.ts'
import { openSealed } from '../../govern/executions/sealed/open-execution.ts'
import { readHeader } from '../../ledger/evidence/artifact/read-header.ts'
import { hex } from '../../ledger/evidence/artifact/hashes.ts'
import { inParallel } from '../../base/lib/in-parallel.ts'
import type { PackPayload } from './pack.ts'
import type { Position } from './read-range.ts'

const AT_ONCE = 8

type Committed = Pick<Position, 'artifact_id' | 'erased_by'> & { request_id: string }

/** The lines of payloads.ndjson for some positions, in their order. A payload that was lost without an erasure has no line. */
export async function payloadLines(ctx: Context, positions: readonly Position[]): Promise<PackPayload[]> {
  const committed = positions.flatMap(commitmentOf)
  const ids = [...new Set(committed.map(({ request_id }) => request_id))]
  const found = await ctx.table.getAll(
    executions,
    ids.map((id) => ({ ...ctx.space, id })),
  )
  const opened = await inParallel(AT_ONCE, found, (execution) => openSealed(ctx, execution))
  const payloads = new Map(opened.map(({ execution, opened: { payload }, salt }) => [execution.id, { payload, salt }]))
  return committed.flatMap(({ artifact_id, request_id, erased_by }): PackPayload[] => {
    if (erased_by !== undefined) return [{ artifact_id, erased_by }]
    const { payload, salt } = payloads.get(request_id) ?? {}
    return payload && salt ? [{ artifact_id, salt: hex(salt), payload }] : []
  })
}

function commitmentOf({ artifact_id, header, erased_by }: Position): Committed[] {
  // A damaged header has no commitment to open. The verifier reports it.
  const { request_id, payload_commitment } = readHeader(header) ?? {}
  return request_id !== undefined && payload_commitment !== undefined ? [{ artifact_id, request_id, erased_by }] : []
}
