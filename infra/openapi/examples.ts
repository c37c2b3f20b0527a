// The examples that stand beside the shapes, in `functions/<area>/examples.ts`.
import { existsSync } from 'node:fs'
import type { Example } from '../../shared/base/wire/example.ts'
import { operationIdOf, type Route } from '../../shared/base/wire/route.ts'

/** By operation id. An area may have none. */
export async function loadExamples(routes: readonly Route[]): Promise<Record<string, Example>> {
  const areas = [...new Set(routes.map(({ area }) => area))]
  return Object.assign({}, ...(await Promise.all(areas.map(examplesOf))))
}

async function examplesOf(area: string): Promise<Record<string, Example>> {
  const file = new URL(`../../functions/${area}/examples.ts`, import.meta.url)
  if (!existsSync(file)) return {}
  const { examples } = (await import(file.href)) as { examples: Record<string, Example> } // as the file types it
  return Object.fromEntries(Object.entries(examples).map(([key, example]) => [operationIdOf(area, key), example]))
}
