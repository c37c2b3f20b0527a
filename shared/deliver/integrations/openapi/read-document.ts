// Reads an OpenAPI document that a stranger may have written: sizes, nesting and aliases are bounded before anything walks it.
import { depthOf } from '../../../base/wire/parse-body.ts'
import { isObject, type JsonMap } from './resolve.ts'

export const JSON_BYTES_MAX = 20 * 1_048_576
export const YAML_BYTES_MAX = 8 * 1_048_576
const DEPTH_MAX = 64
const VERSION = /^3\.[012]\.\d+/

/** Why a document cannot be used, in words for whoever gave it. */
export class UnusableDocument extends Error {}

export type Document = JsonMap & { openapi: string }

/** Throws `UnusableDocument`. */
export async function readDocument(text: string): Promise<Document> {
  const bare = text.replace(/^\uFEFF/, '').trimStart()
  const document = bare.startsWith('{') ? readJson(bare) : await readYaml(bare)
  if (!isObject(document)) throw new UnusableDocument('is not an OpenAPI document')
  const { openapi, swagger } = document
  if (swagger !== undefined) throw new UnusableDocument('is Swagger 2.0; convert it to OpenAPI 3')
  if (typeof openapi !== 'string' || !VERSION.test(openapi))
    throw new UnusableDocument('must be OpenAPI 3.0, 3.1 or 3.2')
  return { ...document, openapi }
}

function readJson(text: string): unknown {
  mustFit(text, JSON_BYTES_MAX)
  if (depthOf(text) > DEPTH_MAX) throw tooDeep()
  try {
    return JSON.parse(text)
  } catch {
    throw new UnusableDocument('is not valid JSON')
  }
}

async function readYaml(text: string): Promise<unknown> {
  mustFit(text, YAML_BYTES_MAX)
  const { parse } = await import('yaml')
  const document = parsed(() => parse(text, { maxAliasCount: 100, schema: 'core', logLevel: 'error' }))
  if (isDeeper(document, DEPTH_MAX)) throw tooDeep()
  return document
}

/** Deep nesting overflows the parser's stack, which is an error like any other here. */
function parsed(parse: () => unknown): unknown {
  try {
    return parse()
  } catch {
    throw new UnusableDocument('is neither valid JSON nor valid YAML, or expands too many aliases')
  }
}

function mustFit(text: string, max: number): void {
  if (Buffer.byteLength(text) > max) throw new UnusableDocument(`must not exceed ${max} bytes`)
}

const tooDeep = () => new UnusableDocument(`must not be nested deeper than ${DEPTH_MAX}`)

/** An alias inside its own anchor makes a value that contains itself, which is deeper than anything. */
const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1)))
