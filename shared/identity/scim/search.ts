// Reads the parameters of a search (RFC 7644, sections 3.4.2 and 3.4.3), from a query string or the body of POST /.search.
import { SCIM_RESULTS_MAX } from '../../base/limits/published.ts'
import { badRequest } from './refusal.ts'
import type { Resource } from './resource-type.ts'
import type { Selection } from './select.ts'

export const COUNT_DEFAULT = 100

export type Search = Selection & {
  filter?: string
  /** From 1. */
  startIndex: number
  /** 0: totals only. */
  count: number
}

/** Reads names in any case and ignores unknown ones: sorting, and the flags that Entra adds to every URL. */
export function readSearch(sent: Resource): Search {
  const of = new Map(Object.entries(sent).map(([name, value]) => [name.toLowerCase(), value]))
  const filter = of.get('filter')
  if (filter !== undefined && filter !== null && typeof filter !== 'string') {
    throw badRequest('invalidFilter', 'filter must be a string.')
  }
  return {
    ...(filter && filter.trim() !== '' && { filter }),
    startIndex: Math.max(1, wholeNumber(of.get('startindex')) ?? 1),
    count: Math.min(SCIM_RESULTS_MAX, Math.max(0, wholeNumber(of.get('count')) ?? COUNT_DEFAULT)),
    ...readSelection(sent),
  }
}

/** Only `attributes` and `excludedAttributes`, for single resources. */
export function readSelection(sent: Resource): Selection {
  const of = new Map(Object.entries(sent).map(([name, value]) => [name.toLowerCase(), value]))
  const [attributes, excludedAttributes] = [namesIn(of.get('attributes')), namesIn(of.get('excludedattributes'))]
  return { ...(attributes && { attributes }), ...(excludedAttributes && { excludedAttributes }) }
}

/** Undefined for anything but a number. */
function wholeNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof number !== 'number' || !Number.isFinite(number)) return undefined
  return Math.min(Number.MAX_SAFE_INTEGER, Math.trunc(number))
}

/** More names than all schemas together have. */
const NAMES_MAX = 200

/** The names of a comma-separated text or a list of texts; undefined when there are none. Throws 400 for too many. */
function namesIn(value: unknown): string[] | undefined {
  const texts = [value].flat().filter((one): one is string => typeof one === 'string')
  const names = texts.flatMap((text) => text.split(',')).filter((name) => name.trim() !== '')
  if (names.length > NAMES_MAX)
    throw badRequest('invalidValue', `You name too many attributes. Name at most ${NAMES_MAX}.`)
  return names.length > 0 ? names : undefined
}
