// The lowest tier of an operation. What a document says of itself can raise it and never lower it.
import { isStricter, maxTier, type Tier, TIERS } from '../../../base/catalog/kinds.ts'
import { mayRead, type WireFloor, wireFloors } from '../../../govern/governance/words/wire.ts'
import { graphqlOf } from './graphql.ts'
import { member, textAt } from './json-map.ts'
import type { Operation } from './operations.ts'

export type TierReason = { signal: 'document_tier' | WireFloor['signal']; value: string; floor: Tier }

const readsAs = (operation: Operation) => mayRead({ ...operation, graphql: graphqlOf(operation)?.document })
const isReading = (operation: Operation): boolean => readsAs(operation) === true

export function floorsOf(operation: Operation): TierReason[] {
  const { method, of, path } = operation
  const given = member(of, 'x-governance-tier')
  const said = TIERS.find((tier) => typeof given === 'string' && tier === given.toUpperCase())
  return [
    ...wireFloors({ method, path, name: textAt(of, 'operationId'), reads: readsAs(operation) }),
    ...(said && isStricter(said, 'AUTO') ? [{ signal: 'document_tier', value: said, floor: said } as const] : []),
  ]
}

/** What an action declares of its tier and kind. */
export function governanceOf(operation: Operation) {
  const tier = maxTier(...floorsOf(operation).map(({ floor }) => floor))
  return {
    idempotency: isReading(operation) || operation.method === 'PUT' || operation.method === 'DELETE',
    ...(isReading(operation) && { kind: 'read' as const }),
    ...(tier === 'HARD' && { approval_required: true, min_tier: tier }),
    ...(tier === 'SOFT' && { min_tier: tier }),
  }
}
