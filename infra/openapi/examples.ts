// What stands beside the rows for the reference alone, in `functions/<area>/examples.ts`.
import { existsSync } from 'node:fs'
import type { Example, Variable } from '../../shared/base/wire/example.ts'
import { operationIdOf, type Route } from '../../shared/base/wire/route.ts'

/** The variables of an area by the path that ends with each. */
export type Places = Readonly<Record<string, Variable>>
type Beside = { examples?: Record<string, Example>; variables?: Places }

/** By operation id. An area may have none. */
export async function loadExamples(routes: readonly Route[]): Promise<Record<string, Example>> {
  const examples = (await besides(routes)).flatMap(([area, { examples: ofArea = {} }]) =>
    Object.entries(ofArea).map(([key, example]) => [operationIdOf(area, key), example] as const),
  )
  return Object.fromEntries(examples)
}

/** By area, because two of them may serve one path. */
export const loadVariables = async (routes: readonly Route[]): Promise<Record<string, Places>> =>
  Object.fromEntries((await besides(routes)).map(([area, { variables = {} }]) => [area, variables]))

function besides(routes: readonly Route[]): Promise<[string, Beside][]> {
  const areas = [...new Set(routes.map(({ area }) => area))]
  return Promise.all(areas.map(async (area): Promise<[string, Beside]> => [area, await besideOf(area)]))
}

async function besideOf(area: string): Promise<Beside> {
  const file = new URL(`../../functions/${area}/examples.ts`, import.meta.url)
  return existsSync(file) ? ((await import(file.href)) as Beside) : {} // as the file types it
}

const TENANT: Variable = [
  'The id of the caller’s tenant; any other one is not found.',
  'ten_01JD3Q8Z5N7K9N1Q3S5V7X9Z1B',
]

/** The variables of a path in order. One that nobody describes has no words and its own name as value; a test names it. */
export function variablesOf(
  path: string,
  places: Places = {},
): { name: string; description: string; example: string }[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => {
    const [whole, name = ''] = match
    const place = path.slice(0, match.index) + whole
    const [description, example] = name === 'tenant_id' ? TENANT : (places[place] ?? ['', name])
    return { name, description, example }
  })
}
