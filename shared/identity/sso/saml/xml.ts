// Reads the small part of XML that messages and metadata of identity providers need. It refuses document types, custom
// entities, processing instructions and CDATA. So all parsers read an accepted document in the same way.

/** `name` has no prefix; attributes keep theirs. `text` does not include the text of children. */
export type Element = {
  name: string
  namespace: string
  attributes: ReadonlyMap<string, string>
  children: Element[]
  text: string
}

export class XmlError extends Error {}

const DEPTH_MAX = 50
const ELEMENTS_MAX = 20_000
/** Namespaces in scope. Limited, because each element that declares one copies them all. */
const NAMESPACES_MAX = 100
const XML_NAMESPACE = 'http://www.w3.org/XML/1998/namespace'

const DECLARATION = /^\uFEFF?\s*(<\?xml\s[^?<>]*\?>)?\s*/
const OPENING = /<([\w.-]+(?::[\w.-]+)?)((?:\s+[\w.-]+(?::[\w.-]+)?\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>/y
const ATTRIBUTE = /([\w.-]+(?::[\w.-]+)?)\s*=\s*(?:"([^"]*)"|'([^']*)')/g
const CLOSING = /<\/([\w.-]+(?::[\w.-]+)?)\s*>/y
// oxlint-disable-next-line no-control-regex -- XML allows no other control characters than these three
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/
const REFERENCE = /&(?:#x([\da-fA-F]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos));|&/g
const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

type Open = { element: Element; tag: string; namespaces: ReadonlyMap<string, string> }

/** Throws XmlError. `comments`: refused in signed messages, since parsers treat them differently. */
export function readXml(source: string, { comments = 'refused' }: { comments?: 'refused' | 'skipped' } = {}): Element {
  if (CONTROL.test(source)) throw new XmlError('holds control characters')
  const start = DECLARATION.exec(source)?.[0].length ?? 0
  const text = source.slice(start).replaceAll(/\r\n?/g, '\n')
  const root: Element = { name: '', namespace: '', attributes: new Map(), children: [], text: '' }
  const open: Open[] = [{ element: root, tag: '', namespaces: new Map([['xml', XML_NAMESPACE]]) }]
  let elements = 0
  for (let at = 0; at < text.length;) {
    const top = open.at(-1) as Open // the root is never closed
    if (text[at] !== '<') {
      const end = endOf(text, '<', at)
      top.element.text += decoded(text.slice(at, end))
      at = end
    } else if (text.startsWith('<!--', at)) {
      if (comments === 'refused') throw new XmlError('holds a comment')
      at = endOf(text, '-->', at + 4) + 3
    } else if (text[at + 1] === '/') {
      at = closed(text, at, open)
    } else {
      elements += 1
      if (elements > ELEMENTS_MAX || open.length > DEPTH_MAX) throw new XmlError('is too large')
      at = opened(text, at, open)
    }
  }
  const [only, ...others] = root.children
  if (open.length !== 1 || !only || others.length > 0 || root.text.trim() !== '')
    throw new XmlError('is not well-formed')
  return only
}

function endOf(text: string, what: string, from: number): number {
  const end = text.indexOf(what, from)
  return end === -1 ? text.length : end
}

function closed(text: string, at: number, open: Open[]): number {
  CLOSING.lastIndex = at
  const [whole, tag] = CLOSING.exec(text) ?? []
  if (whole === undefined || open.length === 1 || open.pop()?.tag !== tag) throw new XmlError('is not well-formed')
  return at + whole.length
}

function opened(text: string, at: number, open: Open[]): number {
  OPENING.lastIndex = at
  const [whole, tag = '', list = '', empty] = OPENING.exec(text) ?? []
  const parent = open.at(-1)
  if (whole === undefined || !parent) throw new XmlError('is not well-formed, or uses what is not accepted')
  const attributes = attributesIn(list)
  const namespaces = declared(attributes, parent.namespaces)
  const [name = '', prefix = ''] = tag.split(':').toReversed()
  const namespace = namespaces.get(prefix)
  if (prefix !== '' && namespace === undefined) throw new XmlError('uses a prefix that it does not declare')
  const element = { name, namespace: namespace ?? '', attributes, children: [], text: '' }
  parent.element.children.push(element)
  if (empty === '') open.push({ element, tag, namespaces })
  return at + whole.length
}

function attributesIn(list: string): Map<string, string> {
  const attributes = new Map<string, string>()
  for (const [, name = '', double, single = ''] of list.matchAll(ATTRIBUTE)) {
    if (attributes.has(name)) throw new XmlError('repeats an attribute')
    attributes.set(name, decoded((double ?? single).replaceAll(/[\t\n]/g, ' ')))
  }
  return attributes
}

function declared(attributes: ReadonlyMap<string, string>, inherited: ReadonlyMap<string, string>) {
  const namespaces = [...attributes].filter(([name]) => name === 'xmlns' || name.startsWith('xmlns:'))
  if (namespaces.length === 0) return inherited
  const all = new Map([...inherited, ...namespaces.map(([name, value]) => [name.slice(6), value] as const)])
  if (all.size > NAMESPACES_MAX) throw new XmlError('is too large')
  return all
}

const decoded = (text: string): string =>
  text.replaceAll(REFERENCE, (_, hex?: string, decimal?: string, name?: string) => {
    if (name !== undefined) return NAMED[name] ?? ''
    const code = hex !== undefined ? Number.parseInt(hex, 16) : Number(decimal)
    if (!Number.isInteger(code) || code === 0 || code > 0x10ffff) throw new XmlError('holds an unknown entity')
    const character = String.fromCodePoint(code)
    if (!character.isWellFormed()) throw new XmlError('holds half a character')
    return character
  })

/** The element and all elements inside it, in document order. */
export function* everyElement(element: Element): Generator<Element> {
  const waiting = [element]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    yield next
    waiting.push(...next.children.toReversed())
  }
}

export const childrenNamed = (of: Element | undefined, namespace: string, name: string): Element[] =>
  of?.children.filter((child) => child.name === name && child.namespace === namespace) ?? []

/** Undefined when there is none. Throws XmlError when there are several, because the choice would be ambiguous. */
export function childNamed(of: Element | undefined, namespace: string, name: string): Element | undefined {
  const [first, second] = childrenNamed(of, namespace, name)
  if (second) throw new XmlError(`holds several ${name}`)
  return first
}

/** The trimmed text of an element; undefined when it is empty or the element has children. */
export function textOf(element: Element | undefined): string | undefined {
  if (!element || element.children.length > 0) return undefined
  return element.text.trim() || undefined
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Builds XML. Escapes every value. */
export const xml = (parts: TemplateStringsArray, ...values: string[]): string =>
  String.raw({ raw: parts }, ...values.map((value) => value.replaceAll(/[&<>"]/g, (one) => ESCAPES[one] ?? '')))
