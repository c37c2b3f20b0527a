import { describe, expect, test } from 'vitest'
import { fnv1a32 } from '../../../../shared/base/lib/json.ts'
import { armOf, bucketOf } from '../../../../shared/govern/learned/learned.ts'
import { calibrationOf, distributionOf, driftFrom, stabilityIndex } from '../../../../shared/learn/statistics/drift.ts'
import {
  confidenceSequence,
  likelihoodRatio,
  nextP,
  sampleRatio,
  zTest,
} from '../../../../shared/learn/statistics/sequential.ts'
import {
  clustered,
  clusterVariance,
  independent,
  paired,
  total,
  wilson,
} from '../../../../shared/learn/statistics/variance.ts'

describe('the interval of a share', () => {
  test.each([
    [18, 20, 0.69897, 0.97213],
    [0, 10, 0, 0.27753],
  ])('%i of %i', (k, n, lower, upper) => {
    const interval = wilson({ k, n })

    expect(interval?.lower).toBeCloseTo(lower, 5)
    expect(interval?.upper).toBeCloseTo(upper, 5)
  })

  test.each([
    [72, 72, 0.94935],
    [73, 73, 0.95001],
    [4, 20, 0.08066],
    [5, 20, 0.11186],
  ])('the lower bound of %i of %i', (k, n, lower) => {
    expect(wilson({ k, n })?.lower).toBeCloseTo(lower, 5)
  })

  test.each([
    [124, 0.03005],
    [125, 0.02982],
  ])('the upper bound of none of %i', (n, upper) => {
    expect(wilson({ k: 0, n })?.upper).toBeCloseTo(upper, 5)
  })

  test('nothing is known without any', () => {
    expect(wilson({ k: 0, n: 0 })).toBeNull()
  })
})

describe('assignment', () => {
  test('FNV-1a of a published text', () => {
    expect(fnv1a32('foobar').toString(16)).toBe('bf9cf968')
  })

  test.each([
    ['abt_1', 'user_1', 0.4994],
    ['abt_1', 'user_2', 0.2208],
    ['abt_2', 'user_1', 0.2637],
  ])('%s and %s', (id, unit, bucket) => {
    expect(bucketOf(id, unit)).toBe(bucket)
  })

  test('a unit whose bucket is the split itself gets A', () => {
    expect(armOf({ id: 'abt_1', split_b: 0.4994 }, 'user_1')).toBe('a')
    expect(armOf({ id: 'abt_1', split_b: 0.4995 }, 'user_1')).toBe('b')
  })
})

describe('sample ratio', () => {
  test('5,000 against 5,200 is no mismatch', () => {
    const { statistic, srm_p, srm_detected } = sampleRatio({ a: 5_000, b: 5_200 }, 0.5)

    expect(statistic).toBeCloseTo(3.9216, 4)
    expect(srm_p).toBeCloseTo(0.0477, 4)
    expect(srm_detected).toBe(false)
  })

  test('5,000 against 5,400 is one', () => {
    expect(sampleRatio({ a: 5_000, b: 5_400 }, 0.5).srm_detected).toBe(true)
  })

  test('no units are no mismatch', () => {
    expect(sampleRatio({ a: 0, b: 0 }, 0.5)).toMatchObject({ srm_p: 1, srm_detected: false })
  })
})

describe('variance of a difference', () => {
  test('independent executions', () => {
    const seen = independent({ k: 800, n: 1_000 }, { k: 850, n: 1_000 })

    expect(seen.effect).toBeCloseTo(0.05, 12)
    expect(seen.variance).toBeCloseTo(0.00028875, 12)
    expect(likelihoodRatio(seen)).toBeCloseTo(15.594, 3)
    const interval = confidenceSequence(seen, 0.05)
    expect(interval && (interval.upper - interval.lower) / 2).toBeCloseTo(0.05158, 5)
  })

  test('the usual test is reported', () => {
    const usual = zTest(independent({ k: 510, n: 1_000 }, { k: 450, n: 1_000 }))

    expect(usual?.z).toBeCloseTo(-2.6854, 4)
    expect(usual?.p_value).toBeCloseTo(0.00724, 5)
  })

  test('executions that come in units', () => {
    const units = [10, 20, 30, 40].map((n, index) => ({ n, k: [8, 18, 21, 38][index] ?? 0 }))

    expect(clusterVariance(units)).toBeCloseTo(0.005, 12)
    expect(total(units)).toEqual({ n: 100, k: 85 })
    expect(clustered(units, units)).toEqual({ effect: 0, variance: 2 * clusterVariance(units) })
  })

  test('pairs', () => {
    const seen = paired({ n: 400, only_b: 40, only_a: 20 })

    expect(seen.effect).toBeCloseTo(0.05, 12)
    expect(seen.variance).toBeCloseTo(0.00036875, 12)
    expect(likelihoodRatio(seen)).toBeCloseTo(6.8781, 4)
  })

  test('one lucky first observation would be evidence, which is why counting begins late', () => {
    expect(likelihoodRatio(independent({ k: 0, n: 100 }, { k: 1, n: 1 }))).toBeCloseTo(23_578, 0)
  })

  test('without variance nothing is known', () => {
    const seen = independent({ k: 0, n: 0 }, { k: 5, n: 5 })

    expect(likelihoodRatio(seen)).toBe(1)
    expect(nextP(1, seen)).toBe(1)
    expect(confidenceSequence(seen, 0.05)).toBeNull()
    expect(zTest(seen)).toBeNull()
  })
})

describe('drift', () => {
  const tens = Array.from({ length: 10 }, () => 10)

  test('ten bins of ten against others', () => {
    expect(stabilityIndex(tens, [5, 5, 10, 10, 10, 10, 10, 10, 15, 15])).toBeCloseTo(0.10986, 5)
  })

  test('the same values have not moved, and an empty bin is a large move', () => {
    const values = Array.from({ length: 400 }, (_, index) => index)
    const former = distributionOf(values)

    expect(former.counts).toEqual(Array.from({ length: 10 }, () => 40))
    expect(driftFrom(former, values)).toMatchObject({ psi: 0, drifted: false })
    expect(driftFrom(former, values.slice(200))).toMatchObject({ drifted: true })
  })

  test('values that are all the same have one filled bin', () => {
    const former = distributionOf(Array.from({ length: 300 }, () => 1))

    expect(
      driftFrom(
        former,
        Array.from({ length: 300 }, () => 1),
      )?.psi,
    ).toBeCloseTo(0, 12)
  })

  test.each([
    [199, 400, false],
    [200, 199, false],
    [200, 200, true],
  ])('%i former and %i present values: flagged %s', (before, now, drifted) => {
    const former = distributionOf(Array.from({ length: before }, (_, index) => index))

    expect(
      driftFrom(
        former,
        Array.from({ length: now }, () => 1_000),
      )?.drifted,
    ).toBe(drifted)
  })

  test('nothing is compared with nothing', () => {
    expect(driftFrom(distributionOf([]), [1])).toBeNull()
    expect(driftFrom(distributionOf([1]), [])).toBeNull()
  })
})

describe('calibration', () => {
  test('probabilities that come true as often as they say', () => {
    const judged = Array.from({ length: 10 }, (_, index) => ({ probability: 0.7, happened: index < 7 }))

    expect(calibrationOf(judged)).toMatchObject({ n: 10, brier: expect.closeTo(0.21, 12), ece: expect.closeTo(0, 12) })
  })

  test('certainty that is wrong', () => {
    expect(calibrationOf([{ probability: 1, happened: false }])).toMatchObject({ brier: 1, ece: 1 })
  })

  test('nothing measured is null', () => {
    expect(calibrationOf([])).toMatchObject({ n: 0, brier: null, ece: null })
  })
})
