import { beforeEach, describe, expect, test } from 'vitest'
import { isProvenRule } from '../../../../shared/govern/governance/proven-rule.ts'
import {
  isCurrent,
  type RoutingRule,
  ruleDigest,
  routingRules,
} from '../../../../shared/govern/governance/stored-rules.ts'
import { newArtifact } from '../../../../shared/ledger/evidence/artifact/artifact.ts'
import { commitWith } from '../../../../shared/ledger/evidence/artifact/record.ts'
import { sequence } from '../../../../shared/ledger/evidence/chain/sequence.ts'
import { foundedWorld, SPACE, type World } from '../../ledger/evidence/world.ts'

let it: World
beforeEach(async () => {
  it = await foundedWorld()
})

const rule: RoutingRule = {
  ...SPACE,
  node_id: 'shop.billing.refunds',
  action_id: 'note_refund',
  version: 1,
  base_tier: 'SOFT',
  update_id: 'rtu_1',
  endpoint_sha256: 'e'.repeat(64),
  valid_until: '2027-01-01T00:00:00.000Z',
  artifact_id: 'art_none',
}

/** Records the application of a rule as the service does, up to its place in the chain. */
async function applied(said: RoutingRule, { subject = said.update_id } = {}): Promise<RoutingRule> {
  const artifact = newArtifact(it.ctx, {
    type: 'routing.update.changed',
    subject: { type: 'routing_update', id: subject },
    data: { rule_sha256: ruleDigest(said) },
  })
  await it.ctx.table.commit(commitWith(it.ctx, [{ artifact }]))
  return { ...said, artifact_id: artifact.artifact_id }
}

describe('a routing rule', () => {
  test('counts once the chain holds its application', async () => {
    const stored = await applied(rule)

    expect(await isProvenRule(it.ctx, stored)).toBe(false)
    await sequence(it.ctx)
    expect(await isProvenRule(it.ctx, stored)).toBe(true)
  })

  test.each<[string, Partial<RoutingRule>]>([
    ['another tier', { base_tier: 'AUTO' }],
    ['another action', { action_id: 'pay_refund' }],
    ['another endpoint', { endpoint_sha256: 'f'.repeat(64) }],
    ['a later end', { valid_until: '2028-01-01T00:00:00.000Z' }],
    ['no end', { valid_until: undefined }],
    ['another version', { version: 2 }],
    ['a lower threshold of its model', { raise_below: 0.01 }],
    ['an artifact that does not exist', { artifact_id: 'art_01JD3Q8Z5NB4E6G8J0M2P4R6T8' }],
  ])('that was given %s does not count', async (_, change) => {
    const stored = await applied(rule)
    await sequence(it.ctx)

    expect(await isProvenRule(it.ctx, { ...stored, ...change })).toBe(false)
  })

  test('does not count by the artifact of another update', async () => {
    const stored = await applied(rule, { subject: 'rtu_2' })
    await sequence(it.ctx)

    expect(await isProvenRule(it.ctx, stored)).toBe(false)
  })

  test('has a key for any text that a request may name', () => {
    expect(routingRules.key({ ...SPACE, node_id: 'a.b.c', action_id: 'x#y' }).sk).toBe('a.b.c#x#y')
  })

  test('is current on its endpoint, up to its end', () => {
    const end = Date.parse(rule.valid_until ?? '')
    const { endpoint_sha256 } = rule

    expect(isCurrent(rule, { endpoint_sha256, at: end - 1 })).toBe(true)
    expect(isCurrent(rule, { endpoint_sha256, at: end })).toBe(false)
    expect(isCurrent(rule, { endpoint_sha256: 'f'.repeat(64), at: 0 })).toBe(false)
    expect(isCurrent({ ...rule, valid_until: undefined }, { endpoint_sha256, at: end })).toBe(true)
  })
})
