// An item that the service did not write counts as none, so an insert takes its place.
import type { AttributeValue, TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import { MAC, type Write } from './entity.ts'

/** The same items, where an insert met what the service did not write. */
export async function inPlaceOfForged(
  { CancellationReasons = [] }: TransactionCanceledException,
  writes: readonly Write[],
  items: readonly Write['item'][],
): Promise<Write['item'][] | undefined> {
  const forged = await Promise.all(
    writes.map(async ({ isForged }, index) => {
      const stands = CancellationReasons[index]?.Item
      return isForged && stands && (await isForged(stands)) ? stands : undefined
    }),
  )
  if (forged.every((stands) => !stands)) return undefined
  return items.map((item, index) => {
    const stands = forged[index]
    return stands && item.Put ? { Put: { ...item.Put, ...stillStands(stands) } } : item
  })
}

/** That nobody has put another item there meanwhile. */
const stillStands = ({ [MAC]: mac }: Record<string, AttributeValue>) => ({
  ConditionExpression: mac ? '#mac = :mac' : 'attribute_not_exists(#mac)',
  ExpressionAttributeNames: { '#mac': MAC },
  ...(mac && { ExpressionAttributeValues: { ':mac': mac } }),
})
