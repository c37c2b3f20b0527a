import { convert } from '../../../../../shared/deliver/integrations/openapi/convert.ts'
import { readDocument } from '../../../../../shared/deliver/integrations/openapi/read-document.ts'

/** A document as its text; `parts` are its members. */
export const textOf = (paths: object, parts: object = {}): string =>
  JSON.stringify({ openapi: '3.1.0', paths, ...parts })

export const converted = async (paths: object, parts: object = {}) =>
  convert(await readDocument(textOf(paths, parts)), 'my-tool')

/** The only action that a document makes. */
export async function actionOf(paths: object, parts: object = {}) {
  const { operations, skipped } = await converted(paths, parts)
  const [first] = operations
  if (!first || operations.length > 1) throw new Error(`not one action: ${JSON.stringify(skipped)}`)
  return first
}

/** The schema that one schema of a body becomes. */
export async function written(schema: unknown, parts: object = {}): Promise<unknown> {
  const body = { content: { 'application/json': { schema } } }
  const { endpoint } = await actionOf({ '/a': { put: { requestBody: body } } }, parts)
  const { properties } = endpoint.input_schema as { properties: { body: unknown } }
  return properties.body
}
