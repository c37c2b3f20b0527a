// Reads an OpenAPI document that a stranger may have written: sizes, nesting and aliases are bounded before anything walks it.
import { depthOf } from '../../../base/wire/parse-body.ts'
import { isObject, type JsonMap } from './resolve.ts'
import { tooDeep, UnusableDocument } from './unusable.ts'

export const JSON_BYTES_MAX = 20 * 1_048_576
export const YAML_BYTES_MAX = 8 * 1_048_576
const DEPTH_MAX = 64
const VERSION = /^3\.[012]\.\d+/

export type Document = JsonMap & { openapi: string }

/** Throws `UnusableDocument`. */
export async function readDocument(text: string): Promise<Document> {
  const bare = text.replace(/^\uFEFF/, '').trimStart()
  const document = bare.startsWith('{') ? await readJson(bare) : await readYaml(bare)
  if (!isObject(document)) throw new UnusableDocument('is not an OpenAPI document')
  const { openapi, swagger } = document
  if (swagger !== undefined) throw new UnusableDocument('is Swagger 2.0; convert it to OpenAPI 3')
  const version = versionOf(openapi)
  if (version === undefined) throw new UnusableDocument('must be OpenAPI 3.0, 3.1 or 3.2')
  return { ...document, openapi: version }
}

/** YAML makes a number of `3.1`, and of `3.0` the number 3. */
function versionOf(given: unknown): string | undefined {
  const text = typeof given === 'number' ? given.toFixed(1) : given
  if (typeof text !== 'string') return undefined
  const whole = /^3\.[012]$/.test(text) ? `${text}.0` : text
  const isExact = typeof given !== 'number' || Number(text) === given
  return isExact && VERSION.test(whole) ? whole : undefined
}

/** A map of YAML may begin as JSON does. */
async function readJson(text: string): Promise<unknown> {
  mustFit(text, JSON_BYTES_MAX)
  if (depthOf(text) > DEPTH_MAX) throw new UnusableDocument(tooDeep(DEPTH_MAX))
  try {
    return JSON.parse(text)
  } catch {
    const flow = Buffer.byteLength(text) > YAML_BYTES_MAX ? undefined : await readYaml(text).catch(() => undefined)
    if (flow === undefined) throw new UnusableDocument('is not valid JSON')
    return flow
  }
}

async function readYaml(text: string): Promise<unknown> {
  mustFit(text, YAML_BYTES_MAX)
  const { parseYaml } = await import('./read-yaml.ts')
  return parseYaml(text, DEPTH_MAX)
}

function mustFit(text: string, max: number): void {
  if (Buffer.byteLength(text) > max) throw new UnusableDocument(`must not exceed ${max} bytes`)
}
