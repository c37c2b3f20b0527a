// Leaves out samples that say what another one says.
import { distance } from './features.ts'
import { byConfidence, type Sample, type SimHash } from './sample.ts'

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
/** So many of one quarter are compared, so that alike payloads do not take quadratic time. */
const COMPARED_MAX = 200

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
