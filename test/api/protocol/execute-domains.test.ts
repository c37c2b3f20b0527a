import { beforeAll, expect, test } from 'vitest'
import { protocol } from '../../../functions/protocol/routes.ts'
import { security } from '../../../functions/security/routes.ts'
import { type Claim, claims, tenantDomains } from '../../../shared/identity/domains/domain.ts'
import { iso } from '../../../shared/base/lib/clock.ts'
import { type Governed, governed, NODE_ID } from '../../support/governed.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: Governed
beforeAll(async () => {
  acme = await governed(local, [{ action_id: 'remind_contact' }])
})

/** As verification would leave them. */
async function hold(domain: string, status: Claim['status'], by = acme.tenant_id): Promise<void> {
  const at = iso(local.clock.now())
  const asked = { tenant_id: acme.tenant_id, domain, token: 't', requested_at: at, expires_at: at, forget: false }
  const claim = { domain, tenant_id: by, status, verified_at: at, checked_at: at, misses: 0, due: at.slice(0, 10) }
  await acme.ctx.table.commit([tenantDomains.insert(asked), claims.insert(claim)])
}

const tierTo = async (to: string) => {
  const body = { node_id: NODE_ID, action_id: 'remind_contact', payload: { to } }
  return (await acme.call(protocol.evaluate, { body })).body.routing_decision.tier
}

test('recipients in domains that the tenant has verified, now and by itself, are at home', async () => {
  await hold('own.example', 'verified')
  await hold('lapsed.example', 'lapsed')
  await hold('taken.example', 'verified', 'ten_other')

  expect(await tierTo('ann@mail.own.example')).toBe('SOFT')
  expect(await tierTo('ann@lapsed.example')).toBe('HARD')
  expect(await tierTo('ann@taken.example')).toBe('HARD')
})

test('a domain that is verified later counts within 30 seconds', async () => {
  expect(await tierTo('ann@later.example')).toBe('HARD')
  await hold('later.example', 'verified')
  local.clock.moveTo(local.clock.now() + 30_000)

  expect(await tierTo('ann@later.example')).toBe('SOFT')
})

test('a dry run of a policy judges the past with them too', async () => {
  await hold('past.example', 'verified')
  local.clock.moveTo(local.clock.now() + 30_000)
  const { status, body } = await acme.execute('remind_contact', { payload: { to: 'ann@past.example' } })
  const tried = await acme.call(security.savePolicy, {
    params: { tenant_id: acme.tenant_id },
    query: { dry_run: true, replay: 1 },
    body: { name: 'p', effect: 'min_tier', tier: 'HARD' },
  })

  expect(status).toBe(200)
  expect(tried.body.replay).toMatchObject({
    by_change: { 'SOFT->HARD': 1 },
    samples: [body.receipt.request_id],
  })
})
