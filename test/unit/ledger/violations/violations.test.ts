import { beforeEach, describe, expect, test } from 'vitest'
import type { Context } from '../../../../shared/base/context.ts'
import { ChangedMeanwhile, retryWhenChanged } from '../../../../shared/base/kernel/retry.ts'
import { commitWith } from '../../../../shared/ledger/evidence/artifact/record.ts'
import { artifactKey } from '../../../../shared/ledger/evidence/artifact/artifact.ts'
import { verifyChain } from '../../../../shared/ledger/evidence/verify/verify.ts'
import {
  closeViolation,
  type Detected,
  openViolation,
  openViolations,
  reportViolation,
  type ViolationParts,
} from '../../../../shared/ledger/violations/violation.ts'
import { sequence } from '../../../../shared/ledger/evidence/chain/sequence.ts'
import { editHeader } from '../evidence/tampering.ts'
import { foundedWorld, recordMany, SPACE, TABLE, toldViolations, type World } from '../evidence/world.ts'

let it: World
beforeEach(async () => {
  it = await foundedWorld()
})

const DETECTED: Detected = { check_id: 'IAM-06', severity: 'high', failing_ids: ['key_1'], framework_ids: ['soc2'] }

type Parts = ViolationParts | undefined
const store = async (parts: Parts) => {
  if (parts) await it.ctx.table.commit([...parts.writes, ...commitWith(it.ctx, parts.transitions, parts)])
  return parts !== undefined
}
const change = (made: (ctx: Context) => Promise<Parts>) => retryWhenChanged(async () => store(await made(it.ctx)))
const open = (detected = DETECTED) => change((ctx) => openViolation(ctx, detected))
const report = (failing_ids: string[]) => change((ctx) => reportViolation(ctx, { ...DETECTED, failing_ids }))
const close = (check = DETECTED.check_id) => change((ctx) => closeViolation(ctx, check))
const told = () => toldViolations(it)
const artifacts = (type: string) => it.table.items(TABLE).filter(({ header }) => header?.S?.includes(`"${type}"`))

describe('a violation', () => {
  test('is opened once for each check, with its event and its artifact', async () => {
    expect([await open(), await open(), await open({ ...DETECTED, check_id: 'GOV-01' })]).toEqual([true, false, true])

    const [gov, iam] = await openViolations(it.ctx)
    expect(gov).toMatchObject({ check_id: 'GOV-01' })
    expect(told().map(({ data }) => data)).toContainEqual({
      violation_id: iam?.id,
      check_id: 'IAM-06',
      severity: 'high',
      framework_ids: ['soc2'],
      control_ids: [],
      failing_ids: ['key_1'],
      task_id: null,
      actor: { type: 'system', id: 'system' },
      evidence_artifact_id: expect.stringMatching(/^art_/) as string,
    })
    expect(artifacts('compliance.violation.detected')).toHaveLength(2)
  })

  test('that two open at once is there once', async () => {
    const both = [await openViolation(it.ctx, DETECTED), await openViolation(it.ctx, DETECTED)]
    await store(both[0])

    await expect(store(both[1])).rejects.toThrow(ChangedMeanwhile)
    expect(told()).toHaveLength(1)
  })

  test('is removed when its check passes, leaves an artifact, and may open again', async () => {
    await open()
    expect([await close(), await close()]).toEqual([true, false])
    expect(await openViolations(it.ctx)).toEqual([])
    expect(artifacts('compliance.violation.closed')).toHaveLength(1)

    expect(await open()).toBe(true)
    expect(new Set(told().map(({ data }) => data.violation_id)).size).toBe(2)
  })

  test('that was closed and opened again meanwhile is not closed by an older look', async () => {
    await open()
    const older = await closeViolation(it.ctx, DETECTED.check_id)
    await close()
    await open()

    await expect(store(older)).rejects.toThrow(ChangedMeanwhile)
    expect(await openViolations(it.ctx)).toHaveLength(1)
  })

  test('is told of again only with what it does not name yet, up to 20', async () => {
    const times = [await report(['a']), await report(['a']), await report(['b', 'a']), await report(['b'])]
    expect(times).toEqual([true, false, true, false])
    expect(new Set(told().map(({ data }) => data.failing_ids.join(' ')))).toEqual(new Set(['a', 'b a']))

    await report(Array.from({ length: 30 }, (_, index) => `more_${index}`))
    expect(await report(['late'])).toBe(false)
    expect((await openViolations(it.ctx))[0]?.failing_ids).toHaveLength(20)
  })

  test('of one space is none of another', async () => {
    await open()
    it.ctx.space = { ...it.ctx.space, mode: 'test' }

    expect(await openViolations(it.ctx)).toEqual([])
    expect(await close()).toBe(false)
  })
})

describe('the violation of a broken chain', () => {
  test('is opened by the verification that finds it, told once, and closed by one that finds the chain whole', async () => {
    const [, id = ''] = await recordMany(it.ctx, 3)
    await sequence(it.ctx)
    const whole = it.table.item(TABLE, artifactKey(SPACE, id))
    editHeader(it, id)
    await verifyChain(it.ctx, 'api')
    await verifyChain(it.ctx, 'schedule')
    expect(await openViolations(it.ctx)).toMatchObject([
      { check_id: 'EVD-01', severity: 'critical', failing_ids: [id] },
    ])
    expect(told()).toHaveLength(1)

    it.table.tamper(TABLE, artifactKey(SPACE, id), () => whole)
    await verifyChain(it.ctx, 'api')
    expect(await openViolations(it.ctx)).toEqual([])
  })
})
