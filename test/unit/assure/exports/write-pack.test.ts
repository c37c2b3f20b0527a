import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkpoint } from '../../../../shared/ledger/evidence/sign/checkpoint.ts'
import { sequence } from '../../../../shared/ledger/evidence/chain/sequence.ts'
import { PACK } from '../../../../shared/assure/exports/pack/pack.ts'
import { verifyPack } from '../../../../shared/assure/exports/verify/pack.ts'
import type { Export, PackAsk } from '../../../../shared/assure/exports/export.ts'
import { draftPack, makePack } from '../../../../shared/assure/exports/pack/make-pack.ts'
import type { Stage } from '../../../../shared/assure/exports/pack/stage.ts'
import { artifactKey, newArtifact } from '../../../../shared/ledger/evidence/artifact/artifact.ts'
import { commitWith } from '../../../../shared/ledger/evidence/artifact/record.ts'
import { sha256Hex } from '../../../../shared/base/lib/json.ts'
import { blockKey } from '../../../../shared/ledger/evidence/chain/chain.ts'
import { coldStart } from '../../../../shared/base/lib/memory.ts'
import { unzip, type Unzipped } from '../../../support/unzip.ts'
import { editBlock } from '../../ledger/evidence/tampering.ts'
import { foundedWorld, recordMany, SPACE, TABLE, type World } from '../../ledger/evidence/world.ts'
import { filesOf, manifestOf } from './sample-pack.ts'

let it: World
let folder: string
beforeEach(async () => {
  it = await foundedWorld()
  folder = mkdtempSync(join(tmpdir(), 'pack-'))
  process.env.VERIFIER_FILE = join(folder, 'verify.mjs')
  writeFileSync(process.env.VERIFIER_FILE, '// the verifier')
  process.env.FORMAT_FILE = join(folder, 'FORMAT.md')
  writeFileSync(process.env.FORMAT_FILE, '# The format')
})
afterEach(() => {
  rmSync(folder, { recursive: true })
  delete process.env.VERIFIER_FILE
  delete process.env.FORMAT_FILE
  delete process.env.FORMER_SIGN_KEY_IDS
})

async function signed(count: number): Promise<string[]> {
  it.clock.moveTo(it.clock.now() + 60_000)
  const ids = await recordMany(it.ctx, count)
  await sequence(it.ctx)
  while ((await checkpoint(it.ctx)) === 'more');
  return ids
}

const ask = (include_payloads: boolean) => ({ type: 'evidence' as const, include_payloads })

/** As a chain is exported that is not being signed. */
const packed = (include_payloads = false): Promise<Unzipped> => made({ ask: ask(include_payloads) }, 'unsealed')

/** As a chain is exported that is. */
async function sealed(include_payloads = false): Promise<Unzipped> {
  const draft = await draftPack(it.ctx, ask(include_payloads), join(folder, 'draft.zip'))
  const data = { manifest_sha256: draft.manifest_sha256 }
  const subject = { type: 'export', id: 'exp_1' }
  const artifact = newArtifact(it.ctx, { type: 'evidence.pack.made', subject, data, at: draft.at })
  await it.ctx.table.commit(commitWith(it.ctx, [{ artifact }]))
  await signed(0)
  const pack = { ...draft, artifact_id: artifact.artifact_id }
  return made({ ask: ask(include_payloads), pack }, 'seal')
}

async function made(parts: { ask: PackAsk; pack?: Export['pack'] }, stage: Stage): Promise<Unzipped> {
  const path = join(folder, 'pack.zip')
  const { sha256 } = await makePack(it.ctx, parts, path, stage)
  const bytes = await readFile(path)
  expect(sha256).toBe(sha256Hex(bytes))
  return unzip(bytes)
}

const verified = (pack: Unzipped, pinned: string[] = []) => verifyPack(filesOf(pack), { pinned, strict: true })

test('a pack across a change of the signing key verifies, whichever of the keys is pinned', async () => {
  await signed(3)
  process.env.SIGN_KEY_ID = 'next'
  process.env.FORMER_SIGN_KEY_IDS = 'sign'
  coldStart()
  await signed(2)
  await signed(2)
  const pack = await sealed()
  const keys = manifestOf(pack).verifier_keys
  const names = keys.map(({ verifier_key }) => verifier_key)

  expect(keys).toMatchObject([{ from_size: 0 }, { from_size: 5 }])
  for (const pinned of [[], names, names.slice(0, 1), names.slice(1)]) {
    expect(await verified(pack, pinned)).toMatchObject({ verdict: 'valid', artifacts: 8, anchored_through: 8 })
  }
  expect(pack.get(PACK.readme)).toContain(names.map((name) => `--vkey '${name}'`).join(' '))
})

test.each<[string, string, (id: string) => void]>([
  ['an artifact that is no JSON any more', 'content', (id) => edit(id, { header: { S: '{' } })],
  ['an artifact that lost its shape', 'content', (id) => edit(id, { header: { N: '1' } })],
  ['a block that lost its shape', 'position', () => lose(blockKey(SPACE, 1))],
  ['a block whose entries were cut', 'position', () => editBlock(it, 1, { entries: new Uint8Array(50) })],
])('a chain with %s is exported all the same, and the verifier says so', async (_, reason, tamper) => {
  const [, id = ''] = await signed(3)
  await signed(3)
  tamper(id)
  const { verdict, broken } = await verified(await packed(true))

  expect(verdict).toBe('invalid')
  expect(broken.map((one) => one.reason)).toContain(reason)
})

test('artifacts that are gone are found one by one, and none of them as a duplicate of another', async () => {
  const [, second = '', third = ''] = await signed(4)
  for (const id of [second, third]) it.table.tamper(TABLE, artifactKey(SPACE, id), () => undefined)
  const { broken } = await verified(await sealed())

  expect(new Set(broken.map(({ sequence: at }) => at))).toEqual(new Set([1, 2]))
  expect(broken.map(({ reason }) => reason)).not.toContain('duplicate')
  expect(broken.map(({ artifact_id }) => artifact_id)).not.toContain('')
})

test('a pack without the proof of its manifest is not valid, though nothing else is wrong with it', async () => {
  await signed(3)

  expect(await verified(await packed())).toMatchObject({ verdict: 'invalid', broken: [{ reason: 'seal' }] })
  expect(await verified(await sealed())).toMatchObject({ verdict: 'valid', made: { sequence: 3, checkpoint_size: 4 } })
})

test('a pack whose content changed after the log was told of it is not made', async () => {
  const [id = ''] = await signed(3)
  const draft = await draftPack(it.ctx, ask(false), join(folder, 'draft.zip'))
  edit(id, { header: { S: '{}' } })

  await expect(made({ ask: ask(false), pack: { ...draft, artifact_id: id } }, 'seal')).rejects.toThrow(
    'Request it again',
  )
})

const edit = (id: string, members: object) =>
  it.table.tamper(TABLE, artifactKey(SPACE, id), (item) => ({ ...item, ...members }))
const lose = (key: { pk: string; sk: string }) =>
  it.table.tamper(TABLE, key, ({ pk, sk }) => ({ ...(pk && sk && { pk, sk }) }))
