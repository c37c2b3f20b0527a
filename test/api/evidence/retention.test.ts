import { beforeEach, describe, expect, test } from 'vitest'
import { billing } from '../../../functions/billing/routes.ts'
import { evidence } from '../../../functions/evidence/routes.ts'
import { protocol } from '../../../functions/protocol/routes.ts'
import { tenants } from '../../../functions/tenants/routes.ts'
import { workers } from '../../../functions/workers.ts'
import { PACK } from '../../../shared/assure/exports/pack/pack.ts'
import { verifyPack } from '../../../shared/assure/exports/verify/pack.ts'
import { systemContext } from '../../../shared/base/context.ts'
import { enqueueFullPass } from '../../../shared/ledger/evidence/verify/enqueue-full-pass.ts'
import { bodyOf } from '../../support/governed.ts'
import { downgrade } from '../../support/downgrade.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { mailsTo } from '../../support/mailbox.ts'
import { executeBody, referenceTenant } from '../../support/reference-action.ts'
import { type SignedIn, signIn } from '../../support/sign-in.ts'
import { download, unzip } from '../../support/unzip.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'
import { filesOf } from '../../unit/assure/exports/sample-pack.ts'

const DAY = 86_400_000
const HOUR = 3_600_000

const local = useLocalStack()
let acme: TestTenant
let owner: SignedIn
beforeEach(async () => {
  acme = await referenceTenant(local)
  owner = await signIn(local, acme.owner)
})

const execute = async (note = 'kept') =>
  String(
    bodyOf(await owner.call(protocol.execute, { body: { ...executeBody('AUTO'), payload: { note } } }), 200).receipt
      .request_id,
  )
const read = async (request_id: string) =>
  bodyOf(await owner.call(protocol.getExecution, { params: { request_id } }), 200).result
const keepFor = (evidence_retention_days: number | null) =>
  owner.call(tenants.update, {
    params: { tenant_id: acme.tenant_id },
    body: { settings: { evidence_retention_days } },
  })
const shown = async () => {
  const body = bodyOf(await owner.call(billing.getSubscription), 200)
  return [body.evidence_retention_days, body.evidence_retention_grace_until]
}
const letters = async () =>
  (await mailsTo(local, acme.owner.email)).filter(({ kind }) => kind === 'retention_shortened')

/** The daily pass over the chain and the hourly step, so much later. Keys and sessions have ended by then. */
async function later(ms: number) {
  local.clock.moveTo(local.clock.now() + ms)
  await enqueueFullPass(systemContext({ tenant_id: acme.tenant_id, mode: 'live' }))
  await local.drain()
  const body = JSON.stringify({ every: 'hour', spaces: [{ tenant_id: acme.tenant_id, mode: 'live' }] })
  expect(await local.invoke(workers.steps, { Records: [{ messageId: 'm', body }] })).toEqual({ batchItemFailures: [] })
  await local.drain()
  owner = await signIn(local, acme.owner)
}

const headersOf = (items: readonly { artifact_id: string }[]): Promise<Record<string, unknown>[]> =>
  Promise.all(
    items.map(async ({ artifact_id }) =>
      JSON.parse(bodyOf(await owner.call(evidence.get, { params: { id: artifact_id } }), 200).header),
    ),
  )

async function pack() {
  const { export_id } = bodyOf(await owner.call(evidence.createExport, { body: { include_payloads: true } }), 202)
  await local.drain()
  const state = bodyOf(await owner.call(evidence.getExport, { params: { export_id } }), 200)
  return unzip(await download(state.download_url))
}

describe('the retention of payloads', () => {
  test('of an enterprise that keeps them for a year: after a grace they go, and the evidence stays whole', async () => {
    const [short, long] = [await execute('short'), await execute('long '.repeat(4_000))]
    await later(340 * DAY)
    const young = await execute('young')
    expect(await shown()).toEqual([2_555, null])

    expect((await keepFor(365)).status).toBe(200)
    await later(HOUR)
    const [kept, until] = await shown()
    expect(kept).toBe(2_555)
    expect(Math.round((Date.parse(until) - local.clock.now()) / DAY)).toBe(30)
    expect(await letters()).toMatchObject([{ text: expect.stringContaining('365 days') }])

    await later(29 * DAY)
    expect((await read(short)).payload_echo).toEqual({ note: 'short' })
    await later(DAY)
    expect(await shown()).toEqual([365, null])
    for (const id of [short, long]) {
      expect(await read(id)).toMatchObject({ payload_echo: null, payload_status: 'erased' })
    }
    const { items } = bodyOf(await owner.call(evidence.latest, { query: { type: 'evidence.payload.erased' } }), 200)
    const of = await headersOf(items)
    expect(new Set(of.map(({ request_id }) => request_id))).toEqual(new Set([short, long]))
    expect(of[0]).toMatchObject({ actor: { kind: 'system' }, data: { reason: 'retention', retention_days: 365 } })
    expect((await read(young)).payload_echo).toEqual({ note: 'young' })

    const files = await pack()
    const { verdict, payloads } = await verifyPack(filesOf(files), { strict: true })
    expect({ verdict, payloads }).toMatchObject({ verdict: 'valid', payloads: { erased: 2, mismatched: 0 } })
    expect(files.get(PACK.payloads)).toContain('young')
    expect(bodyOf(await owner.call(evidence.verify), 200)).toMatchObject({ chain_valid: true, broken_links: 0 })
  })

  test('that is lengthened again within the grace loses nothing', async () => {
    const id = await execute()
    await later(340 * DAY)
    await keepFor(365)
    await later(HOUR)
    expect((await keepFor(null)).body.settings).toMatchObject({ evidence_retention_days: null })
    await later(HOUR)
    expect(await shown()).toEqual([2_555, null])
    await later(60 * DAY)
    expect((await read(id)).payload_echo).toEqual({ note: 'kept' })
    expect(await letters()).toHaveLength(1)
  })

  test.each([364, 2_556, 400.5])('of %f days is none that a tenant can choose', async (days) => {
    expect((await keepFor(days)).status).toBe(422)
  })

  test('can be sent back as it is after a downgrade, and not changed', async () => {
    await keepFor(400)
    await downgrade(acme.tenant_id)
    const send = (evidence_retention_days: number) =>
      owner.call(tenants.update, {
        params: { tenant_id: acme.tenant_id },
        body: { name: 'Acme Small', settings: { evidence_retention_days } },
      })
    expect(await send(401)).toMatchObject({ status: 403, body: { code: 'plan_feature' } })
    expect(await send(400)).toMatchObject({ status: 200, body: { name: 'Acme Small' } })
  })

  test('is chosen only where the plan leaves it to the tenant', async () => {
    acme = await local.tenant({ plan: 'business' })
    owner = await signIn(local, acme.owner)
    expect(await keepFor(400)).toMatchObject({ status: 403, body: { code: 'plan_feature' } })
    expect((await keepFor(null)).status).toBe(200)
    expect(await shown()).toEqual([2_190, null])
  })
})
