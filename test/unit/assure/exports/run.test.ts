import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkpoint } from '../../../../shared/ledger/evidence/sign/checkpoint.ts'
import { exports } from '../../../../shared/assure/exports/export.ts'
import { packMaker } from '../../../../shared/assure/exports/pack/make-pack.ts'
import { readExport, requestExport } from '../../../../shared/assure/exports/request.ts'
import { runExport } from '../../../../shared/assure/exports/run.ts'
import { sequence } from '../../../../shared/ledger/evidence/chain/sequence.ts'
import { personIn } from '../../../support/person.ts'
import { unzip } from '../../../support/unzip.ts'
import { foundedWorld, SPACE, type World } from '../../ledger/evidence/world.ts'

const makerOf = async () => packMaker

let it: World
let folder: string
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'run-'))
  for (const [name, file] of [
    ['VERIFIER_FILE', 'verify.mjs'],
    ['FORMAT_FILE', 'FORMAT.md'],
  ] as const) {
    process.env[name] = join(folder, file)
    writeFileSync(join(folder, file), '')
  }
  Object.assign(process.env, {
    QUEUE_BASE: 'https://sqs.example/',
    FILES_BUCKET: 'files',
  })
  Object.assign(process.env, { REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'x' })
  it = await foundedWorld()
})
afterEach(() => rmSync(folder, { recursive: true }))

const stored = (id: string) => it.ctx.table.get(exports, { ...SPACE, id })

/** What the sweeper does once the export is due. */
async function whenDue(id: string): Promise<void> {
  it.clock.moveTo(Date.parse((await stored(id))?.due_at ?? '') + 1)
  await runExport(it.ctx, id, { makerOf })
}

test('an export of a chain that nobody signs is looked at again until it is made without the proof', async () => {
  const { export_id } = await requestExport(it.ctx, { type: 'evidence', include_payloads: false })
  await sequence(it.ctx)
  let looks = 0
  for (; (await stored(export_id))?.status === 'processing' && looks < 30; looks += 1) {
    expect(Date.parse((await stored(export_id))?.due_at ?? '')).toBeGreaterThan(it.clock.now())
    await whenDue(export_id)
  }

  expect(looks).toBeGreaterThan(8)
  expect(await readExport(personIn(SPACE, ['auditor']), export_id)).toMatchObject({ status: 'ready', row_count: 1 })
  const [zip = ''] = [...it.s3.objects].flatMap(([key, text]) => (key.startsWith('exports/') ? text : []))
  expect(unzip(Buffer.from(zip, 'latin1')).has('manifest.proof.json')).toBe(false)
})

test('an export whose callback was lost goes on when it is due', async () => {
  const { export_id } = await requestExport(it.ctx, { type: 'evidence', include_payloads: false })
  await runExport(it.ctx, export_id, { makerOf })
  for (const stage of ['the request', 'the manifest']) {
    expect([stage, (await stored(export_id))?.status]).toEqual([stage, 'processing'])
    await sequence(it.ctx)
    while ((await checkpoint(it.ctx, true)) === 'more');
    await whenDue(export_id)
  }

  expect((await stored(export_id))?.status).toBe('ready')
})
