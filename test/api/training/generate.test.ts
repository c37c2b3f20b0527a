// From decisions on actions to files that a trainer reads.
import { beforeAll, describe, expect, test } from 'vitest'
import { metrics } from '../../../functions/metrics/routes.ts'
import { training } from '../../../functions/training/routes.ts'
import { approvals } from '../../../shared/govern/approvals/approval.ts'
import { personas, personaVersions, seedOf } from '../../../shared/govern/learned/persona.ts'
import { errorOf } from '../../../shared/learn/generation/generate.ts'
import { mustFit } from '../../../shared/learn/generation/request-generation.ts'
import { executions } from '../../../shared/govern/executions/execution.ts'
import { bodyOf, type Governed, governed } from '../../support/governed.ts'
import { makeKey } from '../../support/keys.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: Governed
beforeAll(async () => {
  acme = await governed(local)
})

type Line = Record<string, unknown>

/** Generates, and reads the dataset when it is made. */
async function generate(body: object = {}) {
  const { id } = bodyOf(await acme.call(training.generateDataset, { body: { name: 'deletions', ...body } }), 202)
  await local.drain()
  return read(id)
}

const read = async (dataset_id: string) => bodyOf(await acme.call(training.getDataset, { params: { dataset_id } }), 200)

async function linesOf(dataset: { files: { path: string; url: string }[] }, path: string): Promise<Line[]> {
  const file = dataset.files.find((one) => one.path === path)
  if (!file) throw new Error(`there is no ${path} among ${dataset.files.map((one) => one.path).join()}`)
  const text = await (await fetch(file.url)).text()
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

async function decide(payload: object, verdict: 'approve' | 'reject', reason?: string) {
  const { approval } = await acme.held('delete_contact', { payload })
  await local.advance(60_000)
  bodyOf(await acme[verdict](approval.id, { ...(reason && { reason }) }), 200)
}

describe('a dataset generated from approvals', () => {
  beforeAll(async () => {
    for (const n of [1, 2, 3]) {
      await decide(
        { task: `tidy up ${n}`, contact: `con_${n}`, note: `asked by ann${n}@example.com` },
        'approve',
        'checked',
      )
      await decide({ task: `tidy up ${n}`, contact: `all of them ${n}` }, 'reject')
    }
    await local.advance(60_000)
  })

  test('counts what it redacts among the personal data that was found, in the direction of data sets', async () => {
    const before = await found()
    const { counts } = await generate({ name: 'counted', test_fraction: 0 })
    const after = await found()

    expect(counts.pii_redactions).toBe(3)
    expect(after.by_direction.dataset - before.by_direction.dataset).toBe(3)
    expect(after.by_type.EMAIL - before.by_type.EMAIL).toBe(3)
    expect(after.redacted - before.redacted).toBe(3)
  })

  async function found() {
    await local.advance(120_000)
    await local.sweep()
    await local.drain()
    return bodyOf(await acme.call(metrics.protocol, { query: { window: '24h' } }), 200).pii_events
  }

  test('pairs what was approved with what was rejected for the same prompt', async () => {
    const dataset = await generate({ test_fraction: 0 })

    expect(dataset).toMatchObject({ status: 'ready', dataset_version: 1, progress: 1, split: 'sample' })
    expect(dataset.counts).toMatchObject({ pairs: 3, chosen: 3, rejected: 3, unproven: 0, by_source: { key: 6 } })
    const rows = await linesOf(dataset, 'dpo/train.jsonl')
    expect(rows).toHaveLength(3)
    for (const row of rows) expect(Object.keys(row)).toEqual(['prompt', 'chosen', 'rejected'])
    expect(rows).toContainEqual({
      prompt: [
        {
          role: 'system',
          content:
            'You are an agent whose actions are governed. Answer with one JSON object: the payload of the action.',
        },
        { role: 'user', content: 'Node: crm.contacts.editor - Contacts\nAction: delete_contact - \nTask: tidy up 2' },
      ],
      chosen: [{ role: 'assistant', content: '{"contact":"con_2","note":"asked by [EMAIL_1]","task":"tidy up 2"}' }],
      rejected: [{ role: 'assistant', content: '{"contact":"all of them 2","task":"tidy up 2"}' }],
    })
    expect((await linesOf(dataset, 'sft/train.jsonl')).map((row) => Object.keys(row))).toEqual(
      [1, 2, 3].map(() => ['prompt', 'completion']),
    )
    const kto = await linesOf(dataset, 'kto/train.jsonl')
    expect(kto.filter(({ label }) => label === true)).toHaveLength(3)
    expect(dataset.pii).toEqual({ mode: 'redact', redactions: 3, residual: 0 })
  })

  test('names the executions and the evidence of each row apart from the rows', async () => {
    const dataset = await generate({ test_fraction: 0, format: 'kto' })
    const lines = await linesOf(dataset, 'provenance.ndjson')

    expect(lines).toHaveLength(6)
    expect(lines[0]).toEqual({
      file: 'kto/train.jsonl',
      row: 0,
      side: expect.stringMatching(/chosen|rejected/),
      confidence: 0.8,
      source: 'key',
      execution_ids: [expect.stringMatching(/^exe_/)],
      artifact_ids: expect.arrayContaining([expect.stringMatching(/^art_/)]),
    })
  })

  test('has the same bytes for the same input and seed, in another version', async () => {
    const window = { filters: { end_date: new Date(local.clock.now() - 1_000).toISOString() } }
    const [first, second, other] = [
      await generate({ ...window, name: 'again' }),
      await generate({ ...window, name: 'again' }),
      await generate({ ...window, name: 'again', seed: 7 }),
    ]
    const bytesOf = ({ files }: { files: { path: string; sha256: string }[] }) =>
      files.map(({ path, sha256 }) => [path, sha256])

    expect([first, second, other].map(({ dataset_version }) => dataset_version)).toEqual([1, 2, 3])
    expect(bytesOf(second)).toEqual(bytesOf(first))
    expect(second.content_sha256).toBe(first.content_sha256)
    expect(bytesOf(other)).not.toEqual(bytesOf(first))
  })

  test('as tool calls has arguments and tools as texts', async () => {
    const dataset = await generate({ test_fraction: 0, style: 'tool_calls', format: 'sft' })
    const [row] = await linesOf(dataset, 'sft/train.jsonl')

    expect(Object.keys(row ?? {})).toEqual(['prompt', 'completion', 'tools'])
    expect(row?.completion).toEqual([
      {
        role: 'assistant',
        content: '',
        tool_calls: [
          {
            type: 'function',
            function: { name: 'crm_contacts_editor__delete_contact', arguments: expect.stringMatching(/^\{/) },
          },
        ],
      },
    ])
    expect(JSON.parse(String(row?.tools))).toMatchObject([{ function: { parameters: { type: 'object' } } }])
  })

  test('without pairs fails and says so, with its counts', async () => {
    const dataset = await generate({ filters: { min_confidence: 1 } })

    expect(dataset).toMatchObject({ status: 'failed', error: { code: 'no_pairs' }, files: [] })
    expect(dataset.counts).toMatchObject({ pairs: 0, below_confidence: 6 })
  })
})

test('the prompt is that of the persona as it was then', async () => {
  const other = await governed(local)
  const named = { policy_context: { persona_key: 'support' }, payload: { task: 'look', contact: 'con_1' } }
  const { system_prompt: seeded } = bodyOf(
    await other.call(training.getPersona, { params: { persona_key: 'support' } }),
    200,
  )
  bodyOf(await other.execute('get_contact', named), 200)
  await local.advance(2_000)
  const { table, space } = other.ctx
  const at = new Date(local.clock.now()).toISOString()
  const seed = seedOf(space, 'support')
  if (!seed) throw new Error('no such persona')
  const changed = { ...seed, system_prompt: 'Ask ann@example.com when in doubt.', updated_at: at }
  await table.commit([personas.insert(changed), personaVersions.insert({ ...changed, version: 1 })])
  await local.advance(2_000)
  bodyOf(await other.execute('get_contact', { ...named, payload: { task: 'look', contact: 'con_2' } }), 200)
  await local.advance(60_000)
  const body = { name: 'personas', format: 'sft', test_fraction: 0 }
  const { id } = bodyOf(await other.call(training.generateDataset, { body }), 202)
  await local.drain()
  const dataset = bodyOf(await other.call(training.getDataset, { params: { dataset_id: id } }), 200)
  const rows = await linesOf(dataset, 'sft/train.jsonl')
  const systems = rows.map(({ prompt }) => (prompt as { content: string }[])[0]?.content)
  expect(new Set(systems)).toEqual(new Set([seeded, 'Ask [EMAIL_1] when in doubt.']))
})

test('personal data that is left after redaction fails a dataset, and no file appears', () => {
  const rows = [{ format: 'sft' }] as Parameters<typeof errorOf>[2]['rows']
  expect(errorOf({ format: 'sft' }, { residual: 1 }, { rows })).toMatchObject({ code: 'pii_residual' })
  expect(errorOf({ format: 'sft' }, { residual: 0 }, { rows })).toBeUndefined()
})

test('a window with more executions than one run can read is refused', async () => {
  const window = { start_date: '2026-01-01T00:00:00.000Z', end_date: new Date(local.clock.now()).toISOString() }
  await mustFit(acme.ctx, window)
  await expect(mustFit(acme.ctx, window, 1)).rejects.toThrow('must not cover more than 1 executions')
})

test('a row that somebody wrote into the table teaches nothing', async () => {
  const other = await governed(local)
  const { approval, receipt } = await other.held('delete_contact', { payload: { task: 'tidy up', contact: 'all' } })
  await local.advance(60_000)
  bodyOf(await other.reject(approval.id), 200)
  await local.drain()
  const { table, space } = other.ctx
  const change = (status: string) => ({ set: { status } })
  await table.update(executions.key({ ...space, id: receipt.request_id }), change('executed'))
  await table.update(approvals.key({ ...space, id: approval.id }), change('approved'))

  const made = await other.call(training.generateDataset, { body: { name: 'forged', format: 'kto' } })
  await local.drain()
  const { id } = bodyOf(made, 202)
  const dataset = bodyOf(await other.call(training.getDataset, { params: { dataset_id: id } }), 200)
  expect(dataset).toMatchObject({ status: 'failed', error: { code: 'no_rows' }, counts: { unproven: 1, chosen: 0 } })
})

test('personal data stays in a dataset only for those who may change policies', async () => {
  const key = await makeKey(acme, { scopes: ['agent:execute', 'diagnostic:read', 'evidence:read'] })
  const { call } = acme.as({ key })
  const asked = await call(training.generateDataset, { body: { name: 'deletions', pii: 'keep' } })
  expect(asked.status).toBe(403)
  expect((await call(training.generateDataset, { body: { name: 'deletions', pii: 'drop' } })).status).not.toBe(403)
})
