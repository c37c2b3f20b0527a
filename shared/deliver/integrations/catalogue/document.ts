// The document of a provider as it is published: its text, and what names it.
import { sha256Hex } from '../../../base/lib/json.ts'
import { isObject, mapAt } from '../openapi/resolve.ts'
import type { Provider } from './provider.ts'

export type CatalogueDocument = { text: string; sha256: string; bytes: number; operations: number }

const made = new WeakMap<Provider, CatalogueDocument>()

export function documentOf(provider: Provider): CatalogueDocument {
  const known = made.get(provider)
  if (known) return known
  const text = JSON.stringify(provider.document)
  const items = Object.values(mapAt(provider.document, 'paths')).filter(isObject)
  const operations = items.reduce((sum, item) => sum + Object.keys(item).length, 0)
  const document = { text, sha256: sha256Hex(text), bytes: Buffer.byteLength(text), operations }
  made.set(provider, document)
  return document
}
