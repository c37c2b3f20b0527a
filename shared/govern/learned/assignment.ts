// Which arm of an A/B test a unit belongs to: the hash of GrowthBook, version 2. The same unit always gets the same arm.
import { fnv1a32 } from '../../base/lib/json.ts'

export const ARMS = ['a', 'b'] as const
export type Arm = (typeof ARMS)[number]

const BUCKETS = 10_000

/** 0 to 0.9999, in equal shares. */
export const bucketOf = (testId: string, unitId: string): number =>
  (fnv1a32(String(fnv1a32(testId + unitId))) % BUCKETS) / BUCKETS

/** `split_b`: the share of units that get B. */
export const armOf = (test: { id: string; split_b: number }, unitId: string): Arm =>
  bucketOf(test.id, unitId) < test.split_b ? 'b' : 'a'
