import { describe, expect, test } from 'vitest'
import { artifactHash, hex, link } from '../../../../shared/ledger/evidence/artifact/hashes.ts'
import { PACK, readArtifactLine } from '../../../../shared/assure/exports/pack/pack.ts'
import { Unreadable } from '../../../../shared/assure/exports/pack/reader.ts'
import { verifyPack, type VerifyOptions } from '../../../../shared/assure/exports/verify/pack.ts'
import { canonicalJson } from '../../../../shared/base/lib/json.ts'
import {
  changed as changedFile,
  CHAIN,
  editLines,
  editManifest,
  filesOf,
  keyPair,
  listFiles,
  MADE_AT,
  manifestOf,
  type Pack,
  samplePack,
  SIZES,
} from './sample-pack.ts'

const pair = keyPair()
const pack = samplePack({ pair })
const other = samplePack()
const keyOf = (of: Pack) => manifestOf(of).verifier_keys[0]?.verifier_key ?? ''

const verify = (of: Pack, options?: VerifyOptions) => verifyPack(filesOf(of), options)

const found = async (of: Pack, options?: VerifyOptions) =>
  (await verify(of, options)).broken.map(({ sequence, reason, path }) => [path ?? sequence, reason])

describe('an untouched pack', () => {
  test('is valid from the genesis to its last checkpoint', async () => {
    expect(await verify(pack, { strict: true })).toEqual({
      verdict: 'valid',
      valid: true,
      chain: CHAIN,
      from: 0,
      to: 12,
      artifacts: 12,
      broken: [],
      checkpoints: { verified: 2, failed: 0 },
      anchored_through: 12,
      unanchored: 0,
      payloads: { verified: 4, mismatched: 0, erased: 0 },
      made: { at: MADE_AT, sequence: 12, checkpoint_size: 13 },
      key_source: 'pack',
    })
  })

  test('of a part of the chain is as sound as the whole', async () => {
    expect(await verify(samplePack({ from: 5 }), { strict: true })).toMatchObject({
      valid: true,
      from: 5,
      artifacts: 7,
      checkpoints: { verified: 2 },
    })
  })

  test('holds under the pinned key that signed it', async () => {
    expect(await verify(pack, { pinned: [keyOf(pack)] })).toMatchObject({ valid: true, key_source: 'pinned' })
  })
})

const AT = [0, 6, 11]
const artifacts = (edit: (lines: string[]) => string[]) => editLines(pack, PACK.artifacts, edit)
const replaced = (lines: string[], at: number, edit: (line: string) => string) =>
  lines.map((line, index) => (index === at ? edit(line) : line))

/** Lines with links that fit their headers, from one position on. */
function relinked(lines: string[], from: number): string[] {
  let previous: Uint8Array = Buffer.from(
    from === 0 ? manifestOf(pack).start.link : (lines[from - 1]?.slice(0, 64) ?? ''),
    'hex',
  )
  return lines.map((line, index) => {
    if (index < from) return line
    const header = readArtifactLine(line)?.header ?? ''
    previous = link(CHAIN, index, previous, artifactHash(header))
    return `${hex(previous)} ${header}`
  })
}

describe.each(AT)('at position %i', (at) => {
  test('a changed header is found', async () => {
    const changed = artifacts((lines) => replaced(lines, at, (line) => line.replace('"v":1', '"v":2')))

    expect(await found(changed)).toEqual([[at, 'link']])
  })

  test('a changed header with right links behind it is found', async () => {
    const changed = artifacts((lines) =>
      relinked(
        replaced(lines, at, (line) => line.replace('"v":1', '"v":2')),
        at,
      ),
    )
    const sizes = SIZES.filter((size) => size > at)

    expect(await found(changed)).toEqual(sizes.map((size) => [size - 1, 'root']))
  })

  test('a missing artifact is found', async () => {
    expect(await found(artifacts((lines) => lines.toSpliced(at, 1)))).not.toEqual([])
    expect(await found(artifacts((lines) => relinked(lines.toSpliced(at, 1), at)))).not.toEqual([])
  })

  test('a repeated artifact is found', async () => {
    const doubled = artifacts((lines) => lines.toSpliced(at, 0, lines[at] ?? ''))

    expect(await found(doubled)).toContainEqual([at + 1, 'duplicate'])
  })

  test('an inserted artifact is found', async () => {
    const header = canonicalJson({ v: 1, artifact_id: 'art_new', chain: CHAIN })
    const inserted = artifacts((lines) => relinked(lines.toSpliced(at, 0, `${'0'.repeat(64)} ${header}`), at))

    expect(await found(inserted)).not.toEqual([])
  })

  test('a line that is none is found', async () => {
    expect(await found(artifacts((lines) => replaced(lines, at, () => 'nothing')))).toContainEqual([at, 'content'])
  })
})

describe('found is', () => {
  test('two artifacts that changed places', async () => {
    const swapped = artifacts((lines) => relinked([lines[1] ?? '', lines[0] ?? '', ...lines.slice(2)], 0))

    expect(await found(swapped)).toEqual(SIZES.map((size) => [size - 1, 'root']))
  })

  test('a tail that was cut', async () => {
    expect(await found(artifacts((lines) => lines.slice(0, 9)))).toContainEqual([11, 'root'])
  })

  test('one changed byte in any listed file', async () => {
    for (const [path, text] of pack) {
      if (path === PACK.manifest || path === PACK.proof) continue
      const changed = new Map(pack).set(path, `${text.slice(0, -3)}~${text.slice(-2)}`)
      expect(await found(changed)).toContainEqual([path, 'file_hash'])
    }
  })

  test('a part that the manifest does not list', async () => {
    const unlisted = editManifest(pack, ({ files }) => ({ files: files.filter(({ path }) => path !== PACK.payloads) }))

    expect(await found(unlisted)).toEqual([[PACK.payloads, 'unlisted']])
  })

  test('a payload that is not the committed one, and one that belongs to nothing', async () => {
    const changed = editLines(pack, PACK.payloads, (lines) => [
      ...lines.map((line) => line.replace('"number":3', '"number":4')),
      canonicalJson({ artifact_id: 'art_99', salt: '', payload: {} }),
      'nothing',
    ])

    expect(await found(changed)).toEqual([
      [3, 'payload'],
      [null, 'payload'],
      [null, 'payload'],
    ])
  })

  test('a header that is not canonical, when asked for', async () => {
    const spaced = artifacts((lines) =>
      relinked(
        replaced(lines, 11, (line) => line.replace('"v":1', '"v": 1')),
        11,
      ),
    )

    expect(await found(spaced, { strict: true })).toContainEqual([11, 'not_canonical'])
  })

  test('an artifact of another chain', async () => {
    const foreign = samplePack({ pair, extra: (sequence) => (sequence === 4 ? { chain: 'ten_02/live' } : {}) })

    expect(await found(foreign)).toEqual([[4, 'position']])
  })

  test('a chain other than that of the genesis', async () => {
    expect(await found(editManifest(pack, () => ({ chain: 'ten_02/live' })))).not.toEqual([])
  })

  test('a changed genesis', async () => {
    const changed = editManifest(pack, ({ genesis }) => ({
      genesis: { ...genesis, created_at: '2026-11-19T00:00:00.000Z' },
    }))

    expect(await found(changed)).toEqual([[0, 'link']])
  })

  test.each(['link', 'frontier'] as const)('a forged %s at the start of a part', async (member) => {
    const part = samplePack({ from: 5 })
    const forged = editManifest(part, ({ start }) => ({
      start: { ...start, [member]: member === 'link' ? '0'.repeat(64) : start.frontier.toReversed() },
    }))

    expect(await found(forged)).not.toEqual([])
  })
})

const note = (size: number, of = pack) => of.get(PACK.checkpoint(size)) ?? ''
const withNote = (size: number, text: string) => listFiles(changedFile(pack, PACK.checkpoint(size), text))

describe('signatures', () => {
  test('another size in the note is found', async () => {
    expect(await found(withNote(12, note(12).replace('\n12\n', '\n11\n')))).toEqual([[11, 'signature']])
  })

  test('checkpoints that changed places are found', async () => {
    expect(await found(listFiles(changedFile(withNote(12, note(5)), PACK.checkpoint(5), note(12))))).toEqual([
      [4, 'signature'],
      [11, 'signature'],
    ])
  })

  test('a note by a foreign key is found', async () => {
    expect(await found(withNote(12, note(12, other)))).toEqual([[11, 'signature']])
  })

  test('a note of another chain by the right key is found', async () => {
    const elsewhere = samplePack({ pair, chain: 'ten_01/test' })

    expect(await found(withNote(12, note(12, elsewhere)))).toEqual([[11, 'signature']])
  })

  test('a pack that somebody else made and signed fails under the pinned key, and only there', async () => {
    expect(await found(other)).toEqual([])
    expect(await found(other, { pinned: [keyOf(pack)] })).toEqual([
      [PACK.proof, 'seal'],
      ...SIZES.map((size) => [size - 1, 'signature']),
    ])
  })

  test('a key that is not the one of the genesis is found', async () => {
    const swapped = editManifest(pack, () => ({ verifier_keys: manifestOf(other).verifier_keys }))

    expect(await found(swapped)).toContainEqual([null, 'signature'])
  })

  test('a key counts only from the size on that it is said to count from', async () => {
    const later = editManifest(pack, ({ verifier_keys }) => ({
      verifier_keys: verifier_keys.map((key) => ({ ...key, from_size: 6 })),
    }))

    expect(await found(later)).toContainEqual([4, 'signature'])
  })
})

describe('the verifier gives no verdict', () => {
  const without = (path: string) => new Map([...pack].filter(([name]) => name !== path))

  const NEEDED = [...pack.keys()].filter((path) => path !== PACK.proof)
  test.each(NEEDED)('without %s', async (path) => {
    await expect(verify(without(path))).rejects.toThrow(Unreadable)
  })

  test('on a file that is not a manifest', async () => {
    await expect(verify(new Map(pack).set(PACK.manifest, '{"format":"other"}'))).rejects.toThrow(Unreadable)
    await expect(verify(new Map(pack).set(PACK.manifest, '{'))).rejects.toThrow(Unreadable)
  })

  test('on a manifest whose paths leave the folder', async () => {
    const [file] = manifestOf(pack).files
    const outside = editManifest(pack, () => ({ files: file ? [{ ...file, path: '../secret' }] : [] }))

    await expect(verify(outside)).rejects.toThrow(Unreadable)
  })

  test('where no signed checkpoint covers the range', async () => {
    await expect(verify(editManifest(pack, () => ({ checkpoints: [] })))).rejects.toThrow('no signed checkpoint')
  })

  test('on a frontier that is not of its size', async () => {
    const longer = editManifest(pack, ({ start }) => ({ start: { ...start, frontier: ['0'.repeat(64)] } }))

    await expect(verify(longer)).rejects.toThrow(Unreadable)
  })
})
