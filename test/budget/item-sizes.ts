// How many bytes each item has that the functions write in transactions, as DynamoDB bills them: names and values.
import type { TransactWriteItemsCommandInput } from '@aws-sdk/client-dynamodb'
import type { AnyClient, ClientPlugin } from '../../shared/base/aws/clients.ts'
import { bytesOf } from '../support/storable.ts'

/** Names the kind and size of every item that is put. */
export const sizing =
  (note: (type: string, bytes: number) => void): ClientPlugin =>
  (client: AnyClient, service) => {
    if (service !== 'dynamodb') return
    client.middlewareStack.use({
      applyToStack: (stack: { add: (middleware: unknown, options: object) => void }) => {
        const middleware = (next: (args: unknown) => Promise<unknown>) => (args: { input: object }) => {
          const { TransactItems = [] } = args.input as Partial<TransactWriteItemsCommandInput>
          for (const { Put } of TransactItems) if (Put?.Item) note(Put.Item._type?.S ?? '', bytesOf(Put.Item))
          return next(args)
        }
        stack.add(middleware, { step: 'initialize', name: 'sizes' })
      },
    })
  }
