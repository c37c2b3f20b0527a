// Holds every command that a test's DynamoDB client sends against the documented grammar. The client's answer is the
// service's own refusal; it is also remembered, for callers that survive an outage of the table would survive it, too.
import type { ClientPlugin } from '../../shared/base/aws/clients.ts'
import { Grammar } from './expression-grammar.ts'
import { type Placeholders, refuse } from './expression-tokens.ts'

type Command = { name: string; input: object }
type Part = {
  IndexName?: string
  ConditionExpression?: string
  UpdateExpression?: string
  KeyConditionExpression?: string
  FilterExpression?: string
  ProjectionExpression?: string
  ExpressionAttributeNames?: NonNullable<Placeholders['names']>
  ExpressionAttributeValues?: NonNullable<Placeholders['values']>
}
/** What commands hold besides an expression of their own. */
type Whole = Part & {
  TransactItems?: Record<string, Part | undefined>[]
  RequestItems?: Record<string, Part | unknown[]>
}

const memory = globalThis as { __unlawful?: string[] } // one list, however often this module is loaded
const refused = (memory.__unlawful ??= [])

/** What was refused since the last call. */
export const takeRefused = (): string[] => refused.splice(0)

/** Throws what DynamoDB would, and remembers it. */
export function checkExpressions({ name, input }: Command): void {
  try {
    const { TransactItems = [], RequestItems = {}, ...whole } = input as Whole // as the SDK's commands are typed
    checkPart(name, whole)
    for (const item of TransactItems) for (const [kind, part] of Object.entries(item)) checkPart(kind, part ?? {})
    for (const part of Object.values(RequestItems)) if (!Array.isArray(part)) checkPart(name, part)
  } catch (error) {
    refused.push(`${name}: ${String(error)} in ${JSON.stringify(input)}`)
    throw error
  }
}

type Next = (command: object) => Promise<object>
type Stack = {
  add: (
    middleware: (next: Next, context: { commandName?: string }) => (args: { input: object }) => unknown,
    at: object,
  ) => void
}

/** For clients that talk to the local stand-in. */
export const strictClients: ClientPlugin = (client, service) => {
  if (service !== 'dynamodb') return
  client.middlewareStack.use({
    applyToStack: (stack: Stack) =>
      stack.add(
        (next, { commandName = '' }) =>
          async (args) => {
            checkExpressions({ name: commandName.replace(/Command$/, ''), input: args.input })
            return next(args)
          },
        { step: 'initialize', name: 'strictExpressions' },
      ),
  })
}

function checkPart(name: string, part: Part): void {
  const { ExpressionAttributeNames: names, ExpressionAttributeValues: values } = part
  const grammars = [...readAll(name, part, { names: names ?? {}, values: values ?? {} })]
  const used = new Set(grammars.flatMap((grammar) => [...grammar.used]))
  for (const given of [names, values]) {
    refuse(given !== undefined && Object.keys(given).length === 0, 'placeholders are given, but none')
    const unused = Object.keys(given ?? {}).find((placeholder) => !used.has(placeholder))
    refuse(unused !== undefined, `${unused} is not used`)
  }
}

function* readAll(name: string, part: Part, placeholders: Placeholders): Generator<Grammar> {
  const read = (expression: string | undefined, as: (grammar: Grammar) => void): Grammar[] => {
    if (expression === undefined) return []
    const grammar = new Grammar(expression, placeholders)
    as(grammar)
    return [grammar]
  }
  const keys = part.IndexName ? { pk: `${part.IndexName}pk`, sk: `${part.IndexName}sk` } : { pk: 'pk', sk: 'sk' }
  const missing = {
    ConditionCheck: part.ConditionExpression,
    Update: part.UpdateExpression,
    Query: part.KeyConditionExpression,
  }
  refuse(name in missing && missing[name as keyof typeof missing] === undefined, `${name} without its expression`)
  yield* read(part.ConditionExpression, (grammar) => grammar.condition())
  yield* read(part.UpdateExpression, (grammar) => grammar.update())
  yield* read(part.KeyConditionExpression, (grammar) => grammar.keyCondition(keys))
  yield* read(part.ProjectionExpression, (grammar) => grammar.projection())
  yield* read(part.FilterExpression, (grammar) => grammar.filter(keys))
}
