import { gunzipSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { exports } from '../../../functions/exports/routes.ts'
import { protocol } from '../../../functions/protocol/routes.ts'
import { systemContext } from '../../../shared/base/context.ts'
import { readReferencedArtifacts } from '../../../shared/ledger/evidence/artifact/referenced-artifacts.ts'
import { findExecution } from '../../../shared/govern/executions/sealed/open-execution.ts'
import { transition } from '../../../shared/govern/executions/store.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { executeBody, referenceTenant } from '../../support/reference-action.ts'
import { download } from '../../support/unzip.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

/** Together more than five megabytes. */
const ROWS = 60
const PASSED = Array.from({ length: 3_000 }, (_, index) => `pol_${String(index).padStart(26, '0')}`)

const local = useLocalStack()
let acme: TestTenant
beforeAll(async () => {
  acme = await referenceTenant(local)
  const { body } = await acme.call(protocol.execute, { body: executeBody('AUTO') })
  const ctx = systemContext({ tenant_id: acme.tenant_id, mode: 'live' })
  const was = await findExecution(ctx, body.receipt.request_id)
  const [asked] = (await readReferencedArtifacts(ctx, [was])).get(was.id) ?? []
  const { decision, payload_commitment, latency_ms } = asked?.header ?? {}
  const proof = { type: 'protocol.executed', decision, payload_commitment, latency_ms, outcome: 'succeeded' } as const
  const facts = { ...proof, retries: 0, policies_passed: PASSED.length }
  const { _v, ...execution } = { ...was, artifacts: [], evaluations: JSON.stringify(PASSED), correlation_id: '' }
  for (let row = 1; row < ROWS; row += 1) {
    const next = { ...execution, id: ctx.id('exe'), requested_by: { type: 'system' as const, id: 'system' } }
    await ctx.table.commit(transition(ctx, undefined, next, [{ facts, events: () => [] }]).writes)
  }
})

test('202: rows that no answer could carry become a file with all of them', async () => {
  const asked = await acme.call(exports.receipts)
  await local.drain()
  const { body } = await acme.call(exports.get, { params: { export_id: asked.body.export_id } })
  const rows: unknown[] = JSON.parse(gunzipSync(await download(body.download_url)).toString())

  expect(asked).toMatchObject({ status: 202, headers: { location: `/api/v1/exports/${body.export_id}` } })
  expect(body).toMatchObject({ status: 'ready', row_count: ROWS })
  expect(rows).toHaveLength(ROWS)
})

test('200: a smaller page of them is still answered at once', async () => {
  expect(await acme.call(exports.receipts, { query: { limit: 10 } })).toMatchObject({
    status: 200,
    body: { total: ROWS },
  })
})
