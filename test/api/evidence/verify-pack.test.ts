// A pack as a customer receives it, checked by the verifier inside it, in a process of its own.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { evidence } from '../../../functions/evidence/routes.ts'
import { protocol } from '../../../functions/protocol/routes.ts'
import { artifactHash, hex, link } from '../../../shared/ledger/evidence/artifact/hashes.ts'
import { PACK, type PackManifest } from '../../../shared/assure/exports/pack/pack.ts'
import { canonicalJson, sha256Hex } from '../../../shared/base/lib/json.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { executeBody, referenceTenant } from '../../support/reference-action.ts'
import { disagreements } from '../../support/second-reader.ts'
import { download, unzip, type Unzipped } from '../../support/unzip.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let folder: string
let pack: Unzipped
let part: Unzipped
let foreign: Unzipped
let later: Unzipped
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pack-'))
  const [acme, other] = [await signedTenant(), await signedTenant()]
  pack = await exported(acme, { include_payloads: true })
  foreign = await exported(other, { include_payloads: true })
  const [first = 0] = manifestOf(pack).checkpoints.map(({ size }) => size)
  part = await exported(acme, { from_sequence: first })
  later = await exported(acme, { include_payloads: true })
})
afterAll(() => {
  rmSync(folder, { recursive: true })
})

async function signedTenant(): Promise<TestTenant> {
  const tenant = await referenceTenant(local)
  for (let signed = 0; signed < 2; signed += 1) {
    for (let run = 0; run < 3; run += 1) await tenant.call(protocol.execute, { body: executeBody('AUTO') })
    await local.advance(120_000)
    await local.sweep()
  }
  return tenant
}

async function exported(tenant: TestTenant, body: object): Promise<Unzipped> {
  const { export_id } = (await tenant.call(evidence.createExport, { body })).body
  await local.drain()
  const { download_url } = (await tenant.call(evidence.getExport, { params: { export_id } })).body
  return unzip(await download(download_url))
}

const manifestOf = (files: Unzipped): PackManifest => JSON.parse(files.get(PACK.manifest) ?? '')
const keyOf = (files: Unzipped) => manifestOf(files).verifier_keys[0]?.verifier_key ?? ''

let unpacked = 0
function verify(files: Unzipped, ...options: string[]) {
  unpacked += 1
  const at = join(folder, String(unpacked))
  for (const [path, text] of files) {
    mkdirSync(dirname(join(at, path)), { recursive: true })
    writeFileSync(join(at, path), text)
  }
  // The verifier is the one received with the sound pack, as somebody would keep it.
  const kept = join(folder, 'kept.mjs')
  writeFileSync(kept, pack.get(PACK.verifier) ?? '')
  const { status, stdout } = spawnSync(process.execPath, [kept, at, ...options], { encoding: 'utf8' })
  return { status, verdict: JSON.parse(stdout) }
}

const reasons = (files: Unzipped) => verify(files).verdict.broken?.map(({ reason }: { reason: string }) => reason)
const changed = (path: string, edit: (text: string) => string) => new Map(pack).set(path, edit(pack.get(path) ?? ''))
const linesOf = (text: string) => text.trimEnd().split('\n')
const joined = (lines: string[]) => lines.map((line) => `${line}\n`).join('')

/** Makes the file hashes fit again. */
function listed(files: Unzipped): Unzipped {
  const manifest = manifestOf(files)
  const all = manifest.files.map((file) => {
    const text = files.get(file.path) ?? ''
    return { ...file, sha256: sha256Hex(text), bytes: Buffer.byteLength(text), rows: text.split('\n').length - 1 }
  })
  return new Map(files).set(PACK.manifest, JSON.stringify({ ...manifest, files: all }))
}

describe('a pack as it was received', () => {
  test('is valid, strictly and under the published key', () => {
    const { status, verdict } = verify(pack, '--strict', '--vkey', keyOf(pack))

    expect(status).toBe(0)
    expect(verdict).toMatchObject({
      verdict: 'valid',
      from: 0,
      broken: [],
      key_source: 'pinned',
      payloads: { mismatched: 0 },
    })
    expect(verdict.payloads.verified).toBeGreaterThanOrEqual(6)
    expect(verdict.anchored_through).toBe(manifestOf(pack).checkpoints.at(-1)?.size)
    expect(verdict.unanchored).toBe(0)
    expect(verdict.made.at).toBe(manifestOf(pack).generated_at)
  })

  test('is as sound as a part of the chain', () => {
    const { status, verdict } = verify(part, '--strict', '--vkey', keyOf(pack))

    expect([status, verdict.valid]).toEqual([0, true])
    expect(verdict.from).toBeGreaterThan(0)
  })

  test('is read the same way by a second reader', () => {
    expect(disagreements(pack)).toEqual([])
    expect(
      disagreements(changed(PACK.artifacts, (text) => text.replace('"outcome":"succeeded"', '"outcome":"failed"'))),
    ).not.toEqual([])
  })

  test('of somebody else is not valid under our key', () => {
    expect(verify(foreign, '--vkey', keyOf(pack)).status).toBe(1)
  })
})

describe('one changed byte is found', () => {
  test('in every file', () => {
    for (const [path, text] of pack) {
      if (path === PACK.manifest || path === PACK.proof) continue
      const at = Math.floor(text.length / 2)
      const byte = text[at] === 'x' ? 'y' : 'x'
      const { status, verdict } = verify(changed(path, () => text.slice(0, at) + byte + text.slice(at + 1)))
      expect([path, status]).toEqual([path, 1])
      expect(verdict.broken).toContainEqual(expect.objectContaining({ reason: 'file_hash', path }))
    }
  })

  test.each(['chain', 'genesis', 'range', 'start', 'verifier_keys', 'checkpoints', 'files'] as const)(
    'in %s of the manifest',
    (member) => {
      const { [member]: value, ...rest } = manifestOf(pack)
      const text = JSON.stringify(value)
      const digits = [...text.matchAll(/\d/g)].map(({ index }) => index)
      const at = digits.at(-1) ?? 0
      const other = text.slice(0, at) + String((Number(text[at]) + 1) % 10) + text.slice(at + 1)

      expect(
        verify(changed(PACK.manifest, () => JSON.stringify({ ...rest, [member]: JSON.parse(other) }))).status,
      ).not.toBe(0)
    },
  )
})

describe('found, although the file hashes fit again, is', () => {
  const artifacts = (edit: (lines: string[]) => string[]) =>
    listed(changed(PACK.artifacts, (text) => joined(edit(linesOf(text)))))

  test('a removed artifact', () => {
    expect(verify(artifacts((lines) => lines.toSpliced(3, 1))).status).toBe(1)
  })

  test('two artifacts that changed places', () => {
    expect(verify(artifacts(([first = '', second = '', ...rest]) => [second, first, ...rest])).status).toBe(1)
  })

  test('a tail that was cut', () => {
    expect(reasons(artifacts((lines) => lines.slice(0, -3)))).toContain('position')
  })

  test('a suffix rewritten with right hashes', () => {
    const { chain } = manifestOf(pack)
    const rewritten = artifacts((lines) => {
      let previous: Uint8Array = Buffer.from(lines[4]?.slice(0, 64) ?? '', 'hex')
      return lines.map((line, index) => {
        if (index < 5) return line
        const header = line.slice(65).replace('"outcome":"succeeded"', '"outcome":"failed"')
        previous = link(chain, index, previous, artifactHash(header))
        return `${hex(previous)} ${header}`
      })
    })

    expect(new Set(reasons(rewritten))).toEqual(new Set(['seal', 'root']))
  })

  test('a note of another chain', () => {
    const [checkpoint] = manifestOf(pack).checkpoints
    const [other] = manifestOf(foreign).checkpoints
    const swapped = listed(changed(checkpoint?.path ?? '', () => foreign.get(other?.path ?? '') ?? ''))

    expect(reasons(swapped)).toEqual(['seal', 'signature'])
  })

  test('a changed payload', () => {
    expect(reasons(listed(changed(PACK.payloads, (text) => text.replace('xxx', 'xxy'))))).toEqual(['seal', 'payload'])
  })
})

describe('refused is', () => {
  /** Everything that somebody may say who can change all files, but cannot let the log hold another hash. */
  const told = (edit: (manifest: PackManifest) => object, files: Unzipped = pack) =>
    new Map(listed(files)).set(
      PACK.manifest,
      JSON.stringify({ ...manifestOf(listed(files)), ...edit(manifestOf(files)) }),
    )

  test('a pack without all checkpoints but the first', () => {
    const [first] = manifestOf(pack).checkpoints
    const kept = new Map([...pack].filter(([path]) => !path.startsWith('checkpoints/') || path === first?.path))
    const files = manifestOf(pack).files.filter(({ path }) => kept.has(path))

    expect(verify(told(() => ({ checkpoints: [first], files }), kept)).status).toBe(1)
  })

  test('an invented approval behind the last checkpoint', () => {
    const { chain, range } = manifestOf(pack)
    const lines = linesOf(pack.get(PACK.artifacts) ?? '')
    const header = canonicalJson({
      ...JSON.parse(lines.at(-1)?.slice(65) ?? ''),
      artifact_id: 'art_01JD0000000000000000000001',
      type: 'approval.approved',
    })
    const next = link(chain, range.to, Buffer.from(lines.at(-1)?.slice(0, 64) ?? '', 'hex'), artifactHash(header))
    const longer = changed(PACK.artifacts, (text) => `${text}${hex(next)} ${header}\n`)

    expect(verify(told(() => ({ range: { ...range, to: range.to + 1 } }), longer)).status).toBe(1)
  })

  test('a payload said to be erased, or left out', () => {
    const first = JSON.parse(linesOf(pack.get(PACK.payloads) ?? '')[0] ?? '{}')
    const lines = (edit: (rest: string[]) => string[]) =>
      listed(changed(PACK.payloads, (text) => joined(edit(linesOf(text).slice(1)))))
    const claimed = JSON.stringify({ artifact_id: first.artifact_id, erased_by: first.artifact_id })

    expect(reasons(lines((rest) => [claimed, ...rest]))).toEqual(['seal', 'erasure'])
    expect(reasons(lines((rest) => rest))).toEqual(['seal', 'payload'])
  })

  test('a pack under a later time, and a file that it does not list', () => {
    expect(reasons(told(() => ({ generated_at: new Date(local.clock.now()).toISOString() })))).toEqual(['seal'])
    expect(reasons(new Map(pack).set('approval.pdf', 'all is well'))).toEqual(['unlisted'])
  })

  test('a pack that is older than what the reader holds', () => {
    const size = manifestOf(pack).range.to

    expect(verify(pack, '--min-size', String(size)).status).toBe(0)
    expect(verify(pack, '--min-size', String(size + 1)).status).toBe(1)
    expect(verify(pack, '--min-size', 'many').status).toBe(2)
    const file = join(folder, 'held.note')
    const { proof } = JSON.parse(later.get(PACK.proof) ?? '')
    writeFileSync(file, proof.slice(proof.indexOf('\n\n') + 2))
    expect(verify(pack, '--checkpoint', file).verdict.broken).toMatchObject([{ reason: 'rollback' }])
    expect(verify(later, '--checkpoint', file).status).toBe(0)
  })
})

describe('no verdict', () => {
  test('without a part that is listed', () => {
    for (const path of pack.keys()) {
      const { status, verdict } = verify(new Map([...pack].filter(([name]) => name !== path)))
      expect([path, status, verdict.valid]).toEqual([path, path === PACK.proof ? 1 : 2, false])
    }
  })
})
