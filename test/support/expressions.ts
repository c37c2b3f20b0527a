// DynamoDB's expression language for the in-memory table: conditions, key conditions, updates and projections, evaluated
// on attribute values as they travel on the wire. What it does not know it refuses loudly.
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { copyOf } from './copy-of.ts'
import { compareText } from './memory-store.ts'

export type Item = Record<string, AttributeValue>
export type Substitutes = {
  ExpressionAttributeNames?: Record<string, string> | undefined
  ExpressionAttributeValues?: Record<string, AttributeValue> | undefined
}

type Value = AttributeValue | undefined
type Path = (string | number)[]

const TOKEN = /\s*(<>|<=|>=|[=<>(),+\-.]|\[\d+\]|[:#]?[A-Za-z_][\w]*)/y

/** Evaluates a condition against an item; undefined stands for an item that does not exist. */
export function holds(expression: string, item: Item | undefined, substitutes: Substitutes): boolean {
  const parser = new Parser(expression, item ?? {}, substitutes)
  const result = parser.or()
  parser.end()
  return result
}

/** The item after an update expression. */
export function updated(expression: string, item: Item, substitutes: Substitutes): Item {
  const parser = new Parser(expression, item, substitutes)
  const changes = parser.update()
  parser.end()
  const next = copyOf(item)
  for (const change of changes) change(next)
  return next
}

/** The top-level attributes that an update expression changes, as they stand in an item. */
export function changed(expression: string, item: Item, substitutes: Substitutes): Item {
  const parser = new Parser(expression, item, substitutes)
  parser.update()
  return Object.fromEntries(Object.entries(item).filter(([name]) => parser.changed.has(name)))
}

/** The named attributes only. */
export function projected(expression: string, item: Item, substitutes: Substitutes): Item {
  const next: Item = {}
  for (const name of expression.split(',').map((part) => part.trim())) {
    const attribute = substitutes.ExpressionAttributeNames?.[name] ?? name
    const value = item[attribute]
    if (value) next[attribute] = value
  }
  return next
}

export class Refused extends Error {
  override readonly name = 'ValidationException'
}

const known = new Map<string, readonly string[]>()
const KNOWN_MAX = 2_000

function tokensOf(expression: string): readonly string[] {
  const tokens = known.get(expression) ?? readTokens(expression)
  if (known.size >= KNOWN_MAX) known.clear()
  known.set(expression, tokens)
  return tokens
}

function readTokens(expression: string): string[] {
  const tokens: string[] = []
  TOKEN.lastIndex = 0
  while (expression.slice(TOKEN.lastIndex).trim() !== '') {
    const from = TOKEN.lastIndex
    const token = TOKEN.exec(expression)?.[1]
    if (token === undefined) throw new Refused(`cannot read ${expression.slice(from)}`)
    tokens.push(token)
  }
  return tokens
}

class Parser {
  readonly #tokens: readonly string[]
  readonly #item: Item
  readonly #substitutes: Substitutes
  #at = 0
  /** The attributes that an update expression changes. */
  readonly changed = new Set<string>()

  constructor(expression: string, item: Item, substitutes: Substitutes) {
    this.#tokens = tokensOf(expression)
    this.#item = item
    this.#substitutes = substitutes
  }

  end(): void {
    if (this.#at < this.#tokens.length) throw new Refused(`unexpected ${this.#tokens[this.#at]}`)
  }

  or(): boolean {
    let result = this.and()
    while (this.#word('OR')) result = this.and() || result
    return result
  }

  and(): boolean {
    let result = this.not()
    while (this.#word('AND')) result = this.not() && result
    return result
  }

  not(): boolean {
    if (this.#word('NOT')) return !this.not()
    if (this.#peek() === '(') {
      this.#expect('(')
      const inner = this.or()
      this.#expect(')')
      return inner
    }
    return this.#predicate()
  }

  /** The changes of an update expression, each reading the item as it was before all of them. */
  update(): ((item: Item) => void)[] {
    const changes: ((item: Item) => void)[] = []
    while (this.#at < this.#tokens.length) {
      const clause = this.#next().toUpperCase()
      do changes.push(this.#change(clause))
      while (this.#take(','))
    }
    return changes
  }

  #change(clause: string): (item: Item) => void {
    const path = this.#path()
    this.changed.add(String(path[0]))
    if (clause === 'REMOVE') return (item) => write(item, path, undefined)
    if (clause === 'SET') this.#expect('=')
    const operand = clause === 'SET' ? this.#sum() : this.#operand()
    if (!operand) throw new Refused('the provided expression refers to an attribute that does not exist')
    if (clause === 'SET') return (item) => write(item, path, operand)
    const before = read(this.#item, path)
    if (clause === 'ADD') return (item) => write(item, path, added(before, operand))
    if (clause === 'DELETE') return (item) => write(item, path, withoutMembers(before, operand))
    throw new Refused(`unknown clause ${clause}`)
  }

  #sum(): Value {
    const left = this.#operand()
    if (this.#take('+')) return number(numberOf(left) + numberOf(this.#operand()))
    if (this.#take('-')) return number(numberOf(left) - numberOf(this.#operand()))
    return left
  }

  #predicate(): boolean {
    const name = this.#peek().toLowerCase()
    if (name === 'attribute_exists') return this.#call(() => read(this.#item, this.#path()) !== undefined)
    if (name === 'attribute_not_exists') return this.#call(() => read(this.#item, this.#path()) === undefined)
    if (name === 'begins_with') return this.#pair((a, b) => textOf(a)?.startsWith(textOf(b) ?? '\0') ?? false)
    if (name === 'contains') return this.#pair(contains)
    return this.#comparison()
  }

  #comparison(): boolean {
    const left = this.#operand()
    if (this.#word('BETWEEN')) {
      const low = this.#operand()
      if (!this.#word('AND')) throw new Refused('BETWEEN without AND')
      const high = this.#operand()
      return compare(left, low, (order) => order >= 0) && compare(left, high, (order) => order <= 0)
    }
    if (this.#word('IN')) return this.#list().some((one) => equal(left, one))
    const operator = this.#next()
    const right = this.#operand()
    if (operator === '=') return equal(left, right)
    if (operator === '<>') return !equal(left, right)
    if (operator === '<') return compare(left, right, (order) => order < 0)
    if (operator === '<=') return compare(left, right, (order) => order <= 0)
    if (operator === '>') return compare(left, right, (order) => order > 0)
    if (operator === '>=') return compare(left, right, (order) => order >= 0)
    throw new Refused(`unknown operator ${operator}`)
  }

  #operand(): Value {
    const token = this.#peek()
    if (token.startsWith(':')) {
      this.#next()
      const value = this.#substitutes.ExpressionAttributeValues?.[token]
      if (!value) throw new Refused(`no value for ${token}`)
      return value
    }
    if (this.#tokens[this.#at + 1] !== '(') return read(this.#item, this.#path())
    if (token === 'size') return this.#call(() => number(sizeOf(read(this.#item, this.#path()))))
    if (token === 'if_not_exists') return this.#pairOf((a, b) => a ?? b)
    if (token === 'list_append') return this.#pairOf((a, b) => ({ L: [...(a?.L ?? []), ...(b?.L ?? [])] }))
    throw new Refused(`unknown function ${token}`)
  }

  #path(): Path {
    const path: Path = [this.#name()]
    for (;;) {
      if (this.#take('.')) path.push(this.#name())
      else if (this.#peek().startsWith('[')) path.push(Number(this.#next().slice(1, -1)))
      else return path
    }
  }

  #name(): string {
    const token = this.#next()
    if (!token.startsWith('#')) return token
    const name = this.#substitutes.ExpressionAttributeNames?.[token]
    if (name === undefined) throw new Refused(`no name for ${token}`)
    return name
  }

  #list(): Value[] {
    this.#expect('(')
    const values = [this.#operand()]
    while (this.#take(',')) values.push(this.#operand())
    this.#expect(')')
    return values
  }

  #call<T>(inner: () => T): T {
    this.#next()
    this.#expect('(')
    const result = inner()
    this.#expect(')')
    return result
  }

  #pairOf<T>(combine: (a: Value, b: Value) => T): T {
    this.#next()
    const [a, b] = this.#list()
    return combine(a, b)
  }

  #pair(combine: (a: Value, b: Value) => boolean): boolean {
    return this.#pairOf(combine)
  }

  #peek(): string {
    return this.#tokens[this.#at] ?? ''
  }

  #next(): string {
    const token = this.#tokens[this.#at]
    if (token === undefined) throw new Refused('the expression ends too early')
    this.#at += 1
    return token
  }

  #take(token: string): boolean {
    if (this.#peek() !== token) return false
    this.#at += 1
    return true
  }

  #word(word: string): boolean {
    if (this.#peek().toUpperCase() !== word) return false
    this.#at += 1
    return true
  }

  #expect(token: string): void {
    if (!this.#take(token)) throw new Refused(`expected ${token}, found ${this.#peek()}`)
  }
}

function read(item: Item, path: Path): Value {
  let value: Value = { M: item }
  for (const step of path) value = typeof step === 'number' ? value?.L?.[step] : value?.M?.[step]
  return value
}

function write(item: Item, path: Path, value: Value): void {
  const parent = path.length === 1 ? { M: item } : read(item, path.slice(0, -1))
  const step = path.at(-1)
  if (typeof step === 'string' && parent?.M) {
    if (value) parent.M[step] = value
    else delete parent.M[step]
  } else if (typeof step === 'number' && parent?.L && value) {
    parent.L[Math.min(step, parent.L.length)] = value
  } else {
    throw new Refused('the document path provided in the update expression is invalid for update')
  }
}

const number = (value: number): AttributeValue => ({ N: String(value) })
const textOf = (value: Value): string | undefined => value?.S ?? (value?.B && Buffer.from(value.B).toString('latin1'))

function numberOf(value: Value): number {
  if (value?.N === undefined) throw new Refused('an operand is no number')
  return Number(value.N)
}

function sizeOf(value: Value): number {
  if (value?.S !== undefined) return Buffer.byteLength(value.S)
  return value?.B?.length ?? value?.L?.length ?? value?.SS?.length ?? Object.keys(value?.M ?? {}).length
}

function added(before: Value, operand: AttributeValue): AttributeValue {
  if (operand.N !== undefined) return number((before ? numberOf(before) : 0) + numberOf(operand))
  if (operand.SS) return { SS: [...new Set([...(before?.SS ?? []), ...operand.SS])] }
  throw new Refused('ADD takes a number or a set')
}

function withoutMembers(before: Value, operand: AttributeValue): Value {
  const left = (before?.SS ?? []).filter((member) => !operand.SS?.includes(member))
  return left.length > 0 ? { SS: left } : undefined
}

function contains(holder: Value, wanted: Value): boolean {
  if (holder?.S !== undefined) return holder.S.includes(wanted?.S ?? '\0')
  if (holder?.SS) return holder.SS.includes(wanted?.S ?? '\0')
  return holder?.L?.some((member) => equal(member, wanted)) ?? false
}

/** Order of two values of the same type; values of different types have none. */
function compare(a: Value, b: Value, test: (order: number) => boolean): boolean {
  if (a?.N !== undefined && b?.N !== undefined) return test(Number(a.N) - Number(b.N))
  if (a?.S !== undefined && b?.S !== undefined) return test(compareText(a.S, b.S))
  if (a?.B && b?.B) return test(Buffer.compare(a.B, b.B))
  return false
}

function equal(a: Value, b: Value): boolean {
  if (!a || !b) return false
  return compare(a, b, (order) => order === 0) || JSON.stringify(a) === JSON.stringify(b)
}
