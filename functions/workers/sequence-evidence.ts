import { systemContext } from '../../shared/base/context.ts'
import { advanceChain } from '../../shared/ledger/evidence/chain/advance-chain.ts'
import { alarm } from '../../shared/base/lib/log.ts'
import { spaceOf } from '../../shared/base/table/entity.ts'

type StreamEvent = { Records: { dynamodb: { SequenceNumber: string; Keys?: { pk?: { S?: string } } } }[] }

/** Records are new pending pointers. They only name chains, so each chain is sequenced once for all of its records. */
export const handler = async ({ Records }: StreamEvent) => {
  const first = new Map<string, string>()
  for (const { dynamodb } of Records) {
    const space = spaceOf(dynamodb.Keys?.pk?.S ?? '')
    const name = space && `T#${space.tenant_id}#${space.mode}`
    if (name && !first.has(name)) first.set(name, dynamodb.SequenceNumber)
  }
  const batchItemFailures: { itemIdentifier: string }[] = []
  for (const [name, itemIdentifier] of first) {
    const space = spaceOf(name)
    try {
      if (space) await advanceChain(systemContext(space))
    } catch (error) {
      alarm('evidence.not_sequenced', error, { space: name })
      batchItemFailures.push({ itemIdentifier })
    }
  }
  return { batchItemFailures }
}
