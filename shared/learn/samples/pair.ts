// Leaves out equal and nearly equal samples, and pairs chosen with rejected answers to the same prompt. The closer two answers are,
// the more the pair shows the cause of the different decisions.
import { distance, jaccard } from './features.ts'
import { byConfidence, type Sample, type SimHash } from './sample.ts'

export type Pair = { chosen: Sample; rejected: Sample }

/** At most so many rejected samples are compared with a chosen one, the most confident first. */
const COMPARED_MAX = 200

/** Each sample is in at most `most` pairs. Groups with one side give none. */
export function pairsOf(samples: readonly Sample[], most: number): Pair[] {
  const groups = Map.groupBy(samples, ({ group }) => group)
  return [...groups.keys()].toSorted().flatMap((group) => pairedWithin(groups.get(group) ?? [], most))
}

function pairedWithin(samples: readonly Sample[], most: number): Pair[] {
  const sorted = samples.toSorted(byConfidence)
  const chosen = sorted.filter(({ side }) => side === 'chosen')
  const rejected = sorted.filter(({ side }) => side === 'rejected')
  const known = new Set<string>()
  const pairs: Pair[] = []
  for (let round = 0; round < most; round += 1) {
    const unused = [...rejected]
    for (const one of chosen) {
      const other = closest(one, unused, known)
      if (other === undefined) continue
      const [partner] = unused.splice(other, 1)
      if (!partner) continue
      known.add(`${one.id} ${partner.id}`)
      pairs.push({ chosen: one, rejected: partner })
    }
  }
  return pairs
}

/** The index of the most similar of the next; of equals that with the lower id. */
function closest(one: Sample, unused: readonly Sample[], known: ReadonlySet<string>): number | undefined {
  let best: { index: number; share: number; id: string } | undefined
  for (const [index, { id, features }] of unused.slice(0, COMPARED_MAX).entries()) {
    if (known.has(`${one.id} ${id}`)) continue
    const share = jaccard(one.features, features)
    if (!best || share > best.share || (share === best.share && id < best.id)) best = { index, share, id }
  }
  return best?.index
}

export type Deduped = { samples: Sample[]; duplicates: number; conflicts: number }

/** Of equal samples one stays; then, of nearly equal ones on the same side of one prompt, the most confident. */
export function dedup(all: readonly Sample[]): Deduped {
  const { samples, conflicts } = withoutEqual(all)
  const distinct = withoutNear(samples)
  return { samples: distinct, conflicts, duplicates: all.length - distinct.length - conflicts }
}

/** A conflict: the same was chosen and rejected. What was judged beats what is presumed, then the later decision wins. */
function withoutEqual(all: readonly Sample[]): { samples: Sample[]; conflicts: number } {
  let conflicts = 0
  const samples = [...Map.groupBy(all, ({ content }) => content).values()].flatMap((equal) => {
    const best = equal.toSorted(byConfidence)
    const [first] = best
    const other = best.find(({ side }) => side !== first?.side)
    if (!first || !other) return first ?? []
    conflicts += 1
    return [first, other].toSorted(byAuthority)[0] ?? []
  })
  return { samples, conflicts }
}

const isJudged = ({ source }: Sample): number => (source === 'presumed' ? 0 : 1)

const byAuthority = (a: Sample, b: Sample): number =>
  isJudged(b) - isJudged(a) || b.decided_at - a.decided_at || byConfidence(a, b)

const NEAR = 3
/** Two fingerprints that differ in three bits share at least one of four quarters. */
const QUARTERS = [0, 1, 2, 3] as const

function withoutNear(samples: readonly Sample[]): Sample[] {
  const kept = new Map<string, Sample[]>()
  return samples.toSorted(byConfidence).filter((sample) => {
    const buckets = QUARTERS.map((quarter) => bucketOf(sample, quarter))
    const isNear = buckets.some((bucket) =>
      kept.get(bucket)?.some(({ simhash }) => distance(simhash, sample.simhash) <= NEAR),
    )
    if (isNear) return false
    for (const bucket of buckets) {
      const others = kept.get(bucket)
      if (!others) kept.set(bucket, [sample])
      else if (others.length < COMPARED_MAX) others.push(sample)
    }
    return true
  })
}

const bucketOf = ({ group, side, simhash }: Sample, quarter: (typeof QUARTERS)[number]): string =>
  `${group} ${side} ${quarter} ${quarterOf(simhash, quarter)}`

const quarterOf = (simhash: SimHash, quarter: (typeof QUARTERS)[number]): number =>
  ((simhash[quarter < 2 ? 0 : 1] ?? 0) >>> (quarter % 2 === 0 ? 0 : 16)) & 0xffff
