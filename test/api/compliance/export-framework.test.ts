// The archive for an audit as an auditor receives it, checked by the verifier inside it.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compliance } from '../../../functions/compliance/routes.ts'
import { evidence } from '../../../functions/evidence/routes.ts'
import { exports } from '../../../functions/exports/routes.ts'
import { incidents } from '../../../functions/incidents/routes.ts'
import { users } from '../../../functions/users/routes.ts'
import { AUDIT, type AuditManifest } from '../../../shared/assure/audit-pack/manifest.ts'
import { verifyArchive } from '../../../shared/assure/audit-pack/verify-audit.ts'
import { PACK } from '../../../shared/assure/exports/pack/pack.ts'
import { NOTICE } from '../../../shared/assure/frameworks/control-view.ts'
import { approvals } from '../../../shared/govern/approvals/approval.ts'
import { sha256Hex } from '../../../shared/base/lib/json.ts'
import { readCsv } from '../../support/csv.ts'
import { type Governed, governed } from '../../support/governed.ts'
import { download, unzipBytes } from '../../support/unzip.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const MINUTE = 60_000
const BYTES = Buffer.from(Array.from({ length: 1_000 }, (_, index) => index % 256))
const FILE = {
  name: '../Обзор доступа.pdf',
  content_type: 'application/pdf',
  sha256: sha256Hex(BYTES),
  size: BYTES.length,
}
const TITLE = '=Review, Ελλάς "中文"'

type Files = Map<string, Buffer>

const local = useLocalStack()
let folder: string
let acme: Governed
let decided: string[]
let submitted: string
let asked: Awaited<ReturnType<typeof request>>
let files: Files
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'audit-'))
  acme = await governed(local)
  await acme.register([{ action_id: 'get_contact' }, { action_id: 'delete_contact' }])
  const held = [await acme.held(), await acme.held()]
  decided = held.map(({ approval }) => approval.id)
  await acme.approve(decided[0] ?? '')
  await acme.reject(decided[1] ?? '')
  await acme.call(users.update, { params: { id: acme.approver.id }, body: { status: 'suspended' } })
  submitted = await submit()
  await acme.call(incidents.create, { body: { title: 'Mails bounce', severity: 'sev3' } })
  await acme.call(compliance.enableFramework, at('soc2', {}))
  await local.drain()
  await local.advance(2 * MINUTE)
  asked = await request({ sample: { seed: '0'.repeat(64) } })
  files = await made(asked.body.export_id)
})
afterAll(() => rmSync(folder, { recursive: true }))

const at = (id: string, body: object, { tenant_id }: Pick<Governed, 'tenant_id'> = acme) => ({
  params: { tenant_id, id },
  body,
})
const request = (body: object, id = 'soc2') => acme.call(compliance.exportFramework, at(id, body))

async function submit(): Promise<string> {
  const { body } = await acme.call(compliance.submitEvidence, {
    params: { tenant_id: acme.tenant_id },
    body: {
      kind: 'access_review',
      title: TITLE,
      control_refs: [{ framework_id: 'soc2', control_id: 'CC6.3' }],
      source: 'file',
      file: FILE,
    },
  })
  await fetch(body.upload.url, { method: 'PUT', headers: body.upload.headers, body: BYTES })
  await acme.call(compliance.completeUpload, at(body.id, {}))
  return body.id
}

/** What becomes of an export, however long its run and its checkpoints take. */
async function made(export_id: string): Promise<Files> {
  for (let minutes = 0; minutes < 15; minutes += 1) {
    await local.drain()
    const { body } = await acme.call(exports.get, { params: { export_id } })
    if (body.status === 'ready') return unzipBytes(await download(body.download_url))
    if (body.status === 'failed') throw new Error(body.error)
    await local.advance(MINUTE)
    await local.sweep()
  }
  throw new Error('the export is still being made')
}

const textOf = (path: string, of = files) => of.get(path)?.toString() ?? ''
const csv = (path: string, of = files) => readCsv(textOf(path, of))
const manifestOf = (of = files): AuditManifest => JSON.parse(textOf(AUDIT.manifest, of))

const verify = (of: Files) =>
  verifyArchive({
    paths: new Set(of.keys()),
    open: async function* (path) {
      yield of.get(path) ?? Buffer.alloc(0)
    },
  })

describe('POST ~/frameworks/{id}/export', () => {
  test('202: is made in the background, and read where every export is', () => {
    expect(asked).toMatchObject({
      status: 202,
      body: { status: 'processing', poll: `/api/v1/exports/${asked.body.export_id}` },
    })
  })

  test('202: the archive is valid under the published key, by the verifier inside it', () => {
    const root = join(folder, 'whole')
    for (const [path, bytes] of files) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), bytes)
    }
    const run = (...options: string[]) =>
      spawnSync(process.execPath, ['verify.mjs', ...options], { cwd: root, encoding: 'utf8' })
    const key = manifestOf().verifier_keys[0]?.verifier_key ?? ''
    const whole = run('.', '--strict', '--vkey', key)

    expect(JSON.parse(whole.stdout)).toMatchObject({
      verdict: 'valid',
      anchored: true,
      broken: [],
      key_source: 'pinned',
    })
    expect(whole.status).toBe(0)
    expect(run('chain', '--strict', '--vkey', key).status).toBe(0)
    writeFileSync(join(root, AUDIT.controls), 'nothing')
    expect(run('.').status).toBe(1)
  })

  test('202: one changed byte in any member is found, and a member that is gone', async () => {
    for (const [path, bytes] of files) {
      const edited = Buffer.from(bytes)
      const middle = edited.length >> 1
      edited[middle] = (edited[middle] ?? 0) ^ 1
      const found = await verify(new Map(files).set(path, edited)).catch(() => ({ verdict: 'unreadable' }))
      expect([path, found.verdict]).not.toEqual([path, 'valid'])
      const less = await verify(new Map([...files].filter(([name]) => name !== path))).catch(() => ({
        verdict: 'unreadable',
      }))
      expect([path, less.verdict]).not.toEqual([path, 'valid'])
    }
  })

  test('202: every control is listed, and every day of the window for each check', () => {
    expect(csv(AUDIT.controls)).toHaveLength(61)
    const days = csv(AUDIT.days)
    expect(new Set(days.map(({ check_id }) => check_id)).size).toBe(48)
    expect(days.filter(({ check_id }) => check_id === 'GOV-01').length).toBeGreaterThanOrEqual(90)
    expect(manifestOf()).toMatchObject({ framework: { id: 'soc2' }, chain: `${acme.tenant_id}/live` })
    expect(textOf(AUDIT.html)).toContain(asked.body.export_id)
    expect(files.get(AUDIT.pdf)?.subarray(0, 5).toString()).toBe('%PDF-')
  })

  test('202: submitted files are there, byte for byte, under a safe name in its own script', () => {
    const [row] = csv(AUDIT.evidence)
    expect(row).toMatchObject({ id: submitted, title: `'${TITLE}`, file_status: 'included', sha256: FILE.sha256 })
    expect(files.get(row?.['path'] ?? '')).toEqual(BYTES)
    expect(row?.['path']).toBe(`evidence/files/${submitted}/Обзор_доступа.pdf`)
    expect(row?.['file_name']).toBe(FILE.name)
  })

  test('202: each population agrees with the chain', () => {
    expect(csv(AUDIT.differences)).toEqual([])
    const index = new Map(csv(AUDIT.populations).map((row) => [row['name'], row]))
    expect(index.get('approvals')).toMatchObject({ rows: '2', artifacts: '2' })
    expect(index.get('incidents')).toMatchObject({ rows: '1', artifacts: '1' })
    expect(index.get('alerts')).toMatchObject({ artifacts: '' })
    expect(
      csv(AUDIT.population('approvals')).map(({ id, status, evidence_status }) => [id, status, evidence_status]),
    ).toEqual([
      [decided[0], 'approved', 'verified'],
      [decided[1], 'rejected', 'verified'],
    ])
    expect(csv(AUDIT.population('executions_hard')).map(({ approval_id }) => approval_id)).toEqual([decided[0]])
    expect(Number(index.get('access_changes')?.['artifacts'])).toBeGreaterThan(3)
    for (const name of ['access_changes', 'changes', 'leavers'])
      expect([name, index.get(name)?.['rows']]).not.toEqual([name, '0'])
    expect(textOf(AUDIT.population('users'))).not.toContain('@')
  })

  test('202: samples follow from the seed that was given', () => {
    const plan = JSON.parse(textOf(AUDIT.samples))
    const rankOf = (id: string) => sha256Hex(`${plan.seed}\n${id}`)
    const ranked = decided.toSorted((a, b) => (rankOf(a) < rankOf(b) ? -1 : 1))

    expect(plan).toMatchObject({ seed: '0'.repeat(64), seed_source: 'given', size: 25 })
    expect(csv(AUDIT.sample('approvals')).map(({ id }) => id)).toEqual(ranked)
  })

  test('202: asking leaves evidence, and so does the archive', async () => {
    const latest = async (type: string) => (await acme.call(evidence.latest, { query: { type } })).body.items[0]
    const subject = { type: 'export', id: asked.body.export_id }

    expect(await latest('evidence.exported')).toMatchObject({ subject })
    expect(await latest('evidence.pack.made')).toMatchObject({ subject })
    expect(await latest('compliance.exported')).toMatchObject({ subject, artifact_id: manifestOf().artifact_id })
    expect(files.has(PACK.proof) && files.has(`chain/${PACK.proof}`)).toBe(true)
  })
})

describe('an archive names', () => {
  test('what somebody removed behind the service’s back, and a file that is gone', async () => {
    const [id = ''] = decided
    const { table, space } = acme.ctx
    await table.commit([approvals.remove({ ...space, id })])
    const { removeUpload } = await import('../../../shared/assure/submissions/upload.ts')
    await removeUpload({ ...space, id: submitted })
    const { body } = await request({})
    const later = await made(body.export_id)

    expect(csv(AUDIT.differences, later)).toEqual([{ population: 'approvals', found_in: 'chain', id }])
    expect(csv(AUDIT.evidence, later)[0]).toMatchObject({ file_status: 'missing', path: '' })
    expect(manifestOf(later).omissions).toMatchObject([{ evidence_id: submitted, reason: 'missing' }])
    expect(textOf(AUDIT.html, later)).toContain(id)
    expect(manifestOf(later).sample).toEqual({ size: 25, seed: manifestOf(later).head.last, seed_source: 'chain' })
    expect(await verify(later)).toMatchObject({ verdict: 'valid' })
    expect(textOf(AUDIT.controls, later)).toBe(textOf(AUDIT.controls))
  })
})

describe('the small forms', () => {
  test('200: controls, checks and posture as JSON, the controls as CSV, the assessment as OSCAL', async () => {
    const [json, text, oscal] = [
      await request({ format: 'json' }),
      await request({ format: 'csv' }),
      await request({ format: 'oscal' }),
    ]

    expect(json).toMatchObject({ status: 200, body: { framework: { id: 'soc2' }, posture: { controls_total: 33 } } })
    expect(json.body.controls).toHaveLength(61)
    expect(text.headers['content-type']).toContain('text/csv')
    expect(text.headers['content-disposition']).toContain(`filename*=UTF-8''soc2-controls.csv`)
    expect(readCsv(text.body)).toHaveLength(61)
    expect(oscal.body['assessment-results'].metadata['oscal-version']).toBe('1.2.1')
    expect(json.body.notice).toBe(NOTICE)
    expect(readCsv(text.body).every((row) => row.notice === NOTICE)).toBe(true)
    expect(JSON.stringify(oscal.body)).toContain(NOTICE)
  })

  test('200: leave evidence of what was given out', async () => {
    const { body } = await acme.call(evidence.latest, { query: { type: 'evidence.exported', limit: 1 } })
    const { header } = (await acme.call(evidence.get, { params: { id: body.items[0].artifact_id } })).body

    expect(JSON.parse(header).data).toMatchObject({ export: 'compliance', framework_id: 'soc2', format: 'oscal' })
  })

  test('200: CSV begins with a byte order mark where it is asked for, 422: other formats do not', async () => {
    const marked = (format: string) =>
      acme.call(compliance.exportFramework, { ...at('soc2', { format }), query: { bom: true } })

    expect((await marked('csv')).body).toMatch(/^\uFEFFframework/)
    expect((await marked('oscal')).status).toBe(422)
  })
})

describe('refused is', () => {
  test('404, 409: a framework that is unknown or another tenant’s, or not enabled', async () => {
    const stranger = await local.tenant()
    const foreign = await stranger.call(compliance.exportFramework, at('soc2', {}))

    expect(await request({}, 'soc3')).toMatchObject({ status: 404 })
    expect(foreign.status).toBe(404)
    expect(await request({}, 'gdpr')).toMatchObject({ status: 409 })
    expect(await request({ format: 'csv' }, 'gdpr')).toMatchObject({ status: 409 })
  })

  test('403: whoever may not export evidence', async () => {
    const other = await local.tenant()
    expect(await other.as('approver').call(compliance.exportFramework, at('soc2', {}, other))).toMatchObject({
      status: 403,
    })
  })

  test.each<[object, string]>([
    [{ format: 'pdf' }, 'format'],
    [{ end_at: '2026-11-20T10:00:00Z' }, 'start_at'],
    [{ start_at: '2026-11-20T10:00:00Z', end_at: '2026-11-20T10:00:00Z' }, 'end_at'],
    [{ start_at: '2100-01-01T00:00:00Z' }, 'start_at'],
    [{ start_at: '2001-01-01T00:00:00Z' }, 'start_at'],
    [{ window_days: 367 }, 'window_days'],
    [{ sample: { size: 501 } }, 'size'],
    [{ sample: { seed: 'mine' } }, 'seed'],
    [{ everything: true }, 'everything'],
  ])('422: %j', async (body, named) => {
    const reply = await request(body)
    expect(reply.status).toBe(422)
    expect(JSON.stringify(reply.body.detail)).toContain(named)
  })
})
