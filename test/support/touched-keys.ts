// Which partition keys the functions touch in the table, and through which indexes they look.
import type { AnyClient, ClientPlugin } from '../../shared/base/aws/clients.ts'

type Value = { S?: string }
type Keyed = { pk?: Value }
type Request = { Key?: Keyed; Item?: Keyed; Keys?: Keyed[] }
type Input = Request & {
  IndexName?: string
  ExpressionAttributeValues?: Record<string, Value>
  TransactItems?: Record<string, Request>[]
  RequestItems?: Record<string, Request | Record<string, Request>[]>
}
type Next = (args: { input: Input }) => Promise<object>
type Stack = { add: (middleware: (next: Next) => Next, options: object) => void }

const inRequest = ({ Key, Item, Keys = [] }: Request) => [Key, Item, ...Keys].flatMap((one) => one?.pk?.S ?? [])

function keysIn(input: Input): string[] {
  const queried = input.ExpressionAttributeValues?.[':pk']?.S
  const batched = Object.values(input.RequestItems ?? {}).flatMap((one) =>
    Array.isArray(one) ? one.flatMap((write) => Object.values(write)) : [one],
  )
  const transacted = (input.TransactItems ?? []).flatMap((item) => Object.values(item))
  return [
    ...inRequest(input),
    ...(queried !== undefined && !input.Key && !input.IndexName ? [queried] : []),
    ...[...batched, ...transacted].flatMap(inRequest),
  ]
}

export function touchedKeys() {
  const keys = new Set<string>()
  const indexes = new Set<string>()
  const middleware =
    (next: Next): Next =>
    (args) => {
      for (const key of keysIn(args.input)) keys.add(key)
      if (args.input.IndexName) indexes.add(args.input.IndexName)
      return next(args)
    }
  const plugin: ClientPlugin = (client: AnyClient, service) => {
    if (service !== 'dynamodb') return
    client.middlewareStack.use({
      applyToStack: (stack: Stack) => stack.add(middleware, { step: 'initialize', name: 'touchedKeys' }),
    })
  }
  return {
    /** For the clients of the functions. */
    plugin,
    /** What is touched while something happens. */
    during: async (happening: () => Promise<unknown>) => {
      keys.clear()
      indexes.clear()
      await happening()
      return { keys: [...keys], indexes: [...indexes] }
    },
  }
}
