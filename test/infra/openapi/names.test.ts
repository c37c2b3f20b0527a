// Clients are made from the document and compile against its names. What this file lists was published: a line that changes or goes
// breaks somebody. New lines are accepted with `npm test -- test/infra/openapi/names.test.ts -u`.
import { expect, test } from 'vitest'
import { openapiDocument } from '../../../infra/openapi/document.ts'
import { EVENT_TYPES } from '../../../shared/base/catalog/event-types.ts'
import { asArray, asObject, asText, type JsonObject } from '../support/resolve.ts'

const METHODS = ['get', 'post', 'put', 'patch', 'delete']

test('the names that clients compile against are those that were published', async () => {
  const document: JsonObject = JSON.parse(JSON.stringify(await openapiDocument()))

  await expect(`${[...operations(document), ...schemas(document), ...events()].join('\n')}\n`).toMatchFileSnapshot(
    './public-names.txt',
  )
})

function* operations({ paths }: JsonObject): Generator<string> {
  for (const [path, item] of Object.entries(asObject(paths)))
    for (const method of METHODS) {
      const operation = asObject(item)[method]
      if (!operation) continue
      const { operationId, parameters = [] } = asObject(operation)
      const names = asArray(parameters).flatMap((one) => asObject(one).name ?? [])
      yield `${method.toUpperCase()} ${path} ${asText(operationId)} ${names.map(asText).toSorted(byText).join(' ')}`.trim()
    }
}

function* schemas({ components }: JsonObject): Generator<string> {
  const all = Object.entries(asObject(asObject(components).schemas))
  for (const [name, schema] of all.toSorted(([a], [b]) => byText(a, b)))
    yield `schema ${name}: ${Object.keys(asObject(asObject(schema).properties ?? {}))
      .toSorted(byText)
      .join(' ')}`.trim()
}

const events = (): string[] => EVENT_TYPES.map((type) => `event ${type}`).toSorted(byText)

const byText = (a: string, b: string): number => (a < b ? -1 : 1)
