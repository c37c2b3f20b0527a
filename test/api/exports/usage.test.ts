// Exports of rows that other areas give, and who may have them.
import { gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { billing as bills } from '../../../functions/billing/routes.ts'
import { exports } from '../../../functions/exports/routes.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { executeBody, referenceTenant } from '../../support/reference-action.ts'
import { type Person, personWith } from '../../support/people.ts'
import { protocol } from '../../../functions/protocol/routes.ts'
import { signIn } from '../../support/sign-in.ts'
import { download } from '../../support/unzip.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: TestTenant
let billing: Person
beforeAll(async () => {
  acme = await referenceTenant(local)
  billing = await personWith(local, await signIn(local, acme.owner), ['billing'])
  await acme.call(protocol.execute, { body: executeBody('AUTO') })
  await local.drain()
  await local.advance(130_000)
  await local.sweep()
  await local.drain()
})

describe('GET /api/v1/exports/usage', () => {
  test('200: a day with what is counted of it, for whoever sees to the bills', async () => {
    const { status, body } = await billing.call(exports.usage)

    expect({ status, type: body.export.type }).toEqual({ status: 200, type: 'usage' })
    expect(body.items.at(-1)).toMatchObject({ environment: 'live', executions: 1 })
    expect(body.items.at(-1).api_calls).toBeGreaterThan(0)
  })

  test('200: agrees with the usage that is billed, to the unit', async () => {
    const [row] = (await billing.call(exports.usage)).body.items.toReversed()
    const { by_day, executions, requests, storage, tokens } = (await billing.call(bills.getUsage)).body

    expect(by_day).toEqual([
      {
        date: row.date,
        requests: row.api_calls,
        executions: row.executions,
        tokens: row.tokens_input + row.tokens_output,
        storage_bytes: row.storage_bytes,
      },
    ])
    expect([executions.used, requests.used]).toEqual([row.executions, row.api_calls])
    expect([tokens.input, tokens.output]).toEqual([row.tokens_input, row.tokens_output])
    expect(row.tokens_estimated).toBe(Math.round(tokens.estimated_share * tokens.used))
    expect(storage.used - storage.in_files).toBe(row.storage_bytes)
    expect(row.storage_bytes).toBeGreaterThan(0)
  })

  test('200: has the same figures in CSV', async () => {
    const { body } = await billing.call(exports.usage, { query: { format: 'csv' } })
    const [header, ...rows] = body.trimEnd().split('\r\n')

    expect(header).toBe(
      'date,environment,api_calls,executions,tokens_input,tokens_output,tokens_estimated,storage_bytes,webhook_deliveries',
    )
    expect(rows.at(-1)).toMatch(/^\d{4}-\d\d-\d\d,live,\d+,1,\d+,\d+,\d+,\d+,0$/)
  })

  test('202: its file is read where whoever asked for it may', async () => {
    const asked = await billing.call(exports.usage, { query: { async: true, format: 'ndjson' } })
    await local.drain()
    const { export_id, poll } = asked.body
    const { body } = await billing.call(exports.usage, { query: { export_id } })
    const text = gunzipSync(await download(body.download_url)).toString()

    expect(asked).toMatchObject({ status: 202, headers: { location: poll } })
    expect(poll).toBe(`/api/v1/exports/usage?export_id=${export_id}`)
    expect(JSON.parse(text.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({ executions: 1 })
  })

  test('404: gives out no export that its caller may not ask for', async () => {
    const { export_id } = (await acme.call(exports.receipts, { query: { async: true } })).body

    expect((await billing.call(exports.receipts)).status).toBe(403)
    expect((await billing.call(exports.usage, { query: { export_id } })).status).toBe(404)
  })
})

describe('GET /api/v1/exports/training', () => {
  test('200: without an area that trains models there is no row, in every format', async () => {
    const [json, csv] = [
      await acme.call(exports.training),
      await acme.call(exports.training, { query: { format: 'csv' } }),
    ]

    expect(json.body).toMatchObject({ total: 0, items: [], export: { type: 'training', row_count: 0 } })
    expect(csv.body).toMatch(/^job_id,name,type,trainer,[a-z_,0-9]+,deployed_at\r\n$/)
  })
})
