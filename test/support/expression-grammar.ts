// The documented grammar of DynamoDB's expressions, and nothing beyond it. The stand-ins are more lenient than the service:
// what only they accept would fail in AWS on the first day.
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { type Path, type Placeholders, refuse, mustHaveType, Tokens, type Type, Unlawful } from './expression-tokens.ts'

type Operand = { text: string; path?: Path; size?: true; value?: AttributeValue | undefined }
/** How the parts of a condition are joined: what tells whether parentheses around them are needed. */
type Shape = 'or' | 'and' | 'not' | 'test'

const COMPARATORS = ['=', '<>', '<', '<=', '>', '>=']
const ORDERED: Type[] = ['S', 'N', 'B']
const TYPES = ['S', 'SS', 'N', 'NS', 'B', 'BS', 'BOOL', 'NULL', 'L', 'M']
const CLAUSES = ['SET', 'REMOVE', 'ADD', 'DELETE']
const OPERANDS_MAX = 100

export class Grammar {
  readonly #tokens: Tokens

  constructor(expression: string, placeholders: Placeholders) {
    this.#tokens = new Tokens(expression, placeholders)
  }

  get used(): ReadonlySet<string> {
    return this.#tokens.used
  }

  condition(): void {
    this.#or()
    this.#tokens.end()
  }

  /** `pk = :pk`, alone or with one condition of the sort key. */
  keyCondition({ pk, sk }: { pk: string; sk: string }): void {
    refuse(this.#keyTest(pk) !== '=', 'the partition key is compared for equality only')
    if (this.#tokens.word('AND')) refuse(this.#keyTest(sk) === '<>', 'a sort key is not compared with <>')
    this.#tokens.end()
  }

  /** A condition that the items found must meet; DynamoDB refuses one of their keys in it. */
  filter({ pk, sk }: { pk: string; sk: string }): void {
    this.condition()
    const key = this.#tokens.paths.find(([first]) => first === pk || first === sk)
    refuse(key !== undefined, `a filter names the key ${key?.join('.')}`)
  }

  update(): void {
    const seen = new Set<string>()
    const changed: Path[] = []
    while (!this.#tokens.ended) {
      const clause = this.#tokens.next().toUpperCase()
      refuse(!CLAUSES.includes(clause), `unknown clause ${clause}`)
      refuse(seen.has(clause), `two clauses ${clause}`)
      seen.add(clause)
      do changed.push(this.#change(clause))
      while (this.#tokens.take(','))
    }
    const isKey = changed.some(([first]) => first === 'pk' || first === 'sk')
    refuse(isKey, 'a key cannot be updated')
    mustNotOverlap(changed)
  }

  projection(): void {
    do this.#tokens.path()
    while (this.#tokens.take(','))
    this.#tokens.end()
    mustNotOverlap(this.#tokens.paths)
  }

  #or(): Shape {
    const first = this.#and()
    if (this.#tokens.peek().toUpperCase() !== 'OR') return first
    while (this.#tokens.operator('OR')) this.#and()
    return 'or'
  }

  #and(): Shape {
    const shapes = [this.#not()]
    while (this.#tokens.operator('AND')) shapes.push(this.#not())
    refuse(shapes.length === 1 && shapes[0] === 'or', 'parentheses that change nothing')
    const [shape = 'test'] = shapes
    return shapes.length > 1 ? 'and' : shape
  }

  /** The shape of one member: `or` says that it stands in parentheses, which only AND and NOT need. */
  #not(): Shape {
    if (this.#tokens.operator('NOT')) {
      if (this.#tokens.peek() !== '(') this.#test()
      else refuse(this.#group() === 'test', 'parentheses that change nothing')
      return 'not'
    }
    if (this.#tokens.peek() !== '(') return this.#test()
    refuse(this.#group() !== 'or', 'parentheses that change nothing')
    return 'or'
  }

  #group(): Shape {
    this.#tokens.expect('(')
    const shape = this.#or()
    this.#tokens.expect(')')
    return shape
  }

  #test(): Shape {
    const name = this.#tokens.call(
      'attribute_exists',
      'attribute_not_exists',
      'attribute_type',
      'begins_with',
      'contains',
    )
    if (name) this.#arguments(name)
    else this.#comparison()
    return 'test'
  }

  #arguments(name: string): void {
    const path = this.#tokens.path()
    if (name === 'attribute_type') {
      this.#tokens.expect(',')
      const { S } = this.#tokens.value(['S']) ?? {}
      refuse(S !== undefined && !TYPES.includes(S), `no type ${S}`)
    }
    if (name === 'begins_with' || name === 'contains') {
      this.#tokens.expect(',')
      const second = this.#operand(name === 'contains' ? undefined : ['S', 'B'])
      refuse(second.path?.join('\n') === path.join('\n'), 'the operands of a function are one path')
    }
    this.#tokens.expect(')')
  }

  #comparison(): void {
    const left = this.#operand()
    if (this.#tokens.operator('BETWEEN')) {
      const low = this.#operand(ORDERED)
      if (!this.#tokens.word('AND')) throw new Unlawful('BETWEEN without AND')
      return mustCompareAlike([left, low, this.#operand(ORDERED)])
    }
    if (this.#tokens.operator('IN')) return mustCompareAlike([left, ...this.#list()])
    const comparator = this.#tokens.next()
    refuse(!COMPARATORS.includes(comparator), `no comparator ${comparator}`)
    this.#tokens.count()
    const ordered = comparator !== '=' && comparator !== '<>'
    mustCompareAlike([left, this.#operand(ordered ? ORDERED : undefined)])
  }

  #list(): Operand[] {
    this.#tokens.expect('(')
    const operands = [this.#operand()]
    while (this.#tokens.take(',')) operands.push(this.#operand())
    this.#tokens.expect(')')
    refuse(operands.length > OPERANDS_MAX, `IN takes ${OPERANDS_MAX} operands at most`)
    return operands
  }

  /** The comparator, or the name of the function. */
  #keyTest(key: string): string {
    const name = this.#tokens.call('begins_with')
    const path = this.#tokens.path()
    refuse(this.#tokens.resolved && path.join('.') !== key, `${path.join('.')} is not the key ${key}`)
    if (name) {
      this.#tokens.expect(',')
      this.#tokens.value(['S', 'B'])
      this.#tokens.expect(')')
      return name
    }
    if (this.#tokens.operator('BETWEEN')) {
      this.#tokens.value(ORDERED)
      if (!this.#tokens.word('AND')) throw new Unlawful('BETWEEN without AND')
      this.#tokens.value(ORDERED)
      return 'BETWEEN'
    }
    const comparator = this.#tokens.next()
    refuse(!COMPARATORS.includes(comparator), `no comparator ${comparator}`)
    this.#tokens.value(ORDERED)
    return comparator
  }

  #change(clause: string): Path {
    const path = this.#tokens.path()
    if (clause === 'SET') {
      this.#tokens.expect('=')
      const first = this.#operandOfSet()
      const sum = this.#tokens.operator('+') || this.#tokens.operator('-')
      if (sum) [first, this.#operandOfSet()].forEach((operand) => mustHaveType(operand.value, ['N']))
    }
    if (clause === 'ADD') this.#tokens.value(['N', 'SS', 'NS', 'BS'])
    if (clause === 'DELETE') this.#tokens.value(['SS', 'NS', 'BS'])
    return path
  }

  #operandOfSet(): Operand {
    const name = this.#tokens.call('if_not_exists', 'list_append')
    if (!name) return this.#operand(undefined, 'update')
    if (name === 'if_not_exists') this.#tokens.path()
    else mustHaveType(this.#operandOfSet().value, ['L'])
    this.#tokens.expect(',')
    const { value } = this.#operandOfSet()
    if (name === 'list_append') mustHaveType(value, ['L'])
    this.#tokens.expect(')')
    return { text: name, value }
  }

  #operand(types?: Type[], of: 'condition' | 'update' = 'condition'): Operand {
    const text = this.#tokens.peek()
    if (text.startsWith(':')) return { text, value: this.#tokens.value(types) }
    if (of === 'condition' && this.#tokens.call('size')) {
      const path = this.#tokens.path()
      this.#tokens.expect(')')
      return { text: `size(${path.join('.')})`, size: true }
    }
    const path = this.#tokens.path()
    return { text: path.join('.'), path }
  }
}

/** Nothing is learnt from comparing what the caller sent with what the caller sent, and it is undocumented. */
function mustCompareAlike(operands: readonly Operand[]): void {
  const [{ text } = { text: '' }, ...others] = operands
  refuse(!operands.some(({ path, size }) => path || size), `${text} is compared without any attribute`)
  refuse(
    others.some((other) => other.text === text),
    `${text} is compared with itself`,
  )
}

function mustNotOverlap(paths: readonly Path[]): void {
  const prefixes = paths.map((path) => `${path.join('\n')}\n`)
  const overlap = prefixes.find((one, index) => prefixes.some((other, at) => at !== index && other.startsWith(one)))
  refuse(overlap !== undefined, `two paths overlap: ${overlap?.trim()}`)
}
