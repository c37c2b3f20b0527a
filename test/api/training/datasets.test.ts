// Datasets that are posted or uploaded, and what an erasure does to generated ones.
import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { evidence } from '../../../functions/evidence/routes.ts'
import { training } from '../../../functions/training/routes.ts'
import { systemContext } from '../../../shared/base/context.ts'
import { readDataset } from '../../../shared/learn/datasets/dataset-view.ts'
import { shareFiles } from '../../../shared/learn/datasets/share-files.ts'
import { bodyOf, type Governed, governed, requestOf } from '../../support/governed.ts'
import { registered } from '../../support/model.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: Governed
beforeAll(async () => {
  acme = await governed(local)
})

const read = async (dataset_id: string) => bodyOf(await acme.call(training.getDataset, { params: { dataset_id } }), 200)
const create = (body: object) => acme.call(training.createDataset, { body: { name: 'mine', format: 'sft', ...body } })
const ROW = { prompt: 'Refund order 7.', completion: '{"amount":5}' }
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')

const urlOf = ({ files }: { files: { path: string; url: string }[] }, path: string) =>
  files.find((file) => file.path === path)?.url ?? ''

describe('a dataset of rows in the request', () => {
  test('is checked and published with a card', async () => {
    const made = bodyOf(await create({ records: [ROW, ROW] }), 201)
    expect(made).toMatchObject({ status: 'validating', source: 'upload', files: [] })
    await local.drain()
    const dataset = await read(made.id)

    expect(dataset).toMatchObject({ status: 'ready', progress: 1 })
    const text = await (await fetch(urlOf(dataset, 'sft/train.jsonl'))).text()
    expect(text).toBe(`${JSON.stringify(ROW)}\n`.repeat(2))
    expect(await (await fetch(urlOf(dataset, 'README.md'))).text()).toContain(
      'configs:\n- config_name: sft\n  default: true\n  data_files:\n  - split: train\n    path: sft/train.jsonl\n---',
    )
    const manifest = await (await fetch(urlOf(dataset, 'manifest.json'))).text()
    expect(hashOf(manifest)).toBe(dataset.content_sha256)
    expect(manifest).toContain(hashOf(text))
  })

  test('with other columns is invalid, with the lines and why', async () => {
    const made = bodyOf(await create({ records: [ROW, { ...ROW, label: true }, { prompt: 'x' }] }), 201)
    await local.drain()

    expect(await read(made.id)).toMatchObject({
      status: 'invalid',
      files: [],
      error: { code: 'invalid_rows', lines: [{ line: 2 }, { line: 3, reason: expect.stringMatching(/^completion/) }] },
    })
  })

  test('and a file at once, or neither, is a 422', async () => {
    const upload = { size: 5, sha256: hashOf('x') }
    for (const body of [{}, { records: [ROW], upload }, { records: [] }]) expect((await create(body)).status).toBe(422)
  })
})

describe('a dataset that names no actions', () => {
  const user = (content: string) => [{ role: 'user', content }]
  const answer = [{ role: 'assistant', content: '{"amount":5}' }]
  const GENERATED = 'Node: shop.billing.refunds - Refunds\nAction: refund_payment - Refunds\nTask: refund'
  const train = async (prompt: string) => {
    const records = [{ prompt: user(prompt), completion: answer, label: true }]
    const { id } = bodyOf(await create({ format: 'kto', records }), 201)
    await local.drain()
    const { status, names_actions } = await read(id)
    const job = await acme.call(training.createJob, { body: { name: 'mine', type: 'approval', dataset_id: id } })
    return { status, names_actions, job }
  }

  test('is ready, but none for the embedded trainer, which says so when it is asked', async () => {
    const { job, ...dataset } = await train('Refund order 7.')
    expect(dataset).toEqual({ status: 'ready', names_actions: false })
    expect(job).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'dataset_id'] }] } })

    const { job: accepted, ...other } = await train(GENERATED)
    expect(other).toEqual({ status: 'ready', names_actions: true })
    expect(accepted.status).toBe(202)
  })
})

describe('a dataset of an uploaded file', () => {
  const text = `${JSON.stringify(ROW)}\n`
  const announce = async (of = text) =>
    bodyOf(await create({ upload: { size: Buffer.byteLength(of), sha256: hashOf(of) } }), 201)

  test('waits for its upload, and is then checked', async () => {
    const { id, status, upload } = await announce()
    expect(status).toBe('awaiting_upload')
    await local.advance(120_000)
    await local.sweep()
    expect((await read(id)).status).toBe('awaiting_upload')

    const put = await fetch(upload.url, { method: upload.method, headers: upload.headers, body: text })
    expect(put.status).toBe(200)
    await local.advance(120_000)
    await local.sweep()
    expect(await read(id)).toMatchObject({ status: 'ready', files: expect.arrayContaining([]) })
  })

  test('that never comes is given up after a day', async () => {
    const { id } = await announce()
    await local.advance(24 * 3_600_000)
    await local.sweep()
    await local.advance(60_000)
    await local.sweep()

    expect(await read(id)).toMatchObject({ status: 'invalid', error: { code: 'not_uploaded' } })
  })
})

describe('files of a dataset', () => {
  test('are given out to callers who may read evidence only, and each time is an event', async () => {
    const { id } = bodyOf(await create({ records: [ROW] }), 201)
    await local.drain()
    const told = await acme.told(() => read(id))

    expect(told.map(({ type }) => type)).toContain('artifact.shared')
    const operator = requestOf(acme, 'somebody', ['operator'])
    const seen = await shareFiles(operator, await readDataset(operator, id))
    expect(seen.files.map(({ path }) => path)).toContain('sft/train.jsonl')
    expect(JSON.stringify(seen)).not.toContain('http')
  })
})

describe('an erasure', () => {
  test('makes a dataset stale that may hold the payload, and takes its files away', async () => {
    await acme.execute('update_contact', { payload: { task: 'rename', contact: 'con_1' } })
    const { body } = await acme.execute('update_contact', { payload: { task: 'move', contact: 'con_2' } })
    await local.advance(60_000)
    const generated = await acme.call(training.generateDataset, { body: { name: 'stale', format: 'kto' } })
    await local.drain()
    const dataset = await read(bodyOf(generated, 202).id)
    expect(dataset).toMatchObject({ status: 'ready', counts: { by_source: { presumed: 2 } } })
    await registered(systemContext({ tenant_id: acme.tenant_id, mode: 'live' }), { dataset_id: dataset.id })
    const model = async () => bodyOf(await acme.call(training.listModels), 200).items[0]
    expect(await model()).toMatchObject({ dataset_id: dataset.id, trained_on_erased: false })

    bodyOf(
      await acme.call(evidence.erase, { body: { request_id: body.receipt.request_id, reason: 'on_request' } }),
      202,
    )

    expect((await read(dataset.id)).status).toBe('stale')
    expect(await model()).toMatchObject({ dataset_id: dataset.id, trained_on_erased: true })
    expect((await fetch(urlOf(dataset, 'kto/train.jsonl'))).status).not.toBe(200)
    const again = await acme.call(training.generateDataset, { body: { name: 'stale', format: 'kto' } })
    await local.drain()
    expect(await read(bodyOf(again, 202).id)).toMatchObject({
      status: 'ready',
      dataset_version: 2,
      counts: { by_source: { presumed: 1 } },
    })
  })
})

describe('a generation', () => {
  const generate = (body: object, key?: string) =>
    acme.call(training.generateDataset, { ...(key && { key }), body: { name: 'n', ...body } })

  test('of a window that ends before it starts, of an unknown tier or source is a 422', async () => {
    const reversed = { start_date: '2026-11-02', end_date: '2026-11-01' }
    for (const body of [
      { filters: reversed },
      { include_tiers: ['LOW'] },
      { include_sources: ['web'] },
      { name: 'a#b' },
    ])
      expect((await generate(body)).status, JSON.stringify(body)).toBe(422)
  })
})
