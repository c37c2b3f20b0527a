// Holds a transaction of the functions back until the test lets it go: what happens meanwhile happens between the reads of
// its request and its commit.
import type { AnyClient, ClientPlugin } from '../../shared/base/aws/clients.ts'

export type HeldCommit = {
  /** For the clients of the functions. */
  plugin: ClientPlugin
  /** The next transaction that mentions this text waits. Gives what lets it go, as soon as it is there. */
  hold: (text: string) => Promise<() => void>
  /** From now on, the first of the texts that each successful transaction mentions, in their order. */
  watch: (...texts: string[]) => string[]
}

type Next = (args: { input: object }) => Promise<object>
type Stack = { add: (middleware: (next: Next, context: { commandName?: string }) => Next, options: object) => void }

export function heldCommit(): HeldCommit {
  let wanted: { text: string; arrived: (letGo: () => void) => void } | undefined
  let watched: { texts: string[]; seen: string[] } = { texts: [], seen: [] }
  const middleware =
    (next: Next, { commandName }: { commandName?: string }): Next =>
    async (args) => {
      const held = wanted
      if (held && commandName === 'TransactWriteItemsCommand' && JSON.stringify(args.input).includes(held.text)) {
        wanted = undefined
        await new Promise<void>((letGo) => held.arrived(letGo))
      }
      const answer = await next(args)
      if (commandName === 'TransactWriteItemsCommand') note(JSON.stringify(args.input))
      return answer
    }
  const note = (input: string) => {
    const text = watched.texts.find((one) => input.includes(one))
    if (text) watched.seen.push(text)
  }
  return {
    plugin: (client: AnyClient, service) => {
      if (service !== 'dynamodb') return
      const applyToStack = (stack: Stack) => stack.add(middleware, { step: 'initialize', name: 'held-commit' })
      client.middlewareStack.use({ applyToStack })
    },
    hold: (text) =>
      new Promise((arrived) => {
        wanted = { text, arrived }
      }),
    watch: (...texts) => {
      watched = { texts, seen: [] }
      return watched.seen
    },
  }
}
