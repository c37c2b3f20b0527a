import { describe, expect, test } from 'vitest'
import { AUDIT, type AuditManifest } from '../../../../shared/assure/audit-pack/manifest.ts'
import { verifyArchive } from '../../../../shared/assure/audit-pack/verify-audit.ts'
import { PACK } from '../../../../shared/assure/exports/pack/pack.ts'
import { Unreadable } from '../../../../shared/assure/exports/pack/reader.ts'
import type { VerifyOptions } from '../../../../shared/assure/exports/verify/pack.ts'
import { filesOf, keyPair, manifestOf, samplePack, sealed, withTail } from '../exports/sample-pack.ts'
import { type Archive, archiveManifest, archiveOf, type ArchiveOptions } from './sample-archive.ts'

const CONTENT = { [AUDIT.info]: 'For the auditor.\n', [AUDIT.controls]: 'control_id\r\nCC6.1\r\n' }
const pair = keyPair()
const pack = samplePack({ pair })
const foreign = samplePack()
const archive = archiveOf(pack, CONTENT)
const keyOf = (of: Archive) => archiveManifest(of).verifier_keys[0]?.verifier_key ?? ''

const verify = ({ files }: Pick<Archive, 'files'>, options?: VerifyOptions) => verifyArchive(filesOf(files), options)

const changed = (path: string, edit: (text: string) => string): Pick<Archive, 'files'> => ({
  files: new Map(archive.files).set(path, edit(archive.files.get(path) ?? '')),
})
const without = (...paths: string[]) => ({
  files: new Map([...archive.files].filter(([path]) => !paths.includes(path))),
})

const oneByte = (text: string) => {
  const at = Math.floor(text.length / 2)
  return text.slice(0, at) + (text[at] === '0' ? '1' : '0') + text.slice(at + 1)
}

describe('an archive as it was made', () => {
  test('is valid, with the chain inside', async () => {
    expect(await verify(archive, { strict: true, pinned: [keyOf(archive)] })).toMatchObject({
      verdict: 'valid',
      anchored: true,
      export_id: archiveManifest(archive).export_id,
      broken: [],
      chain: { verdict: 'valid', artifacts: 12, checkpoints: { verified: 2 } },
      key_source: 'pinned',
    })
  })

  test('is valid without the chain, too', async () => {
    const short = archiveOf(pack, CONTENT, { withChain: false })
    expect(await verify(short)).toMatchObject({ verdict: 'valid', anchored: true, chain: undefined })
  })

  test('is valid up to the newest signature, where the chain inside is', async () => {
    const behind = { occurred_at: '2026-11-20T11:59:00.000Z' }
    const grown = archiveOf(withTail(pack, [behind]), CONTENT, {
      edit: ({ head }) => ({ head: { ...head, size: 12 } }),
    })
    expect(await verify(grown)).toMatchObject({ verdict: 'valid_up_to', valid: false, anchored: true })
  })
})

describe('one changed byte is found', () => {
  test.each([...archive.files.keys()])('in %s', async (path) => {
    const verdict = await verify(changed(path, oneByte)).catch((error: unknown) => error)
    expect(verdict instanceof Unreadable || (verdict as { verdict: string }).verdict === 'invalid').toBe(true)
  })

  test.each(Object.keys(archiveManifest(archive)) as (keyof AuditManifest)[])(
    'in %s of the manifest',
    async (member) => {
      const edited = changed(AUDIT.manifest, (text) => {
        const { [member]: value, ...rest } = JSON.parse(text)
        return JSON.stringify({ ...rest, [member]: typeof value === 'string' ? oneByte(value) : [value] })
      })
      const verdict = await verify(edited).catch((error: unknown) => error)
      expect(verdict instanceof Unreadable || (verdict as { verdict: string }).verdict === 'invalid').toBe(true)
    },
  )
})

describe('not valid is', () => {
  const made = async (options: ArchiveOptions) => (await verify(archiveOf(pack, CONTENT, options))).broken
  const SEAL = { reason: 'seal', path: PACK.proof }

  test('an archive with a file that it does not list', async () => {
    const more = await verify(changed('approval.pdf', () => 'all is well'))
    expect(more).toMatchObject({ verdict: 'invalid', broken: [{ reason: 'unlisted', path: 'approval.pdf' }] })
    const inside = await verify(changed('chain/approval.pdf', () => 'all is well'))
    expect(inside.broken).toMatchObject([{ reason: 'unlisted', path: 'chain/approval.pdf' }])
  })

  test('an archive without the chain that holds files in its folder', async () => {
    const short = archiveOf(pack, CONTENT, { withChain: false })
    short.files.set('chain/artifacts.ndjson', '')
    expect((await verify(short)).broken).toMatchObject([{ reason: 'unlisted' }])
  })

  test.each<[string, object]>([
    ['of another kind', { type: 'evidence.pack.made' }],
    ['of another export', { data: { export_id: 'exp_2', manifest_sha256: '' } }],
    ['with another id than the manifest names', { artifact_id: 'art_13' }],
    ['of another time', { occurred_at: '2026-11-20T12:00:00.001Z' }],
  ])('a manifest that is proven by an artifact %s', async (_, facts) => {
    expect(await made({ facts })).toMatchObject([SEAL])
  })

  test('a manifest that is proven before what it tells of', async () => {
    expect(await made({ edit: ({ head }) => ({ head: { ...head, size: 13 } }) })).toMatchObject([SEAL])
  })

  test('a chain inside that is another one', async () => {
    const { chain, genesis, verifier_keys } = manifestOf(foreign)
    const mixed = archiveOf(pack, CONTENT, { edit: () => ({ chain, genesis, verifier_keys }) })
    const { broken } = await verify(mixed)
    expect(broken).toContainEqual(expect.objectContaining({ reason: 'other_chain', path: 'chain/manifest.json' }))
  })

  test('a chain inside of another time, as of an older archive', async () => {
    const older = archiveOf(pack, CONTENT, {
      edit: () => ({ generated_at: '2026-11-21T12:00:00.000Z' }),
      facts: { occurred_at: '2026-11-21T12:00:00.000Z' },
    })
    expect((await verify(older)).broken).toMatchObject([{ reason: 'other_chain' }])
  })

  test('a chain inside without the proof of its manifest', async () => {
    const { verdict, broken } = await verify(without(`chain/${PACK.proof}`))
    expect([verdict, broken]).toMatchObject(['invalid', [{ reason: 'seal', path: `chain/${PACK.proof}` }]])
  })

  test('an archive of somebody else under our key', async () => {
    expect(await verify(archiveOf(foreign, CONTENT), { pinned: [keyOf(archive)] })).toMatchObject({
      verdict: 'invalid',
    })
  })
})

describe('an archive without the proofs', () => {
  const bare = [PACK.proof, `chain/${PACK.proof}`]

  test('proves nothing, and says so', async () => {
    expect(await verify(without(...bare))).toMatchObject({ verdict: 'unproven', valid: false, anchored: false })
  })

  test('is invalid, when anything else is wrong', async () => {
    const { files } = without(...bare)
    files.set(AUDIT.controls, 'control_id\r\nCC6.2\r\n')
    expect(await verify({ files })).toMatchObject({ verdict: 'invalid', anchored: false })
  })
})

describe('what the reader holds', () => {
  const checkpoint = (of: Archive) => {
    const { proof }: { proof: string } = JSON.parse(of.files.get(AUDIT.proof) ?? '{}')
    return proof.slice(proof.indexOf('\n\n') + 2)
  }
  const short = archiveOf(pack, CONTENT, { withChain: false })

  test('agrees with the checkpoint of the proof, where there is no chain', async () => {
    expect(await verify(short, { held: [checkpoint(short)], minSize: 13 })).toMatchObject({ verdict: 'valid' })
  })

  test('shows that an archive is older', async () => {
    const later = archiveOf(sealed(withTail(pack, [{ occurred_at: '2026-11-20T12:00:00.000Z' }])), CONTENT)
    for (const one of [short, archive]) {
      expect((await verify(one, { held: [checkpoint(later)] })).broken).toMatchObject([{ reason: 'rollback' }])
      expect((await verify(one, { minSize: 14 })).broken).toMatchObject([{ reason: 'rollback' }])
    }
  })

  test('gives no verdict, where it cannot be compared', async () => {
    const held = [pack.get(PACK.checkpoint(5)) ?? '']
    await expect(verify(short, { held })).rejects.toThrow(Unreadable)
    expect(await verify(archive, { held })).toMatchObject({ verdict: 'valid' })
  })
})
