import { beforeAll, describe, expect, test } from 'vitest'
import { evidence } from '../../../functions/evidence/routes.ts'
import { protocol } from '../../../functions/protocol/routes.ts'
import { PACK, type PackManifest } from '../../../shared/assure/exports/pack/pack.ts'
import { sha256Hex } from '../../../shared/base/lib/json.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { executeBody, PAYLOAD, referenceTenant } from '../../support/reference-action.ts'
import { download, unzip, type Unzipped } from '../../support/unzip.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const MISSING = 'exp_01JD3Q8Z5N0A2C4E6G8J0M2P4R'
const MINUTE = 60_000

const local = useLocalStack()
let acme: TestTenant
beforeAll(async () => {
  acme = await referenceTenant(local)
  for (let signed = 0; signed < 3; signed += 1) {
    for (let run = 0; run < 2; run += 1) await acme.call(protocol.execute, { body: executeBody('AUTO') })
    await local.advance(2 * MINUTE)
    await local.sweep()
  }
})

async function exported(body: object, tenant: Pick<TestTenant, 'call'> = acme) {
  const asked = await tenant.call(evidence.createExport, { body })
  await local.drain()
  const { export_id } = asked.body
  const ready = await tenant.call(evidence.getExport, { params: { export_id } })
  const bytes = await download(ready.body.download_url)
  return { asked, ready, bytes, files: unzip(bytes) }
}

const manifestOf = (files: Unzipped): PackManifest => JSON.parse(files.get(PACK.manifest) ?? '')
const artifactsOf = (files: Unzipped) => (files.get(PACK.artifacts) ?? '').trimEnd().split('\n')

describe('POST /api/evidence/exports', () => {
  test('202: becomes a pack whose hash and size are as announced', async () => {
    const { asked, ready, bytes } = await exported({})

    expect(asked).toMatchObject({ status: 202, body: { status: 'processing' } })
    expect(ready).toMatchObject({ status: 200, body: { status: 'ready', row_count: expect.any(Number) } })
    expect([ready.body.sha256, ready.body.size_bytes]).toEqual([sha256Hex(bytes), bytes.length])
  })

  test('202: holds every part, each as its manifest says', async () => {
    const { files } = await exported({ include_payloads: true })
    const manifest = manifestOf(files)

    expect([...files.keys()]).toEqual([...manifest.files.map(({ path }) => path), PACK.manifest, PACK.proof])
    for (const { path, sha256, bytes } of manifest.files) {
      expect([sha256, bytes]).toEqual([sha256Hex(files.get(path) ?? ''), Buffer.byteLength(files.get(path) ?? '')])
    }
    expect(artifactsOf(files)).toHaveLength(manifest.range.to)
    expect(files.get(PACK.payloads)).toContain(PAYLOAD.note)
    expect(files.get(PACK.readme)).toContain(manifest.verifier_keys[0]?.verifier_key)
  })

  test('202: without payloads nothing of them is in the pack', async () => {
    const { files } = await exported({})

    expect(files.has(PACK.payloads)).toBe(false)
    expect([...files.values()].join()).not.toContain(PAYLOAD.note)
  })

  test('202: a range of sequences is widened to the checkpoints around it', async () => {
    const sizes = manifestOf((await exported({})).files).checkpoints.map(({ size }) => size)
    const [first = 0, second = 0, third = 0] = sizes
    const { range, start } = manifestOf((await exported({ from_sequence: first + 1, to_sequence: second + 1 })).files)

    expect(sizes.length).toBeGreaterThanOrEqual(3)
    expect(range).toEqual({ from: first, to: third })
    expect(start.size).toBe(first)
  })

  test('202: a range of times holds everything that occurred in it', async () => {
    const all = artifactsOf((await exported({})).files)
    const times = all.map((line) => JSON.parse(line.slice(65)).occurred_at)
    const at = times.findLast((time) => times.indexOf(time) > 1)
    const end = new Date(Date.parse(at) + 1).toISOString()
    const { files } = await exported({ start_at: at, end_at: end })

    for (const line of all.filter((_, index) => times[index] === at)) expect(artifactsOf(files)).toContain(line)
  })

  test('202: leaves evidence of what was asked for and by whom', async () => {
    const { asked } = await exported({ include_payloads: true })
    const { body } = await acme.call(evidence.latest, { query: { type: 'evidence.exported', limit: 1 } })

    expect(body.items[0]).toMatchObject({
      actor: { kind: 'api_key' },
      subject: { type: 'export', id: asked.body.export_id },
    })
  })

  test('202: repeated with the same key, shows the present state of the same export', async () => {
    const ask = () => acme.call(evidence.createExport, { body: {}, headers: { 'idempotency-key': 'pack-1' } })
    const first = await ask()
    await local.drain()

    expect((await ask()).body).toMatchObject({ export_id: first.body.export_id, status: 'ready' })
  })

  test.each([
    { start_at: '2026-11-20T10:00:00Z', end_at: '2026-11-20T10:00:00Z' },
    { from_sequence: 5, to_sequence: 5 },
    { from_sequence: 0, start_at: '2026-11-20T10:00:00Z' },
    { from_sequence: -1 },
    { start_at: 'yesterday' },
    { all: true },
  ])('422: %j', async (body) => {
    expect(await acme.call(evidence.createExport, { body })).toMatchObject({ status: 422 })
  })

  test('403: a credential that may not export', async () => {
    expect(await acme.as('approver').call(evidence.createExport, { body: {} })).toMatchObject({ status: 403 })
  })
})

describe('GET /api/evidence/exports/{export_id}', () => {
  test('404: another tenant’s and another mode’s export look exactly like a missing one', async () => {
    const { asked } = await exported({})
    const { export_id } = asked.body
    const stranger = await local.tenant()
    const answers = await Promise.all([
      stranger.call(evidence.getExport, { params: { export_id } }),
      acme.as('sandbox').call(evidence.getExport, { params: { export_id } }),
      acme.call(evidence.getExport, { params: { export_id: MISSING } }),
    ])

    const [first, ...others] = answers.map(({ status, body }) => ({ status, body: { ...body, request_id: '' } }))
    expect(first).toMatchObject({ status: 404 })
    for (const other of others) expect(other).toEqual(first)
  })

  test('200: the chain of test data is another one', async () => {
    const sandbox = acme.as('sandbox')
    await sandbox.call(evidence.createExport, { body: {} })
    await local.sweep()
    const { files } = await exported({}, sandbox)

    expect(manifestOf(files).chain).toBe(`${acme.tenant_id}/test`)
  })

  test('200: the address stops working after a quarter of an hour, and a new one is given', async () => {
    const { ready, asked } = await exported({})
    await local.advance(15 * MINUTE + 1_000)

    await expect(download(ready.body.download_url)).rejects.toThrow('403')
    const again = await acme.call(evidence.getExport, { params: { export_id: asked.body.export_id } })
    expect((await download(again.body.download_url)).length).toBe(ready.body.size_bytes)
  })

  test('200: an export whose message was lost is made all the same', async () => {
    const { body } = await acme.call(evidence.createExport, { body: {} })
    for (const message of local.queues.receive('exports', 10)) local.queues.remove(message)
    await local.advance(2 * MINUTE)
    await local.sweep()

    const { status } = (await acme.call(evidence.getExport, { params: { export_id: body.export_id } })).body
    expect(status).toBe('ready')
  })

  test('404: after a week', async () => {
    const { asked } = await exported({})
    await local.advance(7 * 24 * 60 * MINUTE)
    const reply = await acme.call(evidence.getExport, { params: { export_id: asked.body.export_id } })

    expect(reply).toMatchObject({ status: 404 })
  })
})
