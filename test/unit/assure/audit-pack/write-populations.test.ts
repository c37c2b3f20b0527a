import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Archive } from '../../../../shared/assure/audit-pack/archive.ts'
import { AUDIT } from '../../../../shared/assure/audit-pack/manifest.ts'
import { Comparison } from '../../../../shared/assure/audit-pack/comparison.ts'
import { writePopulations } from '../../../../shared/assure/audit-pack/populations.ts'
import type { Content } from '../../../../shared/assure/exports/pack/zip.ts'
import type { Population, Row } from '../../../../shared/assure/populations/population.ts'
import { canonicalJson, sha256Hex } from '../../../../shared/base/lib/json.ts'
import { readCsv } from '../../../support/csv.ts'
import { foundedWorld } from '../../ledger/evidence/world.ts'

const WINDOW = { start_at: '2026-05-01T00:00:00.000Z', end_at: '2026-06-01T00:00:00.000Z' }
const NOON = '2026-05-10T12:00:00.000Z'
const SAMPLE = { size: 2, seed: '0'.repeat(64), seed_source: 'given' as const }

/** Approvals of these ids, in pages of two. */
const approvalsOf = (ids: readonly string[]): Population => ({
  name: 'approvals',
  columns: ['id', 'decided_at', 'artifact_ids'],
  source: 'a test',
  filter: 'all',
  rows: async function* () {
    for (let at = 0; at < ids.length; at += 2)
      yield ids.slice(at, at + 2).map((id): Row => ({ id, decided_at: NOON, artifact_ids: `art_${id}` }))
  },
  chain: {
    ofRow: ({ id, decided_at }) => ({ id, at: String(decided_at) }),
    ofArtifact: ({ approval }) => approval?.id,
  },
})

const plain: Population = {
  name: 'keys',
  columns: ['id'],
  source: 'a test',
  filter: 'all',
  rows: async function* () {
    yield [{ id: 'key_1' }]
  },
}

const position = (id: string, occurred_at = NOON) => ({
  artifact_id: `art_${id}`,
  link: Buffer.alloc(32),
  header: canonicalJson({ artifact_id: `art_${id}`, occurred_at, approval: { id } }),
})

async function written(rows: readonly string[], chain: readonly ReturnType<typeof position>[] | undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'populations-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const files = new Map<string, string>()
  const archive = new Archive({
    add: async (path: string, content: Content) => {
      let text = ''
      for await (const piece of content) text += String(piece)
      files.set(path, text)
      return { sha256: sha256Hex(text), bytes: text.length, rows: text.split('\n').length - 1 }
    },
  })
  const all = [approvalsOf(rows), plain]
  const comparison = await Comparison.in(folder, all, WINDOW)
  if (chain) await comparison.see(chain)
  const { ctx } = await foundedWorld()
  const reports = await writePopulations({ ctx, archive, window: WINDOW, comparison, sample: SAMPLE }, all)
  const csv = (path: string) => readCsv(files.get(path) ?? '')
  return { reports, files, csv }
}

test('a population that agrees with the chain has no difference, and each file its hash in the index', async () => {
  const ids = ['apr_A', 'apr_B', 'apr_C']
  const { csv, files, reports } = await written(
    ids,
    ids.map((id) => position(id)),
  )

  expect(csv(AUDIT.population('approvals')).map(({ id }) => id)).toEqual(ids)
  expect(csv(AUDIT.populations)).toMatchObject([
    { name: 'approvals', rows: '3', artifacts: '3', rows_without_artifact: '0', artifacts_without_row: '0' },
    { name: 'keys', rows: '1', artifacts: '', rows_without_artifact: '' },
  ])
  for (const { file = '', sha256 } of csv(AUDIT.populations)) expect(sha256).toBe(sha256Hex(files.get(file) ?? ''))
  expect(csv(AUDIT.differences)).toEqual([])
  expect(reports).toMatchObject([
    { rows_without_artifact: [], artifacts_without_row: [] },
    { rows_without_artifact: null, artifacts_without_row: null },
  ])
})

test('what is on one side only is named in the file and in the report', async () => {
  const { csv, reports } = await written(['apr_A', 'apr_B'], [position('apr_B'), position('apr_C')])

  expect(csv(AUDIT.differences)).toEqual(
    expect.arrayContaining([
      { population: 'approvals', found_in: 'rows', id: 'apr_A' },
      { population: 'approvals', found_in: 'chain', id: 'apr_C' },
    ]),
  )
  expect(reports[0]).toMatchObject({ rows_without_artifact: ['apr_A'], artifacts_without_row: ['apr_C'] })
})

test('the report names a few of many differences, the file all of them', async () => {
  const many = Array.from({ length: 500 }, (_, index) => position(`apr_${index}`))
  const { csv, reports } = await written([], many)

  expect(csv(AUDIT.differences)).toHaveLength(500)
  expect(csv(AUDIT.populations)[0]).toMatchObject({ artifacts_without_row: '500' })
  expect(reports[0]?.artifacts_without_row).toHaveLength(200)
})

test('artifacts outside the window are not counted, and are no difference', async () => {
  const { csv } = await written([], [position('apr_A', '2026-04-30T23:59:00.000Z')])

  expect(csv(AUDIT.populations)[0]).toMatchObject({ artifacts: '0', artifacts_without_row: '0' })
})

test('without the chain nothing is compared', async () => {
  const { csv, reports } = await written(['apr_A'], undefined)

  expect(csv(AUDIT.populations)[0]).toMatchObject({ rows: '1', artifacts: '', rows_without_artifact: '' })
  expect(reports[0]).toMatchObject({ rows_without_artifact: null, artifacts_without_row: null })
})

test('samples follow from the seed, with the ids of their artifacts', async () => {
  const { csv, files } = await written(['apr_E', 'apr_D', 'apr_C', 'apr_B', 'apr_A'], [])

  expect(csv(AUDIT.sample('approvals'))).toEqual([
    { id: 'apr_A', decided_at: NOON, artifact_ids: 'art_apr_A' },
    { id: 'apr_C', decided_at: NOON, artifact_ids: 'art_apr_C' },
  ])
  expect(JSON.parse(files.get(AUDIT.samples) ?? '')).toMatchObject({
    ...SAMPLE,
    populations: [
      { name: 'approvals', rows: 5, sampled: 2 },
      { name: 'keys', rows: 1, sampled: 1 },
    ],
  })
})
