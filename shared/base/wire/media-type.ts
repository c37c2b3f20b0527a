// Reads media types by the grammar of RFC 9110 (sections 5.6.6 and 8.3.1). All doors of the service read a Content-Type here, so that a
// spelling that one of them understands is understood by all.

/** `type` and the names of the parameters are in lower case. */
export type MediaType = { type: string; parameters: ReadonlyMap<string, string> }

const TOKEN = String.raw`[\w!#$%&'*+.^${'`'}|~-]+`
const QUOTED = String.raw`"(?:[\t \x21\x23-\x5b\x5d-\x7e\x80-\xff]|\\[\t \x21-\x7e\x80-\xff])*"`
/** A semicolon without a parameter is allowed; white space around `=` is not. */
const PARAMETER = String.raw`[ \t]*;(?:[ \t]*(${TOKEN})=(${TOKEN}|${QUOTED}))?`
const TYPE = String.raw`(${TOKEN}/${TOKEN})`
const WHOLE = new RegExp(String.raw`^[ \t]*${TYPE}((?:${PARAMETER})*)[ \t]*$`)
const EACH = new RegExp(PARAMETER, 'g')

/** Undefined for a text that is no media type, and for one that gives a parameter two values. */
export function readMediaType(text: string): MediaType | undefined {
  const [, type, list = ''] = WHOLE.exec(text) ?? []
  if (type === undefined) return undefined
  const parameters = new Map<string, string>()
  for (const [, name, value = ''] of list.matchAll(EACH)) {
    if (name === undefined) continue
    const key = name.toLowerCase()
    const read = value.startsWith('"') ? value.slice(1, -1).replaceAll(/\\(.)/g, '$1') : value
    if ((parameters.get(key) ?? read) !== read) return undefined
    parameters.set(key, read)
  }
  return { type: type.toLowerCase(), parameters }
}

/** Names of UTF-8: the registered one, and the one that many clients write (both are labels of the WHATWG Encoding Standard). */
const UTF8 = new Set(['utf-8', 'utf8'])

/** Whether a text of this type is in UTF-8, which is also the default. */
const isUtf8 = ({ parameters }: MediaType): boolean => UTF8.has(parameters.get('charset')?.toLowerCase() ?? 'utf-8')

const JSON_TYPE = /^application\/(?:json|[^/]+\+json)$/
export const FORM_TYPE = 'application/x-www-form-urlencoded'

/** What a request says that its body is. `other`: a type or an encoding that the service does not read. */
export function bodyKind(header: string | undefined): 'json' | 'form' | 'other' {
  const read = readMediaType(header ?? '')
  if (!read || !isUtf8(read)) return 'other'
  if (read.type === FORM_TYPE) return 'form'
  return JSON_TYPE.test(read.type) ? 'json' : 'other'
}

/** Whether the header names a form, in any encoding. */
export const isFormType = (header: string | undefined): boolean => readMediaType(header ?? '')?.type === FORM_TYPE

/** The elements of a list, such as the one of `Accept`. A comma in a quoted string does not end one. */
export const listedIn = (header: string): string[] =>
  [...header.matchAll(/(?:"(?:[^"\\]|\\.)*"|[^,"]|")+/g)].map(([one]) => one.trim()).filter((one) => one !== '')
