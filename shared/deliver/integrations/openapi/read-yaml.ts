// Reads YAML 1.2, and 1.1 where a document declares it, as the JSON that it says. What JSON cannot say is refused with its own text:
// nothing of a document is guessed.
import { type Document, isAlias, isCollection, parseDocument, visit, type YAMLError } from 'yaml'
import { tooDeep, UnusableDocument } from './unusable.ts'

/** Values with all aliases and merges written out. An alias that is used often costs little while what it names is small. */
const VALUES_MAX = 2_000_000
/** Types of 1.1 and tags that JSON has no value for. Without them a date stays the text that it is. */
const NOT_JSON = /:(?:timestamp|binary|set|omap|pairs|merge)$/

export function parseYaml(text: string, levels: number): unknown {
  const document = parsed(text, levels)
  mustBePlain(document)
  const value = merged(valueOf(document), levels)
  const { depth, size } = new Measures().of(value)
  if (depth > levels) throw new UnusableDocument(tooDeep(levels))
  if (size > VALUES_MAX) throw new UnusableDocument(`expands to more than ${VALUES_MAX} values by its YAML aliases`)
  return value
}

function parsed(text: string, levels: number): Document {
  const isOld = /^%YAML\s+1\.1\s*$/m.test(text.split(/^---/m, 1)[0] ?? '')
  try {
    const document = parseDocument(text, {
      version: isOld ? '1.1' : '1.2',
      schema: isOld ? 'yaml-1.1' : 'core',
      merge: false, // done here, where it is bounded
      customTags: (tags) => tags.filter((tag) => typeof tag === 'string' || !NOT_JSON.test(tag.tag)),
      resolveKnownTags: false,
      uniqueKeys: true,
      logLevel: 'error',
    })
    const [first] = [...document.errors, ...document.warnings]
    // The parser says so when its stack ends.
    if (first?.code === 'RESOURCE_EXHAUSTION') throw new UnusableDocument(tooDeep(levels))
    if (first) throw new UnusableDocument(causeOf(first))
    return document
  } catch (error) {
    if (error instanceof UnusableDocument) throw error
    if (error instanceof RangeError) throw new UnusableDocument(tooDeep(levels)) // the parser's stack
    throw new UnusableDocument('is neither valid JSON nor valid YAML')
  }
}

const CAUSES: Partial<Record<YAMLError['code'], string>> = {
  DUPLICATE_KEY: 'is YAML that has a key twice in one map',
  MULTIPLE_DOCS: 'is YAML with several documents; give one',
  TAG_RESOLVE_FAILED: 'is YAML with a tag that is not supported',
  BAD_ALIAS: 'is YAML with an alias that is malformed',
  TAB_AS_INDENT: 'is YAML that is indented with tabs',
}

const causeOf = ({ code, linePos }: YAMLError): string =>
  `${CAUSES[code] ?? 'is neither valid JSON nor valid YAML'}${linePos ? ` (line ${linePos[0].line})` : ''}`

/** Keys are texts or become texts that say the same. */
function mustBePlain(document: Document): void {
  visit(document, {
    Pair: (_, { key }) => {
      const target = isAlias(key) ? key.resolve(document) : key
      if (isCollection(target)) throw new UnusableDocument('is YAML with a list or a map as a key')
    },
  })
}

function valueOf(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: -1 }) // shares what an alias names, so that it may be used any number of times
  } catch (error) {
    if (error instanceof ReferenceError)
      throw new UnusableDocument('is YAML with an alias whose anchor is not before it')
    throw new UnusableDocument('is neither valid JSON nor valid YAML')
  }
}

type Map1 = Record<string, unknown>
const isMap = (value: unknown): value is Map1 => typeof value === 'object' && value !== null && !Array.isArray(value)
const MERGE = '<<'

/** Resolves merge keys: what stands in a map wins over what is merged, and what is merged first over what comes later. */
function merged(root: unknown, levels: number): unknown {
  const done = new Map<object, unknown>()
  const open = new Set<object>()
  let copied = 0
  const mergedMap = (value: Map1, depth: number): Map1 => {
    const own = Object.entries(value).filter(([name]) => name !== MERGE)
    const sources = [Object.hasOwn(value, MERGE) ? value[MERGE] : []].flat()
    const entries = sources.toReversed().flatMap((source) => {
      const from = of(source, depth)
      if (!isMap(from)) throw new UnusableDocument('is YAML with a merge key (<<) that names something else than a map')
      return Object.entries(from)
    })
    copied += entries.length
    if (copied > VALUES_MAX)
      throw new UnusableDocument(`expands to more than ${VALUES_MAX} values by its YAML merge keys`)
    return Object.fromEntries([...entries, ...own.map(([name, of1]) => [name, of(of1, depth)] as const)])
  }
  const of = (value: unknown, depth: number): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (done.has(value)) return done.get(value)
    if (open.has(value) || depth > levels) throw new UnusableDocument(tooDeep(levels))
    open.add(value)
    const result = Array.isArray(value) ? value.map((one) => of(one, depth + 1)) : mergedMap(value as Map1, depth + 1)
    open.delete(value)
    done.set(value, result)
    return result
  }
  return of(root, 0)
}

type Measure = { depth: number; size: number }

/** Depth and size with everything written out. A value is measured once, however often aliases name it. */
class Measures {
  readonly #known = new Map<object, Measure>()

  of(value: unknown): Measure {
    if (typeof value === 'number' && !Number.isFinite(value))
      throw new UnusableDocument('is YAML with a number that JSON does not have (.inf or .nan)')
    if (typeof value !== 'object' || value === null) return { depth: 0, size: 1 }
    const known = this.#known.get(value)
    if (known) return known
    const all = { depth: 1, size: 1 }
    for (const inner of Object.values(value)) {
      const { depth, size } = this.of(inner)
      all.depth = Math.max(all.depth, depth + 1)
      all.size += size
    }
    this.#known.set(value, all)
    return all
  }
}
