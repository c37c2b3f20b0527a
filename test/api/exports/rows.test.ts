import { gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { approvals } from '../../../functions/approvals/routes.ts'
import { evidence } from '../../../functions/evidence/routes.ts'
import { exports } from '../../../functions/exports/routes.ts'
import { protocol } from '../../../functions/protocol/routes.ts'
import { canonicalJson, sha256Hex } from '../../../shared/base/lib/json.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { executeBody, referenceTenant } from '../../support/reference-action.ts'
import { download } from '../../support/unzip.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const HOUR = 3_600_000
const REASON = '=HYPERLINK("http://evil.example","click")'

const local = useLocalStack()
let acme: TestTenant
beforeAll(async () => {
  acme = await referenceTenant(local)
  for (let run = 0; run < 5; run += 1) await executed('AUTO')
  const { body } = await executed('HARD')
  const id = body.approval.id
  await local.advance(90_000)
  await acme.as('approver').call(approvals.reject, { params: { id }, body: { reason: REASON } })
  await executed('HARD')
  await local.drain()
})

const executed = (tier: 'AUTO' | 'HARD') => acme.call(protocol.execute, { body: executeBody(tier) })
const receipts = (query: object = {}, tenant: Pick<TestTenant, 'call'> = acme) =>
  tenant.call(exports.receipts, { query: { ...query } })

describe('GET /api/v1/exports/receipts', () => {
  test('200: all executions of the last 30 days, oldest first, with their evidence', async () => {
    const { status, body } = await receipts()

    expect(status).toBe(200)
    expect(body).toMatchObject({
      total: 7,
      has_more: false,
      next_cursor: null,
      export: { type: 'receipts', row_count: 7 },
    })
    const times = body.items.map(({ created_at }: { created_at: string }) => created_at)
    expect(times).toEqual(times.toSorted())
    expect(body.items[0]).toMatchObject({
      request_id: expect.stringMatching(/^exe_/),
      tier: 'AUTO',
      status: 'executed',
      evidence_artifact_id: expect.stringMatching(/^art_/),
      evidence_hash: expect.stringMatching(/^sha256:/),
      agent_id: null,
    })
    expect(body.export.sha256).toBe(sha256Hex(canonicalJson(body.items)))
    expect(body.export.chain_head.sequence).toBeGreaterThan(0)
  })

  test('200: pages give each row once, in both styles, also while time passes', async () => {
    const all = (await receipts()).body.items
    const paged: unknown[] = []
    let cursor: string | undefined
    do {
      const { body } = await receipts({ limit: 3, ...(cursor && { cursor }) })
      await local.advance(1_000)
      paged.push(...body.items)
      cursor = body.next_cursor ?? undefined
    } while (cursor)

    expect(paged).toEqual(all)
    expect((await receipts({ limit: 3, offset: 3 })).body).toMatchObject({
      items: all.slice(3, 6),
      limit: 3,
      offset: 3,
    })
  })

  test('200: start is inclusive, end exclusive', async () => {
    const { items } = (await receipts()).body
    const [start_at, end_at] = [items[1].created_at, items.at(-1).created_at]
    const inside = items.filter((row: { created_at: string }) => row.created_at >= start_at && row.created_at < end_at)

    expect((await receipts({ start_at, end_at })).body.items).toEqual(inside)
  })

  test('200: NDJSON has the same rows and says what it is', async () => {
    const { items } = (await receipts()).body
    const { body, headers } = await receipts({ format: 'ndjson' })

    expect(
      body
        .trimEnd()
        .split('\n')
        .map((line: string) => JSON.parse(line)),
    ).toEqual(items)
    expect(headers).toMatchObject({
      'content-type': 'application/x-ndjson; charset=utf-8',
      'x-export-row-count': '7',
      'x-export-sha256': sha256Hex(body),
    })
  })

  test('200: CSV has a header and the same number of rows', async () => {
    const { body, headers } = await receipts({ format: 'csv', limit: 2 })
    const [header, ...rows] = body.trimEnd().split('\r\n')

    expect(header).toMatch(/^request_id,trace_id,correlation_id,node_id,/)
    expect(rows).toHaveLength(2)
    expect(headers['x-next-cursor']).toBeTruthy()
  })

  test.each([
    ['a caller asks for it', { bom: true }, {}, true],
    ['a browser opens the address', {}, { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }, true],
    ['a browser says so', {}, { accept: '*/*', 'sec-fetch-dest': 'document' }, true],
    ['never for a program', {}, { accept: '*/*', 'sec-fetch-dest': 'empty' }, false],
    ['never where the caller wants none', { bom: false }, { accept: 'text/html' }, false],
  ])('200: CSV has a charset, a file name and a byte order mark: %s', async (_, asked, sent, marked) => {
    const { body, headers } = await acme.call(exports.receipts, { query: { format: 'csv', ...asked }, headers: sent })

    expect(body.startsWith('\uFEFFrequest_id,')).toBe(marked)
    expect(body.startsWith('request_id,')).toBe(!marked)
    expect(headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': expect.stringMatching(
        /^attachment; filename="(receipts-[\d-]{10}-[\d-]{10}\.csv)"; filename\*=UTF-8''\1$/,
      ),
      'x-export-sha256': sha256Hex(body),
    })
  })

  test('202: a file for a spreadsheet begins with a byte order mark, too', async () => {
    const asked = await receipts({ async: true, format: 'csv', bom: true })
    await local.drain()
    const { body } = await receipts({ export_id: asked.body.export_id })

    expect(gunzipSync(await download(body.download_url)).toString()).toMatch(/^\uFEFFrequest_id,/)
  })

  test('422: a byte order mark is for CSV only, 400: and true or false', async () => {
    expect(await receipts({ format: 'ndjson', bom: true })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['query', 'bom'] }] },
    })
    expect((await receipts({ format: 'csv', bom: 'yes' })).status).toBe(400)
  })

  test('200: leaves evidence of what was handed out', async () => {
    const { export: facts } = (await receipts()).body
    const latest = await acme.call(evidence.latest, { query: { type: 'evidence.exported', limit: 1 } })
    const { header } = (await acme.call(evidence.get, { params: { id: latest.body.items[0].artifact_id } })).body

    expect(JSON.parse(header).data).toMatchObject({ export: 'receipts', row_count: 7, sha256: facts.sha256 })
  })

  test('200: other tenants and the other mode see none of it', async () => {
    for (const tenant of [await local.tenant(), acme.as('sandbox')]) {
      expect((await receipts({}, tenant)).body).toMatchObject({ total: 0, items: [] })
    }
  })

  test('202: asked for as a file, all rows are in it, in one document', async () => {
    const { items } = (await receipts()).body
    for (const format of ['json', 'ndjson', 'csv']) {
      const asked = await receipts({ async: true, format, limit: 2 })
      await local.drain()
      const { body } = await receipts({ export_id: asked.body.export_id })
      const text = gunzipSync(await download(body.download_url)).toString()

      expect(asked).toMatchObject({ status: 202, body: { status: 'processing' } })
      expect(body).toMatchObject({ status: 'ready', row_count: 7 })
      if (format === 'json') expect(JSON.parse(text)).toEqual(items)
      else expect(text.trimEnd().split('\n')).toHaveLength(format === 'csv' ? 8 : 7)
    }
  })

  test.each([
    [422, { format: 'xml' }],
    [422, { end_at: '2026-11-20T10:00:00Z' }],
    [422, { start_at: '2026-11-20T10:00:00Z', end_at: '2026-11-20T10:00:00Z' }],
    [400, { window_days: 367 }],
    [400, { window_days: 0 }],
    [400, { start_at: 'yesterday' }],
    [400, { limit: 0 }],
    [400, { cursor: 'made-up' }],
  ])('%i: %j', async (status, query) => {
    expect(await receipts(query)).toMatchObject({ status })
  })
})

describe('GET /api/v1/exports/approvals', () => {
  test('200: decided approvals only, with how long they took', async () => {
    const { body } = await acme.call(exports.approvals)

    expect(body.total).toBe(1)
    expect(body.items).toMatchObject([
      {
        decision: 'rejected',
        reason: REASON,
        method: 'api_key',
        seconds_to_decision: 90,
        sla_status: 'met',
        evidence_artifact_id: expect.stringMatching(/^art_/),
      },
    ])
  })

  test('200: a formula in a reason is none in CSV', async () => {
    const { body } = await acme.call(exports.approvals, { query: { format: 'csv' } })

    expect(body).toContain(`"'=HYPERLINK(""http://evil.example"",""click"")"`)
  })

  test('200: what nobody decided in time has missed its deadline', async () => {
    await local.advance(25 * HOUR)
    await local.sweep()
    const { body } = await acme.call(exports.approvals)

    expect(body.items).toContainEqual(
      expect.objectContaining({ decision: 'expired', sla_status: 'missed', decided_by: null }),
    )
  })
})

describe('GET /api/v1/exports/{export_id}', () => {
  test('404: another tenant’s export looks exactly like a missing one', async () => {
    const { export_id } = (await receipts({ async: true })).body
    const stranger = await local.tenant()
    const [foreign, missing] = await Promise.all(
      [export_id, 'exp_01JD3Q8Z5N0A2C4E6G8J0M2P4R'].map((id) =>
        stranger.call(exports.get, { params: { export_id: id } }),
      ),
    )

    expect(foreign?.status).toBe(404)
    expect({ ...foreign?.body, request_id: '' }).toEqual({ ...missing?.body, request_id: '' })
    expect((await acme.call(exports.get, { params: { export_id } })).status).toBe(200)
  })
})
