import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkpoint } from '../../../shared/evidence/checkpoint.ts'
import { sequence } from '../../../shared/evidence/sequence.ts'
import { PACK } from '../../../shared/exports/pack.ts'
import { verifyPack } from '../../../shared/exports/verify-pack.ts'
import { writePack } from '../../../shared/exports/write-pack.ts'
import { ZipWriter } from '../../../shared/exports/zip.ts'
import { artifactKey } from '../../../shared/evidence/artifact.ts'
import { blockKey } from '../../../shared/evidence/chain.ts'
import { coldStart } from '../../../shared/lib/memory.ts'
import { unzip, type Unzipped } from '../../support/unzip.ts'
import { editBlock } from '../evidence/tampering.ts'
import { foundedWorld, recordMany, SPACE, TABLE, type World } from '../evidence/world.ts'
import { contentOf, manifestOf } from './sample-pack.ts'

let it: World
let folder: string
beforeEach(async () => {
  it = await foundedWorld()
  folder = mkdtempSync(join(tmpdir(), 'pack-'))
  process.env.VERIFIER_FILE = join(folder, 'verify.mjs')
  writeFileSync(process.env.VERIFIER_FILE, '// the verifier')
})
afterEach(() => {
  rmSync(folder, { recursive: true })
  delete process.env.VERIFIER_FILE
  delete process.env.FORMER_SIGN_KEY_IDS
})

async function signed(count: number): Promise<string[]> {
  it.clock.moveTo(it.clock.now() + 60_000)
  const ids = await recordMany(it.ctx, count)
  await sequence(it.ctx)
  while ((await checkpoint(it.ctx)) === 'more');
  return ids
}

async function packed(include_payloads = false): Promise<Unzipped> {
  const path = join(folder, 'pack.zip')
  const zip = await ZipWriter.create(path, it.clock.now())
  await writePack(it.ctx, zip, { type: 'evidence', include_payloads }, it.clock.now())
  await zip.finish()
  return unzip(await readFile(path))
}

function verified(pack: Unzipped, pinned: string[] = []) {
  const open = (path: string) => {
    const text = pack.get(path)
    return text === undefined ? undefined : contentOf(text)
  }
  return verifyPack(open, { pinned, strict: true })
}

test('a pack across a change of the signing key verifies, with its own keys and with both pinned', async () => {
  await signed(3)
  process.env.SIGN_KEY_ID = 'next'
  process.env.FORMER_SIGN_KEY_IDS = 'sign'
  coldStart()
  await signed(2)
  await signed(2)
  const pack = await packed()
  const keys = manifestOf(pack).verifier_keys
  const names = keys.map(({ verifier_key }) => verifier_key)

  expect(keys).toMatchObject([{ from_size: 0 }, { from_size: 5 }])
  expect(await verified(pack)).toMatchObject({ valid: true, artifacts: 8, anchored_through: 8 })
  expect(await verified(pack, names)).toMatchObject({ valid: true, checkpoints: { verified: 3, failed: 0 } })
  // The old key vouches up to the first checkpoint of the new one, and no further.
  expect(await verified(pack, names.slice(0, 1))).toMatchObject({ valid: false, anchored_through: 6 })
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
  const { valid, broken } = await verified(await packed(true))

  expect(valid).toBe(false)
  expect(broken.map((one) => one.reason)).toContain(reason)
})

test('artifacts that are gone are found one by one, and none of them as a duplicate of another', async () => {
  const [, second = '', third = ''] = await signed(4)
  for (const id of [second, third]) it.table.tamper(TABLE, artifactKey(SPACE, id), () => undefined)
  const { broken } = await verified(await packed())

  expect(new Set(broken.map(({ sequence: at }) => at))).toEqual(new Set([1, 2]))
  expect(broken.map(({ reason }) => reason)).not.toContain('duplicate')
  expect(broken.map(({ artifact_id }) => artifact_id)).not.toContain('')
})

const edit = (id: string, members: object) =>
  it.table.tamper(TABLE, artifactKey(SPACE, id), (item) => ({ ...item, ...members }))
const lose = (key: { pk: string; sk: string }) =>
  it.table.tamper(TABLE, key, ({ pk, sk }) => ({ ...(pk && sk && { pk, sk }) }))
