import { beforeEach, describe, expect, test } from 'vitest'
import { ChainWalk, type Line } from '../../../../../shared/ledger/evidence/verify/chain-walk.ts'
import { artifactHash, link } from '../../../../../shared/ledger/evidence/artifact/hashes.ts'
import { append, type Frontier, leafHash, rootOf } from '../../../../../shared/ledger/evidence/chain/merkle.ts'
import { canonicalJson } from '../../../../../shared/base/lib/json.ts'

const CHAIN = 'ten_1/live'
const START = { size: 0, link: Buffer.alloc(32, 1), frontier: [] }
const LENGTH = 20

type FullLine = Line & { header: string; ch: Buffer }

/** The lines of an export: header and link of each position. */
function lines(): FullLine[] {
  let previous: Uint8Array = START.link
  return Array.from({ length: LENGTH }, (_, index) => {
    const artifact_id = `art_${index}`
    const header = canonicalJson({ v: 1, artifact_id, chain: CHAIN, note: `artifact ${index}` })
    const ch = link(CHAIN, index, previous, artifactHash(header))
    previous = ch
    return { artifact_id, header, ch }
  })
}

const rootOfLines = (all: FullLine[]) =>
  rootOf(all.reduce<Frontier>((frontier, { ch }, size) => append(frontier, size, leafHash(ch)), []))

let all: FullLine[]
beforeEach(() => {
  all = lines()
})

function walk(changed: readonly Line[], chain = CHAIN) {
  const made = new ChainWalk(chain, START)
  for (const line of changed) made.follow(line)
  return made
}

const findings = (changed: readonly Line[]) => walk(changed).findings.map(({ sequence, reason }) => [sequence, reason])
const at = (index: number, members: Partial<Line>) =>
  all.map((line, i) => (i === index ? { ...line, ...members } : line))

test('an untouched run has no findings and the root of its links', () => {
  const made = walk(all)

  expect(made.findings).toEqual([])
  expect(made.size).toBe(LENGTH)
  expect(made.hasRoot(rootOfLines(all))).toBe(true)
  expect(made.hasRoot(rootOfLines(all.slice(1)))).toBe(false)
})

test('a run may begin anywhere, given size, link and frontier', () => {
  const first = walk(all.slice(0, 7))
  const rest = new ChainWalk(CHAIN, { size: first.size, link: first.link, frontier: first.frontier ?? [] })
  for (const line of all.slice(7)) rest.follow(line)

  expect(rest.findings).toEqual([])
  expect(rest.hasRoot(rootOfLines(all))).toBe(true)
})

describe.each([0, 9, LENGTH - 1])('at position %i', (index) => {
  test('a changed header is one broken link', () => {
    const header = all[index]?.header.replace('artifact', 'edited')
    expect(findings(at(index, { header }))).toEqual([[index, 'link']])
  })

  test('a changed header whose recorded hash did not follow is changed content', () => {
    const header = all[index]?.header ?? ''
    expect(findings(at(index, { header: header.replace('artifact', 'edited'), ah: artifactHash(header) }))).toEqual([
      [index, 'content'],
    ])
  })

  test('a missing header is one missing artifact', () => {
    expect(findings(at(index, { header: undefined }))).toEqual([[index, 'missing']])
  })

  test('a changed link breaks itself and the one after it', () => {
    const broken = [index, index + 1].filter((one) => one < LENGTH)
    expect(findings(at(index, { ch: Buffer.alloc(32) }))).toEqual(broken.map((one) => [one, 'link']))
  })

  test('a deleted line breaks the link over the gap', () => {
    const [first] = findings(all.filter((_, i) => i !== index))
    expect(first?.[0]).toBe(index === LENGTH - 1 ? undefined : index)
  })

  test('a doubled line is a duplicate', () => {
    expect(findings(all.flatMap((line, i) => (i === index ? [line, line] : [line])))).toContainEqual([
      index + 1,
      'duplicate',
    ])
  })

  test('an artifact under another id is misplaced', () => {
    expect(findings(at(index, { artifact_id: 'art_other' }))).toEqual([[index, 'position']])
  })
})

test('swapped lines are found at both places', () => {
  const swapped = all.map((line, i) => (i === 3 ? all[4] : i === 4 ? all[3] : line)).filter((line) => !!line)

  expect(findings(swapped).map(([sequence]) => sequence)).toEqual(expect.arrayContaining([3, 4]))
})

test('a run of another chain has no sound link', () => {
  expect(walk(all, 'ten_2/live').findings).toHaveLength(LENGTH)
})

test('after a gap the walk goes on, but vouches for no root', () => {
  const made = walk(all.slice(0, 5))
  made.skipTo(8, all[7]?.ch ?? START.link)
  for (const line of all.slice(8)) made.follow(line)

  expect(made.findings.map(({ sequence, reason }) => [sequence, reason])).toEqual(
    [5, 6, 7].map((one) => [one, 'missing']),
  )
  expect(made.frontier).toBeUndefined()
  expect(made.hasRoot(rootOfLines(all))).toBe(false)
})

test('a walk tells when its first and last artifact occurred, and takes no other value for a time', () => {
  const times = [7, '2026-11-20T10:00:00.000Z', '2026-11-20T11:00:00.000Z', { at: 1 }]
  const made = walk(
    times.map((occurred_at, index) => ({
      artifact_id: `art_${index}`,
      header: canonicalJson({ artifact_id: `art_${index}`, chain: CHAIN, occurred_at }),
    })),
  )

  expect(made.findings).toEqual([])
  expect(made.occurred).toEqual({ first: times[1], last: times[2] })
})
