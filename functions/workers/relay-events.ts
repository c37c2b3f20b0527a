import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { relay } from '../../shared/ledger/events/relay.ts'

type StreamEvent = { Records: { dynamodb: { SequenceNumber: string; NewImage: Record<string, AttributeValue> } }[] }

/** Relays new outbox items from the table's stream. Returns the records to retry. */
export const handler = async ({ Records }: StreamEvent) => {
  const records = Records.map(({ dynamodb }) => ({ sequence: dynamodb.SequenceNumber, image: dynamodb.NewImage }))
  const failed = await relay(records)
  return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) }
}
