// Who can write the table can break a chain, put it back, and write whatever result they like. None of it hides the break.
import { beforeEach, describe, expect, test } from 'vitest'
import { continueFullPass } from '../../../../../shared/govern/completeness/full-pass.ts'
import { toAttributes } from '../../../../../shared/base/table/entity.ts'
import { checkpoint } from '../../../../../shared/ledger/evidence/sign/checkpoint.ts'
import { sequence } from '../../../../../shared/ledger/evidence/chain/sequence.ts'
import { startFullPass } from '../../../../../shared/ledger/evidence/verify/full-pass.ts'
import { takeTurn } from '../../../../../shared/ledger/evidence/verify/leases.ts'
import { NO_GAPS } from '../../../../../shared/ledger/evidence/verify/gaps.ts'
import { VerificationMessage } from '../../../../../shared/ledger/evidence/verify/verify-queue.ts'
import { type Job, readState, verifyStateKey } from '../../../../../shared/ledger/evidence/verify/verify-state.ts'
import { verifyChain } from '../../../../../shared/ledger/evidence/verify/verify.ts'
import { ledgerFacts } from '../../../../../shared/ledger/compliance-facts.ts'
import { artifactKey } from '../../../../../shared/ledger/evidence/artifact/artifact.ts'
import { Tenant, tenants } from '../../../../../shared/base/tenant/tenant.ts'
import { iso } from '../../../../../shared/base/lib/clock.ts'
import { editHeader } from '../tampering.ts'
import { foundedWorld, newestEvents, recordMany, SPACE, TABLE, type World } from '../world.ts'

let it: World
let ids: string[]
beforeEach(async () => {
  it = await foundedWorld()
  const tenant = { id: SPACE.tenant_id, name: 'Acme', plan: 'team' as const, status: 'active' as const }
  await it.ctx.table.commit([tenants.insert(Tenant.parse({ ...tenant, created_at: iso(it.clock.now()) }))])
  ids = await recordMany(it.ctx, 4)
  await sequence(it.ctx)
  later()
  await checkpoint(it.ctx)
})

const later = () => it.clock.moveTo(it.clock.now() + 60_000)
const facts = () => ledgerFacts.chain({ ctx: it.ctx, now: it.clock.now(), since: 0 })
const verify = () => verifyChain(it.ctx, 'api')
const breaks = () => [...it.s3.objects.keys()].filter((key) => key.startsWith('breaks/'))
const restorations = () =>
  it.table.items(TABLE).filter((item) => item.header?.S?.includes('"type":"evidence.chain.restored"'))
const write = (state: Record<string, unknown>) =>
  it.table.tamper(TABLE, verifyStateKey(SPACE), (item) => ({ ...item, ...toAttributes(state) }))

/** Changes an artifact; what it returns puts it back. */
function broken(id = ids[1] ?? ''): () => void {
  const key = artifactKey(SPACE, id)
  const was = it.table.item(TABLE, key)
  editHeader(it, id)
  return () => it.table.tamper(TABLE, key, () => was)
}

async function workOff(): Promise<void> {
  for (let message = it.sqs.messages.pop(); message; message = it.sqs.messages.pop())
    if (message.queue.endsWith('verifications'))
      await continueFullPass(VerificationMessage.parse(JSON.parse(message.body)))
}

describe('a break', () => {
  test('is open until a full pass no longer finds it, and both stand where nobody can remove them', async () => {
    const putBack = broken()
    expect((await verify()).chain_valid).toBe(false)
    expect(breaks()).toEqual([expect.stringMatching(/-found\.json$/)])
    later()
    await verify()
    expect(breaks()).toHaveLength(1)

    putBack()
    it.table.tamper(TABLE, verifyStateKey(SPACE), () => undefined)
    expect(await facts()).toMatchObject({ broken: true, last_full: null })

    later()
    expect((await verify()).chain_valid).toBe(true)
    expect(breaks()).toEqual([expect.anything(), expect.stringMatching(/-repaired\.json$/)])
    expect(restorations()).toHaveLength(1)
    expect(await facts()).toMatchObject({ broken: false, last_full: { valid: true } })

    await verify()
    expect(restorations()).toHaveLength(1)
  })

  test('that the checkpointer finds is told, and stays when its findings are put back', async () => {
    const [fresh] = await recordMany(it.ctx, 1)
    await sequence(it.ctx)
    later()
    const putBack = broken(fresh)
    expect(await checkpoint(it.ctx)).toBe('refused')
    expect(newestEvents(it).map(({ type }) => type)).toContain('compliance.violation.detected')

    putBack()
    expect(await facts()).toMatchObject({ broken: true })
  })
})

describe('a result in the table', () => {
  test.each([
    [
      'a full pass',
      {
        last_full: {
          began_at: '2026-11-20T09:00:00Z',
          at: '2026-11-20T09:00:00Z',
          size: 4,
          result: 'valid',
          broken: [],
        },
      },
    ],
    ['a completeness', { completeness: { result: 'complete', checked_at: '2026-11-20T09:00:00Z', missing: 0 } }],
  ])('that the service did not seal is none: %s', async (_, forged) => {
    write(forged)

    expect(await facts()).toMatchObject({ last_full: null, completeness: null })
  })

  test.each<[string, (job: Job) => Partial<Job>]>([
    ['removed', ({ open }) => ({ open: open.slice(1) })],
    ['removed with a plan that fits', ({ plan, open }) => ({ plan: { ...plan, parts: 1 }, open: open.slice(1) })],
    [
      'declared done',
      ({ open }) => ({ open: open.slice(1), done: [{ name: '0-4', broken: [], seal: 'x'.repeat(43) }] }),
    ],
  ])('does not come out of a pass one part of which somebody %s', async (_, forged) => {
    const job = await startFullPass(it.ctx, 'api')
    write({ job: { ...job, ...forged(job) } })
    await workOff()

    expect(await readState(it.ctx)).not.toHaveProperty('last_full')
    expect(await readState(it.ctx)).toMatchObject({ given_up: expect.any(String) })
  })

  test('does not come out of a part that somebody moved to its end', async () => {
    const job = await startFullPass(it.ctx, 'api')
    const part = { kind: 'completeness' as const, list: 99, gaps: NO_GAPS }
    write({ job: { ...job, open: job.open.map((one) => (one.part.kind === 'completeness' ? { ...one, part } : one)) } })

    expect(await takeTurn(it.ctx, { job_id: job.id, part, turn: 1 })).toBeUndefined()
    await workOff()
    expect(await readState(it.ctx)).not.toHaveProperty('completeness')
  })
})
